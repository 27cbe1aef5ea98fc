"""The conditions of Nsight Compute's rules over a run, each with a run that is just good enough."""

from __future__ import annotations

import pytest

from analysis.ir.index3 import Index3
from sim.report.json_report import kernel_object
from sim.report.metrics import metrics
from sim.report.model import KernelReport
from sim.report.profile_rules import CONFLICTS, LAUNCH, THREAD_DIVERGENCE, UNCOALESCED, ProfileAdvice, profile_advice
from tests.sim.report.test_races import reported

WIDE = (216, 1, 1)
"""Twice the multiprocessors of an A100."""
COPY = "__global__ void k(float *out, const float *in) { int i = blockIdx.x * blockDim.x + threadIdx.x; BODY }"


def report(text: str, grid: Index3 = WIDE, block: Index3 = (32, 1, 1)) -> KernelReport:
    return reported(text, grid=grid, block=block, arguments={})


def advice(text: str, grid: Index3 = WIDE, block: Index3 = (32, 1, 1)) -> list[ProfileAdvice]:
    found = report(text, grid, block)
    return list(profile_advice(found, found.policies[0]))


def body(statements: str) -> str:
    return COPY.replace("BODY", statements)


def test_a_run_with_nothing_to_say_says_nothing() -> None:
    assert advice(body("out[i] = in[i];")) == []


@pytest.mark.parametrize(("lanes", "is_told"), [(8, True), (31, False)])
def test_thread_divergence(lanes: int, is_told: bool) -> None:
    """Below 24 of 32 lanes."""
    text = body(f"if (threadIdx.x < {lanes}) {{\n for (int j = 0; j < 20; j++) out[i] = j * in[i];\n }}")
    found = [one for one in advice(text) if one.rule == THREAD_DIVERGENCE]
    assert len(found) == is_told
    for one in found:
        assert one.value < 24
        assert one.share == pytest.approx(1 - one.value / 32, abs=1e-3)
        assert [place.line for place in one.places] == [1]
        assert one.metric == "smsp__thread_inst_executed_per_inst_executed.ratio"


def test_uncoalesced_accesses() -> None:
    """One word of each sector is used: seven of eight are in excess, of the load alone."""
    (found,) = advice(body("\nfloat v = in[8 * i];\nout[i] = v;"))
    assert (found.rule, found.title) == (UNCOALESCED, "Uncoalesced Global Accesses")
    assert found.value == 216 * (32 - 4)
    assert found.message == "6,048 of 7,776 sectors of global memory are in excess (78 %)"
    assert [place.line for place in found.places] == [2]


@pytest.mark.parametrize(
    ("store", "load", "titles"),
    [
        ("threadIdx.x", "threadIdx.x", []),
        ("threadIdx.x", "threadIdx.x * 2 % 64", ["Shared Load Bank Conflicts"]),
        ("threadIdx.x * 32", "threadIdx.x", ["Shared Store Bank Conflicts"]),
        ("threadIdx.x * 33", "threadIdx.x * 33", []),
    ],
)
def test_bank_conflicts_of_loads_and_stores_apart(store: str, load: str, titles: list[str]) -> None:
    text = body(f"__shared__ float s[1056];\n s[{store}] = i;\n __syncthreads();\n out[i] = s[{load}];")
    found = [one for one in advice(text, (512, 1, 1)) if one.rule == CONFLICTS]
    assert [one.title for one in found] == titles
    assert [place.line for one in found for place in one.places] == [2 if "Store" in title else 4 for title in titles]


def test_a_block_that_is_no_multiple_of_a_warp() -> None:
    (found,) = [one for one in advice(body("out[i] = in[i];"), block=(48, 1, 1)) if one.title == "Block Size"]
    assert (found.rule, found.metric, found.value, found.share) == (LAUNCH, "launch__block_size", 48, 0.25)
    assert [one.title for one in advice(body("out[i] = in[i];"), block=(8, 8, 1))] == []


@pytest.mark.parametrize(
    ("blocks", "barrier", "is_told"),
    [(107, "", True), (108, "", False), (108, "__syncthreads();", True), (216, "__syncthreads();", False)],
)
def test_a_small_grid(blocks: int, barrier: str, is_told: bool) -> None:
    found = [one.title for one in advice(body(f"{barrier} out[i] = in[i];"), (blocks, 1, 1))]
    assert found == (["Small Grid"] if is_told else [])


@pytest.mark.parametrize(
    ("blocks", "is_told"),
    [(216, False), (217, True), (432, False), (433, True), (216 * 5 + 1, False)],
)
def test_a_tail(blocks: int, is_told: bool) -> None:
    """108 multiprocessors hold two blocks of 1,024 threads each; a tail after five waves is below a fifth."""
    found = [one for one in advice(body("out[i] = in[i];"), (blocks, 1, 1), (1024, 1, 1)) if one.title == "Tail Effect"]
    assert len(found) == is_told


def test_what_was_chosen_is_no_launch_to_judge() -> None:
    found = reported(body("out[i] = in[i];"), grid=None, block=None, arguments={})
    assert [one for one in profile_advice(found, found.policies[0]) if one.rule == LAUNCH] == []


def test_json_has_the_advice_and_more_names() -> None:
    text = body("__shared__ float s[64];\n s[threadIdx.x] = in[i]; __syncthreads();\n out[i] = s[2 * threadIdx.x];")
    found = report(text)
    run = kernel_object(found)["policies"]["ipdom"]
    (one,) = [advice for advice in run["advice"] if advice["rule"] == CONFLICTS]
    assert (one["share"], one["value"], one["places"][0]["line"]) == (0.5, 216, 3)
    names = {metric.name: metric.value for metric in metrics(found.policies[0])}
    assert names["smsp__sass_inst_executed_op_shared_ld.sum"] == 216
    assert names["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 432
    assert names["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] == 216
    assert names["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"] == 0
    assert names["memory_l1_wavefronts_shared"] - names["memory_l1_wavefronts_shared_ideal"] == 216


def test_local_memory_and_branches_have_their_names() -> None:
    text = body("float a[9];\n for (int j = 0; j < 9; j++) a[j] = in[i];\n out[i] = a[(i + 3) % 9];")
    names = {metric.name: metric.value for metric in metrics(report(text, (1, 1, 1)).policies[0])}
    assert names["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"] == 9
    assert names["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"] == 1
    assert names["smsp__sass_average_branch_targets_threads_uniform.pct"] == 100
