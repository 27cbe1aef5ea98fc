"""What a run counted, under the names that NVIDIA's profilers use for it.

Rules    A name stands only beside a count of the same thing.  `inst` metrics count instructions of the intermediate
         representation, before an optimising compiler, where a profiler counts those of the machine: ratios and what
         memory is asked for can be compared, sums of instructions only in their order of magnitude.
         Sectors are those that requests touch, before any cache; those of atomics count again for lanes that share an
         address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.observers.requests import RequestCount
from sim.report.model import AccessUse, PolicyReport


@final
@record
class Metric:
    """`name` is NVIDIA's, `ours` what this program calls it; `differs` says what the profiler's count has besides."""

    name: str
    value: float
    ours: str
    differs: str | None = None


OPTIMISED: Final = "a profiler's are those of optimised code"
PREDICATES: Final = "a profiler's is lower where a compiler uses predicates"
SPILLS: Final = "a compiler keeps less there, and spills registers to it"
TRAFFIC: Final = "a profiler's has conflicts with other traffic"
_Traffic: TypeAlias = tuple[AccessUse, str]
_LOAD: Final[_Traffic] = (AccessUse.LOAD, "ld")
_STORE: Final[_Traffic] = (AccessUse.STORE, "st")
_ATOMIC: Final[_Traffic] = (AccessUse.ATOMIC, "atom")
_REDUCTION: Final[_Traffic] = (AccessUse.REDUCTION, "red")


def metrics(run: PolicyReport) -> Sequence[Metric]:
    """Those that the run has something for, in a fixed order."""
    return (*_instructions(run), *_branches(run), *_global(run), *_local(run), *_shared(run))


def _instructions(run: PolicyReport) -> Iterator[Metric]:
    lanes = run.thread_instructions / run.warp_instructions if run.warp_instructions else 0.0
    per_instruction = "per_inst_executed.ratio"
    yield Metric("smsp__inst_executed.sum", run.warp_instructions, "warp instructions", OPTIMISED)
    yield Metric("smsp__thread_inst_executed.sum", run.thread_instructions, "thread instructions", OPTIMISED)
    yield Metric(f"smsp__thread_inst_executed_{per_instruction}", lanes, "active lanes of an instruction")
    yield Metric(f"smsp__thread_inst_executed_pred_on_{per_instruction}", lanes, "the same", PREDICATES)


def _branches(run: PolicyReport) -> Iterator[Metric]:
    splits = sum(branch.diverged for branch in run.branches)
    executed = sum(branch.executed for branch in run.branches)
    yield Metric("smsp__sass_branch_targets_threads_divergent.sum", splits, "splits of warps")
    if executed:
        share = 100 * (executed - splits) / executed
        name = "smsp__sass_average_branch_targets_threads_uniform.pct"
        yield Metric(name, share, "branches at which no warp split", OPTIMISED)


def _global(run: PolicyReport) -> Iterator[Metric]:
    for kind, short in (_LOAD, _STORE, _ATOMIC, _REDUCTION):
        count = traffic(run, MemorySpace.GLOBAL, kind)
        if count.requests:
            words = f"global memory, {kind.value}"
            yield Metric(f"l1tex__t_requests_pipe_lsu_mem_global_op_{short}.sum", count.requests, f"requests: {words}")
            sectors = count.turns if kind in (AccessUse.ATOMIC, AccessUse.REDUCTION) else count.sectors
            yield Metric(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{short}.sum", sectors, f"sectors: {words}")
    memory = sum((traffic(run, MemorySpace.GLOBAL, kind) for kind in AccessUse), RequestCount())
    if memory.requests:
        name = "memory_l2_theoretical_sectors_global"
        yield Metric(name, memory.sectors, "sectors of global memory")
        yield Metric(f"{name}_ideal", memory.ideal_sectors, "ideal sectors of it")
        yield Metric(f"derived__{name}_excessive", memory.sectors - memory.ideal_sectors, "sectors in excess")


def _local(run: PolicyReport) -> Iterator[Metric]:
    for kind, short in (_LOAD, _STORE):
        count = traffic(run, MemorySpace.LOCAL, kind)
        if count.requests:
            words = f"local memory, {kind.value}"
            name = f"pipe_lsu_mem_local_op_{short}.sum"
            yield Metric(f"l1tex__t_requests_{name}", count.requests, f"requests: {words}", SPILLS)
            yield Metric(f"l1tex__t_sectors_{name}", count.sectors, f"sectors: {words}", SPILLS)


def _shared(run: PolicyReport) -> Iterator[Metric]:
    shared = sum((traffic(run, MemorySpace.SHARED, kind) for kind in AccessUse), RequestCount())
    if not shared.requests:
        return
    for kind, short in (_LOAD, _STORE):
        count = traffic(run, MemorySpace.SHARED, kind)
        if count.requests:
            words, name = f"shared memory, {kind.value}", f"pipe_lsu_mem_shared_op_{short}.sum"
            yield Metric(f"smsp__sass_inst_executed_op_shared_{short}.sum", count.requests, f"requests: {words}")
            yield Metric(f"l1tex__data_{name.replace('lsu', 'lsu_wavefronts')}", count.bank_passes, f"passes: {words}")
            yield Metric(f"l1tex__data_bank_conflicts_{name}", count.bank_conflicts, f"conflicts: {words}", TRAFFIC)
    name = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
    yield Metric(name, shared.bank_conflicts, "bank conflicts of shared memory", TRAFFIC)
    needed = shared.bank_passes - shared.bank_conflicts
    yield Metric("memory_l1_wavefronts_shared", shared.bank_passes, "passes over the banks")
    yield Metric("memory_l1_wavefronts_shared_ideal", needed, "passes that the width needs")


def traffic(run: PolicyReport, space: MemorySpace, kind: AccessUse) -> RequestCount:
    """All requests of one kind to one space."""
    parts = (part for access in run.accesses for part in access.parts)
    return sum((part.requests for part in parts if (part.space, part.kind) == (space, kind)), RequestCount())
