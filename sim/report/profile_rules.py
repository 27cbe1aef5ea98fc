"""What the rules of NVIDIA's Nsight Compute would say of a run: their conditions over our counts, with the numbers.

Question  Where would a profiler point at first, as far as no clock and no cache is needed for it?
Rules     `THREAD_DIVERGENCE`, `UNCOALESCED`, `CONFLICTS` and `LAUNCH` are Nsight Compute's identifiers; each function
          says the condition.  Those about the launch speak only if somebody gave it, not where it was chosen or cut.
Differs   Nsight counts after an optimising compiler.  It tells every sector in excess, here there is none below
          `LEAST_EXCESS`.  Its waves use the registers of the kernel, which are not known here: as many blocks as
          threads allow, so a real wave may be smaller.  Predication is not modelled: `…pred_on…` is the same ratio.
Never     Says something about time.
Source    The rules that come with Nsight Compute 2022 to 2025 (`sections/*.py`): ThreadDivergence,
          UncoalescedAccess, SharedMemoryConflicts, LaunchStatistics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.rules.wording import quantity
from analysis.sides.device_limits import Gpu, large_gpu
from sim.events import BarrierScope
from sim.observers.requests import RequestCount
from sim.report.metrics import traffic
from sim.report.model import AccessReport, AccessUse, KernelReport, PolicyReport, SourcePlace

THREAD_DIVERGENCE: Final = "ThreadDivergence"
UNCOALESCED: Final = "UncoalescedGlobalAccess"
CONFLICTS: Final = "SharedMemoryConflicts"
LAUNCH: Final = "LaunchConfiguration"
LEAST_THREADS: Final = 24
"""Of the 32 lanes of a warp."""
LEAST_EXCESS: Final = 0.01
"""Of all sectors."""
LEAST_CONFLICTS: Final = 0.1
"""Of all wavefronts of a kind."""
LEAST_TAIL: Final = 0.2
"""Of the time, were all blocks equally long."""
MOST_BLOCKS: Final = 32
"""That a multiprocessor holds."""
MOST_PLACES: Final = 3
_WARP: Final = 32
_Loss: TypeAlias = Callable[[RequestCount], int]


@final
@record
class ProfileAdvice:
    """`rule` is Nsight Compute's identifier, `title` its name for the message.

    `metric` has `value` where the rule wants `wanted`.  `share` estimates what is lost at most, as Nsight does: a share
    of issue slots, sectors, wavefronts or multiprocessors.  `places`: where most of it comes from.
    """

    rule: str
    title: str
    message: str
    metric: str
    value: float
    wanted: str
    share: float
    places: tuple[SourcePlace, ...] = ()


def profile_advice(report: KernelReport, run: PolicyReport) -> Sequence[ProfileAdvice]:
    """In the order of Nsight Compute's sections; none where no condition holds."""
    if not run.warp_instructions:
        return ()
    return (*_launch(report, run), *_conflicts(run), *_divergence(report, run), *_uncoalesced(run))


# -- the launch --------------------------------------------------------------------------------------------------------


def _launch(report: KernelReport, run: PolicyReport) -> Iterator[ProfileAdvice]:
    chosen = {choice.name for choice in report.choices if choice.is_chosen}
    gpu = large_gpu(report.architecture)
    if "block" not in chosen:
        yield from _block_size(report)
    if not {"block", "grid"} & chosen and not report.is_grid_cut:
        yield from _small_grid(report, run, gpu)
        yield from _tail(report, gpu)


def _block_size(report: KernelReport) -> Iterator[ProfileAdvice]:
    """A block that is no multiple of 32 threads."""
    threads = _product(report.block)
    rest = threads % _WARP
    if rest:
        idle = (1 - rest / _WARP) / math.ceil(threads / _WARP)
        message = f"a block has {quantity(threads, 'thread')}: the last of its warps has {rest} of {_WARP} lanes"
        yield ProfileAdvice(
            LAUNCH, "Block Size", message, "launch__block_size", threads, "a multiple of 32", round(idle, 4)
        )


def _small_grid(report: KernelReport, run: PolicyReport, gpu: Gpu) -> Iterator[ProfileAdvice]:
    """Fewer blocks than multiprocessors; or than twice as many, if blocks wait at barriers."""
    blocks, many = _product(report.grid), gpu.multiprocessors
    if blocks < many:
        message = (
            f"{quantity(blocks, 'block')} for the {many} multiprocessors of a large GPU ({gpu.name}):"
            f" {many - blocks} have nothing to do"
        )
        share = round((many - blocks) / many, 4)
        yield ProfileAdvice(LAUNCH, "Small Grid", message, "launch__grid_size", blocks, f"at least {many}", share)
    elif blocks < 2 * many and any(one.scope is BarrierScope.BLOCK and one.executed for one in run.barriers):
        message = (
            f"{blocks / many:.1f} blocks for each of the {many} multiprocessors of a large GPU ({gpu.name}):"
            " while one waits at a barrier, no other may be there to go on"
        )
        yield ProfileAdvice(LAUNCH, "Small Grid", message, "launch__grid_size", blocks, f"at least {2 * many}", 0.0)


def _tail(report: KernelReport, gpu: Gpu) -> Iterator[ProfileAdvice]:
    """A last wave of blocks that is not full, after so few that it matters."""
    threads = math.ceil(_product(report.block) / _WARP) * _WARP
    at_once = gpu.multiprocessors * min(MOST_BLOCKS, gpu.threads // threads)
    blocks = _product(report.grid)
    if not at_once or blocks < at_once or blocks % at_once == 0:
        return
    whole, rest = divmod(blocks, at_once)
    share = 1 / (whole + 1)
    if share >= LEAST_TAIL:
        message = (
            f"{quantity(whole, 'full wave')} of at most {at_once:,} blocks on a large GPU ({gpu.name}), and one of"
            f" {quantity(rest, 'block')}: up to {100 * share:.0f} % of the time"
        )
        waves = round(blocks / at_once, 2)
        yield ProfileAdvice(
            LAUNCH, "Tail Effect", message, "launch__waves_per_multiprocessor", waves, "a whole number", round(share, 4)
        )


# -- what the run counted ----------------------------------------------------------------------------------------------


def _divergence(report: KernelReport, run: PolicyReport) -> Iterator[ProfileAdvice]:
    """Fewer than 24 of 32 lanes active on the average."""
    lanes = run.thread_instructions / run.warp_instructions
    if report.warp_size == _WARP and lanes < LEAST_THREADS:
        message = f"{lanes:.1f} of {_WARP} lanes are active in an instruction on the average"
        worst = tuple(one.branch for one in run.losses[:MOST_PLACES] if one.branch is not None)
        metric = "smsp__thread_inst_executed_per_inst_executed.ratio"
        share = round(1 - lanes / _WARP, 4)
        yield ProfileAdvice(
            THREAD_DIVERGENCE,
            "Thread Divergence",
            message,
            metric,
            round(lanes, 2),
            f"at least {LEAST_THREADS}",
            share,
            worst,
        )


def _uncoalesced(run: PolicyReport) -> Iterator[ProfileAdvice]:
    """More sectors of global memory than the bytes need."""
    total = sum((traffic(run, MemorySpace.GLOBAL, kind) for kind in AccessUse), RequestCount())
    excess = total.sectors - total.ideal_sectors
    if not total.sectors or excess < LEAST_EXCESS * total.sectors:
        return
    share = excess / total.sectors
    message = f"{excess:,} of {total.sectors:,} sectors of global memory are in excess ({100 * share:.0f} %)"
    yield ProfileAdvice(
        UNCOALESCED,
        "Uncoalesced Global Accesses",
        message,
        "derived__memory_l2_theoretical_sectors_global_excessive",
        excess,
        "0",
        round(share, 4),
        _worst(run, MemorySpace.GLOBAL, tuple(AccessUse), lambda count: count.sectors - count.ideal_sectors),
    )


def _conflicts(run: PolicyReport) -> Iterator[ProfileAdvice]:
    """Conflicts are a tenth of the wavefronts of loads, or of stores, or more."""
    for kind, title, short in (
        (AccessUse.LOAD, "Shared Load Bank Conflicts", "ld"),
        (AccessUse.STORE, "Shared Store Bank Conflicts", "st"),
    ):
        count = traffic(run, MemorySpace.SHARED, kind)
        if not count.bank_passes or count.bank_conflicts < LEAST_CONFLICTS * count.bank_passes:
            continue
        ways, share = count.bank_passes / count.requests, count.bank_conflicts / count.bank_passes
        message = (
            f"{quantity(count.requests, kind.value)} of shared memory take {ways:.1f} passes each:"
            f" {quantity(count.bank_conflicts, 'conflict')}, {100 * share:.0f} % of {count.bank_passes:,} passes"
        )
        yield ProfileAdvice(
            CONFLICTS,
            title,
            message,
            f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{short}.sum",
            count.bank_conflicts,
            "less than 10 % of the wavefronts",
            round(share, 4),
            _worst(run, MemorySpace.SHARED, (kind,), lambda count: count.bank_conflicts),
        )


def _worst(run: PolicyReport, space: MemorySpace, kinds: Sequence[AccessUse], loss: _Loss) -> tuple[SourcePlace, ...]:
    def lost(access: AccessReport) -> int:
        parts = (part.requests for part in access.parts if part.space is space and part.kind in kinds)
        return sum(map(loss, parts))

    ranked = sorted(run.accesses, key=lost, reverse=True)[:MOST_PLACES]
    return tuple(access.place for access in ranked if lost(access) > 0)


def _product(extent: tuple[int, int, int]) -> int:
    x, y, z = extent
    return x * y * z
