"""Other choices for those behind a fault, so that what stays is the program's and not ours.

Rules    Numbers that decide where the access goes come first: one more, twice, half; a multiple of 128 where an access
         is misaligned.  Then contents that decide it: integers that grow from element to element, as those do that are
         searched and merged.  Then extents of the launch and powers of two, and numbers that decide who comes there.
         Only what was chosen is replaced, and never by 0 or less: an index that is wrong for every size stays a fault.
         An attempt counts only if about as many threads come to every place that had a fault: to keep them away mends
         nothing.
Limits   One name after the other, each in front of the best choices so far, of contents at last all together; at most
         `MAX_TRIALS` attempts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Final

from analysis.inputs.array_uses import Role
from analysis.inputs.flow import Flow
from analysis.ir.source import Span
from analysis.ir.types import IntegerType
from sim.faults import DataRace, FailedAssertion, Fault, MachineFault, Misaligned, OutOfBounds, UninitialisedRead
from sim.launch.attempt import Attempt
from sim.launch.causes import Causes
from sim.launch.contents import ArrayChoice
from sim.launch.planner import Plan
from sim.result import Result
from sim.specification import Filling

MAX_TRIALS: Final = 24
ALIGNED: Final = 128
MOST_AWAY: Final = 4
"""At least a quarter of the threads still come."""
_DECIDED: Final = (OutOfBounds, Misaligned, UninitialisedRead, FailedAssertion)
_NEAR: Final = 3
"""Of the numbers to try so many are near to the one that was chosen."""
_POWERS: Final = (1, 2, 4, 8, 16, 32, 64)


def may_have_other_choices(plan: Plan, fault: Fault) -> bool:
    """Whether numbers or contents were chosen that may be behind the fault."""
    if not isinstance(fault, _DECIDED) or (isinstance(fault, OutOfBounds) and fault.is_null):
        return False
    return any(choice.is_chosen for choice in plan.choices if choice.name not in ("grid", "block", "shared"))


def other_choices(flow: Flow, plan: Plan, result: Result) -> Iterator[Attempt]:
    """Attempts that change one choice each, the likeliest first."""
    causes = Causes(flow)
    found = [cause for fault in _decided(plan, result) if (cause := causes.of(fault)) is not None]
    direct = {name for cause in found for name in cause.own.numbers}
    guards = {name for cause in found for name in cause.guards.numbers} - direct
    contents = {name for cause in found for name in cause.own.contents}
    attempt = replace(plan.attempt, lengths={})
    is_misaligned = all(isinstance(fault, Misaligned) for fault in _decided(plan, result))
    for names in (direct, guards):
        replaced = sorted(names & _chosen_numbers(flow, plan))
        pairs = iter(_multiples(plan, replaced) if is_misaligned else _in_turns(plan, replaced))
        for name, number in islice(pairs, _NEAR * len(replaced)):
            yield replace(attempt, numbers={**attempt.numbers, name: number})
        unordered = sorted(name for name in contents - attempt.ascending if _is_unordered(plan.arrays.get(name)))
        together = [unordered] if len(unordered) > 1 else []
        for growing in [*([name] for name in unordered), *together] if names is direct else ():
            yield replace(attempt, ascending=attempt.ascending | set(growing))
        for name, number in pairs:
            yield replace(attempt, numbers={**attempt.numbers, name: number})


def still_comes(flow: Flow, plan: Plan, before: Result, after: Result) -> bool:
    """Whether about as many threads still come to every place that had a fault."""
    own = {fault.evidence.span for fault in _decided(plan, before) if fault.evidence.function == str(flow.function.id)}
    came, come = _threads_at(before), _threads_at(after)
    return all(MOST_AWAY * come.get(span, 0) >= came.get(span, 0) for span in own)


def _threads_at(result: Result) -> Mapping[Span, int]:
    return {count.span: count.thread_instructions for count in result.instructions}


def _decided(plan: Plan, result: Result) -> Sequence[MachineFault]:
    return [fault for fault in result.faults if not isinstance(fault, DataRace) and may_have_other_choices(plan, fault)]


def _chosen_numbers(flow: Flow, plan: Plan) -> set[str]:
    return {one.name for one in plan.choices if one.is_chosen and isinstance(flow.leaves.get(one.name), IntegerType)}


def _is_unordered(choice: ArrayChoice | None) -> bool:
    if choice is None:
        return False
    is_random = choice.filling is Filling.RANDOM and isinstance(choice.element, IntegerType)
    return is_random and choice.limits.roles.get((), Role.DATA) not in (Role.OFFSETS, Role.LINK)


def _multiples(plan: Plan, names: Sequence[str]) -> Sequence[tuple[str, int]]:
    """Rows start aligned where their length is a multiple of what is accessed at once; the nearest first."""
    found = [(name, _now(plan, name)) for name in names]
    found.sort(key=lambda one: (ALIGNED - one[1] % ALIGNED) / max(1, one[1]))
    return [(name, now + ALIGNED - now % ALIGNED) for name, now in found if now % ALIGNED]


def _in_turns(plan: Plan, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    numbers = [[(name, number) for number in _numbers(plan, name)] for name in names]
    return (pair for pairs in zip_longest(*numbers) for pair in pairs if pair is not None)


def _numbers(plan: Plan, name: str) -> Iterator[int]:
    """Other values of a number: what it is near to, extents of the launch, powers of two."""
    now = _now(plan, name)
    grid, block = plan.grid.extent, plan.block.extent
    near = (now + 1, now * 2, now // 2)
    extents = (block[0], grid[0], block[0] * grid[0], block[1], grid[1], plan.block.threads)
    yield from dict.fromkeys(number for number in (*near, *extents, *_POWERS) if number > 0 and number != now)


def _now(plan: Plan, name: str) -> int:
    return next(int(choice.value) for choice in plan.choices if choice.name == name)
