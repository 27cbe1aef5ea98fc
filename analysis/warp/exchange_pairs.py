"""All pairs of accesses through which the lanes of a warp exchange data with nothing that orders them.

The rule (`memory_exchange.py`) reports one pair for each array; who inserts barriers has to know them all, and whether
both accesses belong to one pass through the code or to different rounds of a loop.

Method    As for the rule, over the same launches, but whether an access is volatile does not matter.  While a lane is
          walked, the rounds of the loops around its accesses are counted.  Lanes that ran in step would be in the same
          rounds at the same time, so rounds and the order of the program say which of two accesses the author meant to
          come first.
Pairs     A write with a read, or with another write, of the same bytes by another lane of the warp in the same
          interval, in arrays through which no two warps exchange without a barrier.  One access of two lanes is no
          pair: no barrier orders it with itself.
Cost      As the rule, with `BUDGET` operations; only for who asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Load, Store
from analysis.ir.record import record
from analysis.memory.spaces import SpaceResult
from analysis.verdict.slice import Integers
from analysis.verdict.thread_walk import Visit
from analysis.warp.lane_walks import LaneWalks
from analysis.warp.memory_exchange import ExchangeAccess, ExchangeEvent, ExchangeEvents

BUDGET: Final = 400_000
"""Operations of all lanes together."""


@final
@record
class ExchangePair:
    """`first` comes before `second` where lanes run in step; `cycle` is the outermost loop in different rounds of which
    they do, None in one pass."""

    first: Load | Store
    second: Load | Store
    cycle: CycleId | None


@final
@record
class ExchangePairs:
    """`is_complete`: all lanes were followed to their end, and it is known which elements of the arrays they use."""

    pairs: tuple[ExchangePair, ...]
    is_complete: bool


def find_exchange_pairs(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    spaces: SpaceResult,
    knowledge: LaunchKnowledge,
) -> ExchangePairs:
    """In the order of the program."""
    events, watched = ExchangeEvents(function, divergence, spaces).found(control, volatile_only=False)
    targets = tuple(
        block for block, found in events.items() if any(isinstance(event, ExchangeAccess) for event in found)
    )
    if not targets:
        return ExchangePairs((), is_complete=True)
    rounds = _Rounds(control, targets)
    walks = LaneWalks(
        Integers(function, control, divergence), knowledge, targets, {**rounds.watched, **watched}, BUDGET
    )
    pairs: set[tuple[_Position, _Position, CycleId | None]] = set()
    is_complete = True
    ordered = _Order(control)
    for trial in walks.trials():
        lanes = [
            (number, lane, use)
            for number, warp in enumerate(walks.warps(trial))
            for lane, visits in enumerate(warp.visits)
            for use in _uses(visits, events, rounds)
        ]
        if walks.budget <= 0:
            break
        conflicts = list(_conflicts(lanes))
        pairs |= {ordered.pair(one, other) for one, other in conflicts}
        bases = {one.access.base for one, _ in conflicts}
        is_complete &= not any(use.first is None and use.access.base in bases for _, _, use in lanes)
    places = {ordered.of(item): item for block in targets for item in _accesses(events[block])}
    found = (ExchangePair(places[one], places[other], cycle) for one, other, cycle in sorted(pairs, key=_key))
    return ExchangePairs(tuple(found), is_complete and walks.budget > 0 and not walks.has_lost)


_Position: TypeAlias = tuple[int, int]
"""The rank of the block, and the index in it."""
_Base: TypeAlias = tuple[bool, int]


@final
@record
class _Use:
    """One access of one lane; `first` is None where its address cannot be told, `rounds` are those of the loops around
    its block, the outermost first."""

    block: BasicBlockId
    access: ExchangeAccess
    interval: tuple[int, ...]
    first: int | None
    rounds: tuple[tuple[CycleId, int], ...]


_LaneUse: TypeAlias = tuple[int, int, _Use]
"""The warp, the lane in it, and what it does."""


@final
class _Rounds:
    """Which blocks begin a round of which loop around an access."""

    def __init__(self, control: ControlFlow, targets: Sequence[BasicBlockId]) -> None:
        self.around = {
            block: tuple(cycle.id for cycle in reversed(tuple(control.cycles_around(block)))) for block in targets
        }
        self.begun = {control.cycles[cycle].header: cycle for cycles in self.around.values() for cycle in cycles}
        self.watched: Mapping[BasicBlockId, tuple[()]] = dict.fromkeys(self.begun, ())


@final
class _Order:
    """The order of the program among accesses."""

    def __init__(self, control: ControlFlow) -> None:
        self._places = {
            id(item): (control.rank[block], index)
            for block in control.order
            for index, item in enumerate(control.function.blocks[block].instructions)
            if isinstance(item, Load | Store)
        }

    def of(self, access: Load | Store) -> _Position:
        return self._places[id(access)]

    def pair(self, one: _Use, other: _Use) -> tuple[_Position, _Position, CycleId | None]:
        first, second = self.of(one.access.instruction), self.of(other.access.instruction)
        later = dict(other.rounds)
        for cycle, count in one.rounds:
            if later.get(cycle, count) != count:
                return (first, second, cycle) if count < later[cycle] else (second, first, cycle)
        return min(first, second), max(first, second), None


def _uses(
    visits: Sequence[Visit], events: Mapping[BasicBlockId, Sequence[ExchangeEvent]], rounds: _Rounds
) -> Iterator[_Use]:
    """What one lane does, in its order."""
    passed: tuple[int, ...] = ()
    counts: dict[CycleId, int] = {}
    for block, values in visits:
        begun = rounds.begun.get(block)
        if begun is not None:
            counts[begun] = counts.get(begun, 0) + 1
        for event in events.get(block, ()):
            if isinstance(event, int):
                passed = (*passed, event)
                continue
            here = tuple((cycle, counts.get(cycle, 0)) for cycle in rounds.around.get(block, ()))
            yield _Use(block, event, passed, event.offset(values), here)


def _conflicts(lanes: Sequence[_LaneUse]) -> Iterator[tuple[_Use, _Use]]:
    """Each pair once for each two lanes; none in arrays through which two warps exchange."""
    met: dict[tuple[_Base, tuple[int, ...], int], list[_LaneUse]] = {}
    for one in lanes:
        if one[2].first is not None:
            met.setdefault((one[2].access.base, one[2].interval, one[2].first), []).append(one)
    found: list[tuple[_Base, _Use, _Use]] = []
    across: set[_Base] = set()
    for (base, _, _), users in met.items():
        writers = [one for one in users if isinstance(one[2].access.instruction, Store)]
        for warp, lane, write in writers:
            for other_warp, other_lane, use in users:
                is_read = isinstance(use.access.instruction, Load)
                if warp != other_warp:
                    if is_read:
                        across.add(base)
                elif lane != other_lane and use.access.instruction is not write.access.instruction:
                    found.append((base, write, use))
    for base, write, use in found:
        if base not in across:
            yield write, use


def _accesses(events: Sequence[ExchangeEvent]) -> Iterator[Load | Store]:
    for event in events:
        if isinstance(event, ExchangeAccess):
            yield event.instruction


def _key(pair: tuple[_Position, _Position, CycleId | None]) -> tuple[_Position, _Position, int]:
    first, second, cycle = pair
    return first, second, -1 if cycle is None else cycle
