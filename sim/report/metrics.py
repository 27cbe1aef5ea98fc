"""What a run counted, under the names that NVIDIA's profilers use for it.

Rules    A name stands only beside a count of the same thing.  `inst` metrics count instructions of the intermediate
         representation, before an optimising compiler, where a profiler counts those of the machine: ratios and what
         memory is asked for can be compared, sums of instructions only in their order of magnitude.
         Sectors are those that requests touch, before any cache; those of atomics count again for lanes that share an
         address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.observers.requests import RequestCount
from sim.report.model import AccessUse, PolicyReport


@final
@record
class Metric:
    """`name` is NVIDIA's, `ours` what this program calls it."""

    name: str
    value: float
    ours: str


def metrics(run: PolicyReport) -> Sequence[Metric]:
    """Those that the run has something for, in a fixed order."""
    return tuple(_metrics(run))


def _metrics(run: PolicyReport) -> Iterator[Metric]:
    lanes = run.thread_instructions / run.warp_instructions if run.warp_instructions else 0.0
    splits = sum(branch.diverged for branch in run.branches)
    yield Metric("smsp__inst_executed.sum", run.warp_instructions, "warp instructions")
    yield Metric("smsp__thread_inst_executed.sum", run.thread_instructions, "thread instructions")
    yield Metric("smsp__thread_inst_executed_per_inst_executed.ratio", lanes, "active lanes of an instruction")
    yield Metric("smsp__sass_branch_targets_threads_divergent.sum", splits, "splits of warps")
    for kind, short in (
        (AccessUse.LOAD, "ld"),
        (AccessUse.STORE, "st"),
        (AccessUse.ATOMIC, "atom"),
        (AccessUse.REDUCTION, "red"),
    ):
        count = traffic(run, MemorySpace.GLOBAL, kind)
        if count.requests:
            words = f"global memory, {kind.value}"
            yield Metric(f"l1tex__t_requests_pipe_lsu_mem_global_op_{short}.sum", count.requests, f"requests: {words}")
            sectors = count.turns if kind in (AccessUse.ATOMIC, AccessUse.REDUCTION) else count.sectors
            yield Metric(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{short}.sum", sectors, f"sectors: {words}")
    memory = sum((traffic(run, MemorySpace.GLOBAL, kind) for kind in AccessUse), RequestCount())
    if memory.requests:
        yield Metric("memory_l2_theoretical_sectors_global", memory.sectors, "sectors of global memory")
        yield Metric("memory_l2_theoretical_sectors_global_ideal", memory.ideal_sectors, "ideal sectors of it")
    shared = sum((traffic(run, MemorySpace.SHARED, kind) for kind in AccessUse), RequestCount())
    if shared.requests:
        name = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
        yield Metric(name, shared.bank_conflicts, "bank conflicts of shared memory")


def traffic(run: PolicyReport, space: MemorySpace, kind: AccessUse) -> RequestCount:
    """All requests of one kind to one space."""
    parts = (part for access in run.accesses for part in access.parts)
    return sum((part.requests for part in parts if (part.space, part.kind) == (space, kind)), RequestCount())
