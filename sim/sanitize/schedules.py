"""Which schedules may matter to a kernel, and does what it leaves in memory depend on them?

Rules     The last warp first, where there are several: what is written last, and by whom, changes.
          Lanes that run in turns, where a warp has split: what one side of a branch leaves to the other changes.
          More of both where threads talk to each other: atomics, volatile accesses, operations of warps, or a race.
          Without any of these and without a race, threads that never meet leave the same memory in every order.
Allowed   Sums of floating-point numbers by atomics are rounded in the order in which they come: a difference within
          `ROUNDING` of the largest number in the array is none.
          What else goes through atomics may be meant to depend on the order (who gets which place of a list): a note.
Not asked Where the kernel reads a clock or allocates memory, whose addresses depend on who comes first, and where a run
          ended in faults other than races: these are told already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.instructions import (
    Allocate,
    Atomic,
    Fence,
    Instruction,
    Load,
    Match,
    NamedBarrier,
    PhaseWait,
    ReadSpecial,
    Shuffle,
    Store,
    Vote,
    WarpReduce,
)
from analysis.ir.operators import AtomicOperator, SpecialRegister
from analysis.ir.record import record
from sim.equivalence.differences import memory_difference
from sim.equivalence.model import MemoryDiffers
from sim.kernel import Kernel
from sim.policies.round_robin import RoundRobin
from sim.report.races import DATA_RACE, SAME_VALUE
from sim.result import Result
from sim.sanitize.model import Schedule
from sim.sanitize.trials import PLAIN, Trial
from sim.specification import WarpOrder

LAST_FIRST: Final = Schedule(PLAIN.policy, WarpOrder.LAST_ALONE)
FIRST_ALONE: Final = Schedule(PLAIN.policy, WarpOrder.FIRST_ALONE)
IN_TURNS: Final = Schedule(RoundRobin.name)
IN_TURNS_LAST_FIRST: Final = Schedule(RoundRobin.name, WarpOrder.LAST_ALONE)
DEPTH_FIRST: Final = Schedule("path-list-depth")
ROUNDING: Final = 1e-4

_CLOCKS: Final = (SpecialRegister.CLOCK, SpecialRegister.GLOBAL_TIMER)
_TALK: Final = (Atomic, Fence, Match, NamedBarrier, PhaseWait, Shuffle, Vote, WarpReduce)
_HARMLESS: Final = (SAME_VALUE, "left-out-launch")


def schedules_for(trial: Trial) -> Iterator[Schedule]:
    """Besides the plainest, under which `trial` ran; the most telling first."""
    has_split = any(branch.diverged for branch in trial.result.branches)
    may_pass = any(report.kind == "illegal-warp-mask" for report in trial.reports)
    if has_split or may_pass or is_stuck(trial) or not trial.has_ended:
        yield IN_TURNS
    if is_stuck(trial):
        return  # nothing that could be compared is left in memory
    if trial.warps > 1:
        yield LAST_FIRST
    if talks(trial):
        if trial.warps > 1:
            yield FIRST_ALONE
        if has_split:
            yield DEPTH_FIRST
            if trial.warps > 1:
                yield IN_TURNS_LAST_FIRST


def is_stuck(trial: Trial) -> bool:
    """Whether threads wait for ever."""
    return any(report.kind in ("livelock", "deadlock") for report in trial.reports)


def talks(trial: Trial) -> bool:
    """Whether threads may learn of each other in another way than over barriers."""
    if any(report.kind == DATA_RACE for report in trial.reports):
        return True
    return any(
        isinstance(one, _TALK)
        or (isinstance(one, Load | Store) and one.volatile)
        or (isinstance(one, ReadSpecial) and one.register is SpecialRegister.ACTIVE_MASK)
        for one in _instructions(trial.plan.kernel)
    )


class Reason(Enum):
    """Why what is left depends on the schedule."""

    RACE = "race"
    EXCHANGE = "exchange"
    """No race: atomics, volatile accesses or operations of warps tell threads of each other."""
    UNKNOWN = "unknown"


@final
@record
class Dependence:
    """The launch of `first` left something else under `schedule`."""

    first: Trial
    schedule: Schedule
    difference: MemoryDiffers
    reason: Reason


def dependence(first: Trial, second: Trial) -> Dependence | None:
    """Of what one launch leaves on its schedule; None where nothing that counts differs, or nothing can be said."""
    if not (first.has_ended and second.has_ended) or first.result.memory_digest == second.result.memory_digest:
        return None
    kernel = first.plan.kernel
    if any(map(_differs_anyway, _instructions(kernel))):
        return None
    kinds = {report.kind for trial in (first, second) for report in trial.reports if report.kind not in _HARMLESS}
    difference = memory_difference(first.result, second.result)
    if kinds - {DATA_RACE} or difference is None:
        return None
    if not kinds and _is_rounding(kernel, first.result, second.result):
        return None
    reason = Reason.RACE if kinds else Reason.EXCHANGE if talks(first) else Reason.UNKNOWN
    return Dependence(first.without_memory, second.schedule, difference, reason)


def _differs_anyway(one: Instruction) -> bool:
    return isinstance(one, Allocate) or (isinstance(one, ReadSpecial) and one.register in _CLOCKS)


def _is_rounding(kernel: Kernel, first: Result, second: Result) -> bool:
    """Whether all that differs are floating-point numbers, by little, and atomics add such numbers."""
    if not any(isinstance(one, Atomic) and one.operator in _SUMS for one in _instructions(kernel)):
        return False
    return all(
        _is_near(one, other)
        for group, others in ((first.arrays, second.arrays), (first.variables, second.variables))
        for one, other in _pairs(group, others)
    )


_SUMS: Final = (AtomicOperator.ADD, AtomicOperator.SUBTRACT, AtomicOperator.COMPARE_AND_SWAP)


def _pairs(
    group: Mapping[str, NDArray[Any]], others: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for name, one in group.items():
        other = others[name]
        if one.tobytes() != other.tobytes():
            yield one, other


def _is_near(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.dtype.kind != "f":
        return False
    largest = float(np.nanmax(np.abs(one))) if one.size and not np.isnan(one).all() else 0.0
    return bool(np.allclose(one, other, rtol=ROUNDING, atol=ROUNDING * largest, equal_nan=True))


def _instructions(kernel: Kernel) -> Iterator[Instruction]:
    for function in (kernel.function, *kernel.callees.values()):
        for _, one in function.instructions():
            yield one
