"""Accesses by space and kind, barriers, and the names that NVIDIA's profilers have for them."""

from __future__ import annotations

from analysis.ir.types import MemorySpace
from sim.events import BarrierScope
from sim.report.metrics import metrics
from sim.report.model import AccessUse, PolicyReport
from tests.sim.report.test_races import reported

_TEXT = """__global__ void k(int *out, const int *in, int *hist, int mode) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = in[2 * i];
  __syncthreads();
  atomicAdd(&hist[i / 16], 1);
  out[i] = atomicAdd(&hist[9], s[63 - i]);
  out[i] += 1;
  if (mode) { __syncwarp(); __syncthreads(); }
}
"""


def run_of(text: str) -> PolicyReport:
    (run,) = reported(text, grid=(1, 1, 1), block=(64, 1, 1), arguments={"mode": "0"}).policies
    return run


def parts(run: PolicyReport) -> dict[tuple[int, MemorySpace, AccessUse], tuple[int, int, int]]:
    """By line, space and kind: requests, sectors and distinct addresses."""
    found: dict[tuple[int, MemorySpace, AccessUse], tuple[int, int, int]] = {}
    for access in run.accesses:
        assert access.requests.requests == sum(part.requests.requests for part in access.parts)
        for part in access.parts:
            count = part.requests
            numbers = count.requests, count.sectors, count.distinct_addresses
            found[access.place.line, part.space, part.kind] = numbers
    return found


def test_space_and_kind_are_told_apart() -> None:
    assert parts(run_of(_TEXT)) == {
        (4, MemorySpace.GLOBAL, AccessUse.LOAD): (2, 16, 0),
        (4, MemorySpace.SHARED, AccessUse.STORE): (2, 0, 0),
        (6, MemorySpace.GLOBAL, AccessUse.REDUCTION): (2, 2, 4),
        (7, MemorySpace.GLOBAL, AccessUse.ATOMIC): (2, 2, 2),
        (7, MemorySpace.SHARED, AccessUse.LOAD): (2, 0, 0),
        (7, MemorySpace.GLOBAL, AccessUse.STORE): (2, 8, 0),
        (8, MemorySpace.GLOBAL, AccessUse.LOAD): (2, 8, 0),
        (8, MemorySpace.GLOBAL, AccessUse.STORE): (2, 8, 0),
    }


def test_barriers_are_counted_also_where_no_warp_came() -> None:
    found = [(one.place.line, one.scope, one.executed, one.lanes) for one in run_of(_TEXT).barriers]
    assert found == [
        (5, BarrierScope.BLOCK, 2, 64),
        (9, BarrierScope.WARP, 0, 0),
        (9, BarrierScope.BLOCK, 0, 0),
    ]


def test_counts_have_the_names_of_profilers() -> None:
    run = run_of(_TEXT)
    named = {metric.name: metric.value for metric in metrics(run)}
    assert named["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 24
    assert named["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 4
    assert named["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 16
    assert named["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"] == 2
    assert named["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"] == 32
    assert named["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"] == 64
    assert named["smsp__inst_executed.sum"] == run.warp_instructions
    assert named["smsp__thread_inst_executed_per_inst_executed.ratio"] == 32.0
    assert named["memory_l2_theoretical_sectors_global"] == 44
    assert named["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] == 0


def test_no_memory_has_no_names() -> None:
    (run,) = reported("__global__ void k() { __syncthreads(); }").policies
    assert not any("mem" in metric.name for metric in metrics(run))
