"""Runs a plan, and again with what the run taught, until the choices fit the kernel.

Rules    An array whose length was chosen grows to the accessed extent, up to `MAX_BYTES`; dynamic shared memory
         likewise, up to `MAX_SHARED_BYTES`.  Where an access without a known object goes astray, all arrays grow.
         A chosen block is replaced where threads miss a shared array or a barrier, by the first that fits better,
         unless the run is long.
         A run that does not end in time is tried once more with one block and short loops, or, where the blocks share
         work that no chosen number bounds, as the first of many blocks; likewise one for which arrays would grow beyond
         `MAX_EASY_BYTES`.
         Faults that chosen numbers or contents decide are tried to be mended by other ones (`mending.py`).
         The best run counts: one that ends before one that does not, then the fewest kinds of faults.
Limits   What was given, or is launched so in the file, stays: its faults are the program's.
         An array that grows hides an access past its end: a chosen length claims nothing about the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from analysis.lower.layouts import size_of
from sim.faults import BarrierDivergence, DataRace, Deadlock, Fault, OutOfBounds, UninitialisedRead
from sim.launch.attempt import Attempt
from sim.launch.causes import Causes, names_of
from sim.launch.contents import MAX_BYTES
from sim.launch.mending import MAX_TRIALS, may_have_other_choices, other_choices, still_comes
from sim.launch.planner import Plan, Planner
from sim.launch.shapes import other_blocks
from sim.refusals import LaunchError
from sim.result import Extent, Result

MAX_SHARED_BYTES: Final = 227 << 10
DYNAMIC_SHARED: Final = "dynamic shared memory"
"""What the engine calls all `extern __shared__` arrays together."""
MAX_GROWTHS: Final = 4
MAX_RETRIED_WORK: Final = 200_000
"""In warp instructions: a longer run is not repeated with other blocks."""
MAX_EASY_BYTES: Final = 64 << 20
"""Of all arrays together: to fill more takes longer than most runs."""
MAX_RETRIED_BYTES: Final = 16 << 20
"""Of all arrays: with more, each attempt takes long."""
MAX_TRIED_WORK: Final = 1_000_000
"""Of all attempts with other numbers and contents together."""
STRAY_GROWTH: Final = 8


def run_adapted(planner: Planner, run: Callable[[Plan], Result]) -> tuple[Plan, Result]:
    """The plan that fits best, and its result.  Raises what `run` raises for the first plan."""
    first = planner.plan()
    longest, *before = _grown(planner, run, first, run(first))
    small: Sequence[tuple[Plan, Result]] = ()
    smaller = None if longest[1].truncated is None else planner.smaller(longest[0])
    if smaller is not None:
        small = tuple(_tried(planner, run, smaller))
    best = min((longest, *small, *before), key=badness)
    is_cheap = best[1].truncated is None and best[1].warp_instructions <= MAX_RETRIED_WORK
    if best[0].block.is_chosen and is_cheap and any(map(_blames_block, best[1].faults)):
        for block in other_blocks(best[0].evidence, best[0].block.extent):
            other = replace(best[0].attempt, block=block, lengths={})
            best = min((best, *_tried(planner, run, other)), key=badness)
            if not best[1].faults and best[1].truncated is None:
                break
    return _mended(planner, run, *best)


def share_kept(planner: Planner, plan: Plan) -> float:
    """Of the time of a run: for the attempt that follows where it does not end in time.

    Where fewer blocks are no help, the first run is expected not to.
    """
    smaller = planner.smaller(plan)
    return 0.0 if smaller is None else 0.75 if smaller.is_spread else 0.5


def may_be_mended(causes: Causes, plan: Plan, fault: Fault) -> bool:
    """Whether another attempt may run without it: longer arrays, another block, other choices behind it."""
    if isinstance(fault, OutOfBounds) and not fault.is_null:
        if fault.buffer is None or fault.buffer in plan.arrays:
            return bool(plan.arrays)
        if fault.buffer == DYNAMIC_SHARED and plan.shared_may_grow:
            return True
    return (plan.block.is_chosen and _blames_block(fault)) or _has_other_choices(causes, plan, fault)


def _has_other_choices(causes: Causes, plan: Plan, fault: Fault) -> bool:
    if isinstance(fault, DataRace) or not may_have_other_choices(plan, fault):
        return False
    cause, chosen = causes.of(fault), {choice.name for choice in plan.choices if choice.is_chosen}
    return cause is not None and not chosen.isdisjoint(names_of(cause.own) | names_of(cause.guards))


def grown(plan: Plan, result: Result) -> Attempt | None:
    """The attempt in which chosen arrays are as long as `result` shows that they must be; None where all fit."""
    lengths = {**plan.attempt.lengths, **dict(_lengths(plan, result.extents))}
    shared = _shared(plan, result.extents)
    if any(isinstance(fault, OutOfBounds) and fault.buffer is None and not fault.is_null for fault in result.faults):
        for name, choice in plan.arrays.items():
            size = size_of(choice.element, plan.kernel.function.structs) or 1
            if choice.length * size * STRAY_GROWTH <= MAX_BYTES // STRAY_GROWTH:
                lengths[name] = max(lengths.get(name, 0), choice.length * STRAY_GROWTH)
    if lengths == plan.attempt.lengths and shared == plan.attempt.shared_bytes:
        return None
    return replace(plan.attempt, lengths=lengths, shared_bytes=shared)


def arrays_too_short(plan: Plan, result: Result) -> frozenset[str]:
    """Those whose length was chosen and that accesses reach past, at that end only: the choice does not fit."""
    return frozenset(name for name, _ in _lengths(plan, result.extents) if result.extents[name].low >= 0)


def is_shared_short(plan: Plan, result: Result) -> bool:
    """The same for dynamic shared memory: its size was chosen, and a larger one would do."""
    return _shared(plan, result.extents) > plan.specification.dynamic_shared_bytes


def _tried(planner: Planner, run: Callable[[Plan], Result], attempt: Attempt) -> Iterator[tuple[Plan, Result]]:
    """The run of another attempt; nothing where that does not fit into memory or time."""
    try:
        plan = planner.plan(attempt)
        result = run(plan)
    except LaunchError:
        return
    yield min(_grown(planner, run, plan, result), key=badness)


def _grown(planner: Planner, run: Callable[[Plan], Result], plan: Plan, result: Result) -> list[tuple[Plan, Result]]:
    """The plan with arrays long enough, as far as there is room; where that is cut off, then the one before."""
    before: list[tuple[Plan, Result]] = []
    for _ in range(MAX_GROWTHS):
        attempt = grown(plan, result) if result.faults and result.truncated is None else None
        if attempt is None:
            break
        if _bytes(plan, attempt) > MAX_EASY_BYTES:
            attempt = planner.smaller(plan) or attempt
        try:
            longer = planner.plan(attempt)
            last = run(longer)
        except LaunchError:
            break
        before = [(plan, result)] if last.truncated is not None else []
        plan, result = longer, last
    return [(plan, result), *before]


def _bytes(plan: Plan, attempt: Attempt) -> int:
    """Of all arrays whose length was chosen."""
    structs = plan.kernel.function.structs
    return sum(
        attempt.lengths.get(name, choice.length) * (size_of(choice.element, structs) or 1)
        for name, choice in plan.arrays.items()
    )


def _mended(planner: Planner, run: Callable[[Plan], Result], plan: Plan, result: Result) -> tuple[Plan, Result]:
    """The plan with other choices for those behind its faults, as long as each does away with some."""
    trials, work = MAX_TRIALS, MAX_TRIED_WORK
    pending = _other_choices(planner, plan, result)
    while trials > 0 and work > 0 and result.faults and result.truncated is None:
        attempt = next(pending, None)
        if attempt is None:
            break
        trials -= 1
        for other in _tried(planner, run, attempt):
            work -= other[1].warp_instructions
            if badness(other) < badness((plan, result)) and still_comes(planner.flow, plan, result, other[1]):
                plan, result = other
                pending = _other_choices(planner, plan, result)
    return plan, result


def _other_choices(planner: Planner, plan: Plan, result: Result) -> Iterator[Attempt]:
    is_long = result.truncated is not None or result.warp_instructions > MAX_RETRIED_WORK
    is_large = sum(array.nbytes for array in result.arrays.values()) > MAX_RETRIED_BYTES
    return iter(()) if is_long or is_large else other_choices(planner.flow, plan, result)


def _lengths(plan: Plan, extents: Mapping[str, Extent]) -> Iterator[tuple[str, int]]:
    for name, choice in plan.arrays.items():
        extent = extents.get(name)
        size = size_of(choice.element, plan.kernel.function.structs) or 1
        if extent is not None and choice.length * size < extent.high <= MAX_BYTES:
            yield name, -(-extent.high // size)


def _shared(plan: Plan, extents: Mapping[str, Extent]) -> int:
    """Dynamic shared memory that is large enough."""
    extent = extents.get(DYNAMIC_SHARED)
    if not plan.shared_may_grow or extent is None or extent.high > MAX_SHARED_BYTES:
        return plan.attempt.shared_bytes
    return max(plan.attempt.shared_bytes, extent.high)


def _blames_block(fault: Fault) -> bool:
    """Whether another block may help: shared arrays and barriers are made for one."""
    return isinstance(fault, OutOfBounds | UninitialisedRead | BarrierDivergence | Deadlock)


def badness(run: tuple[Plan, Result]) -> tuple[bool, int]:
    """The least counts."""
    return run[1].truncated is not None, len(run[1].faults)
