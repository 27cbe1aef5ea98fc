"""Lanes of a warp that exchange data through volatile shared memory, with nothing that orders them.

Code from before compute capability 7.0 relies on the lanes of a warp running in step: `volatile` keeps the compiler
from holding values in registers, and nothing keeps a lane from running ahead of another.

Method    All lanes of the first two warps are walked past the accesses to shared memory whose addresses follow from
          thread indices, constants and arguments (`lane_walks.py`).  What a lane does between two operations at which
          lanes wait for each other is one *interval*; two lanes are in the same interval when they have passed the
          same operations.
Problem   One lane writes and another one of its warp reads the same bytes in the same interval, and one of the two
          accesses is volatile.
Cost      Nobody is walked where no interval can hold a write and a read of one array.
Quiet     Fences, exchanges, votes and whatever is not understood count as ordering.  A pair of lanes of different warps
          is no matter of this analysis: where one meets as well, a block barrier is missing, and nothing is said here.
Tiers     PROVEN in every launch tried in which the accesses come; else POSSIBLE.  Of functions whose callers are not
          known nothing is said: their arguments may differ from lane to lane.
Source    CUDA C++ Programming Guide, "Independent Thread Scheduling".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import ENTRY, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Bitcast,
    BlockBarrier,
    Call,
    Convert,
    DeviceLaunch,
    ElementAddress,
    Fence,
    FieldAddress,
    GridBarrier,
    Load,
    Match,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Shuffle,
    Store,
    SymbolAddress,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.record import record
from analysis.ir.types import MemorySpace, PointerType
from analysis.lower.layouts import size_of
from analysis.memory.spaces import SpaceResult
from analysis.verdict.barriers import Tier
from analysis.verdict.slice import Integers
from analysis.warp.lane_walks import LaneWalks, WalkedWarp
from analysis.warp.model import WarpCase, WarpProblem, WarpProblemKind

ORDERING: Final = (
    BlockBarrier,
    NamedBarrier,
    PhaseWait,
    WarpBarrier,
    GridBarrier,
    Fence,
    Shuffle,
    Vote,
    Match,
    WarpReduce,
    Call,
    DeviceLaunch,
    Opaque,
    Atomic,
)
MAX_ACCESSES: Final = 120

_Base: TypeAlias = tuple[bool, int]
"""Whether it is a variable, and the number of the variable or of the pointer."""


@final
@record
class ExchangeAccess:
    """`offset` of a lane: the sum of the values times their factors, at these positions of what is watched."""

    instruction: Load | Store
    base: _Base
    terms: tuple[tuple[int, int], ...]
    width: int

    def offset(self, values: Sequence[int | None]) -> int | None:
        """In bytes, for a lane with these values; None where one that it needs is not known."""
        offset = 0
        for position, size in self.terms:
            value = values[position]
            if value is None:
                return None
            offset += value * size
        return offset


ExchangeEvent: TypeAlias = ExchangeAccess | int
"""An access, or the number of an ordering instruction."""


def find_unordered_exchanges(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    spaces: SpaceResult,
    knowledge: LaunchKnowledge,
) -> Iterator[WarpProblem]:
    """One problem for each array: the first pair of accesses that nothing orders."""
    events, watched = ExchangeEvents(function, divergence, spaces).found(control)
    targets = tuple(
        block for block, found in events.items() if any(isinstance(event, ExchangeAccess) for event in found)
    )
    meeting = _without_ordered(control, events)
    if not meeting:
        return
    walks = LaneWalks(Integers(function, control, divergence), knowledge, targets, watched)
    found: dict[_Base, _Conflict] = {}
    wrong: dict[_Base, int] = {}
    trials = 0
    for trial in walks.trials():
        warps = list(walks.warps(trial))
        if walks.budget <= 0:
            break
        trials += _some_come(warps, events)
        for base, conflict in _conflicts(warps, meeting).items():
            found.setdefault(base, conflict)
            wrong[base] = wrong.get(base, 0) + 1
    for base, conflict in found.items():
        is_proven = wrong[base] == trials and walks.budget > 0 and not walks.rests_on_unknown_shape
        walked, read = conflict.walked, conflict.read.instruction
        case = WarpCase(walked.trial.launch.shape, walked.warp, (), 0, 0, 1 << conflict.lane)
        tier = Tier.PROVEN if is_proven else Tier.POSSIBLE
        other = conflict.write.instruction.span
        yield WarpProblem(WarpProblemKind.UNORDERED, _block_of(function, read), read, tier, case, (), other=other)


@final
class ExchangeEvents:
    """What happens in each block that matters: accesses to shared memory and what orders them."""

    def __init__(self, function: Function, divergence: DivergenceResult, spaces: SpaceResult) -> None:
        self._function = function
        self._divergence = divergence
        self._spaces = spaces

    def found(
        self, control: ControlFlow, *, volatile_only: bool = True
    ) -> tuple[Mapping[BasicBlockId, Sequence[ExchangeEvent]], Mapping[BasicBlockId, tuple[ValueId, ...]]]:
        """Nothing where there are too many accesses, and where none is volatile unless that does not matter."""
        events: dict[BasicBlockId, list[ExchangeEvent]] = {}
        count = number = 0
        is_wanted = not volatile_only
        wanted: defaultdict[BasicBlockId, dict[ValueId, int]] = defaultdict(dict)
        for block, _, item in control.placed(Load, Store, *ORDERING):
            if not isinstance(item, Load | Store):
                number += 1
                events.setdefault(block, []).append(number)
            elif self._spaces.space(item.address) is MemorySpace.SHARED:
                access = self._access(item, wanted[block])
                if access is not None:
                    events.setdefault(block, []).append(access)
                    is_wanted |= item.volatile
                    count += 1
        watched = {block: tuple(wanted[block]) for block in events}
        return (events, watched) if is_wanted and count <= MAX_ACCESSES else ({}, {})

    def _access(self, item: Load | Store, wanted: dict[ValueId, int]) -> ExchangeAccess | None:
        value = item.value if isinstance(item, Store) else item.result
        width = size_of(self._function.types[value], self._function.structs)
        if width is None:
            return None
        terms: list[tuple[int, int]] = []
        address = item.address
        while True:
            match self._divergence.definition(address):
                case SymbolAddress(symbol=symbol):
                    return ExchangeAccess(item, (True, symbol), tuple(terms), width)
                case ElementAddress(result=result, base=base, index=index):
                    pointer = self._function.types[result]
                    size = (
                        size_of(pointer.element, self._function.structs) if isinstance(pointer, PointerType) else None
                    )
                    if size is None:
                        return None
                    terms.append((wanted.setdefault(index, len(wanted)), size))
                    address = base
                case Convert(operand=operand) | Bitcast(operand=operand):  # another type, the same bytes
                    address = operand
                case FieldAddress():
                    return None
                case _:
                    return ExchangeAccess(item, (False, address), tuple(terms), width)


@final
@record
class _Conflict:
    """An unordered pair; `lane` is the one that reads."""

    walked: WalkedWarp
    write: ExchangeAccess
    read: ExchangeAccess
    lane: int


_Events: TypeAlias = Mapping[BasicBlockId, Sequence[ExchangeEvent]]


def _without_ordered(control: ControlFlow, events: _Events) -> _Events:
    """Without the accesses to an array that never come into one interval with one that could be their partner.

    Empty where none of what is left is volatile.
    """
    places = ((block, index) for block, found in events.items() for index in range(len(found)))
    starts = [(block, index + 1) for block, index in places if isinstance(events[block][index], int)]
    meeting: dict[_Base, set[int]] = {}
    volatile: set[_Base] = set()
    for start in [(ENTRY, 0), *starts]:
        by_base: dict[_Base, list[ExchangeAccess]] = {}
        for access in _behind(control, events, *start):
            by_base.setdefault(access.base, []).append(access)
        for base, found in by_base.items():
            if len({isinstance(access.instruction, Store) for access in found}) == 2:
                meeting.setdefault(base, set()).update(id(access) for access in found)
                if any(access.instruction.volatile for access in found):
                    volatile.add(base)
    kept = set[int]().union(*(meeting[base] for base in volatile))
    if not kept:
        return {}
    return {
        block: [event for event in found if isinstance(event, int) or id(event) in kept]
        for block, found in events.items()
    }


def _behind(control: ControlFlow, events: _Events, block: BasicBlockId, first: int) -> Iterator[ExchangeAccess]:
    """The accesses that a lane may come to from there, in front of everything that orders."""
    seen, waiting = set[BasicBlockId](), [(block, first)]
    while waiting:
        block, first = waiting.pop()
        for event in events.get(block, ())[first:]:
            if isinstance(event, int):
                break
            yield event
        else:
            for target in control.successors[block]:
                if target not in seen:
                    seen.add(target)
                    waiting.append((target, 0))


_Place: TypeAlias = tuple[_Base, int, int]
"""Bytes from an offset of an array, in an interval."""
_Write: TypeAlias = tuple[int, int, ExchangeAccess]
"""The warp and the lane."""
_Read: TypeAlias = tuple[int, int, ExchangeAccess, _Place]


def _some_come(warps: Sequence[WalkedWarp], events: _Events) -> bool:
    """Does any lane come to an access whose address can be told?"""
    return any(
        not isinstance(event, int) and event.offset(values) is not None
        for walked in warps
        for visits in walked.visits
        for block, values in visits
        for event in events.get(block, ())
    )


def _conflicts(warps: Sequence[WalkedWarp], events: _Events) -> Mapping[_Base, _Conflict]:
    """For each array the first unordered pair; none where two warps conflict too."""
    writers, reads = _uses(warps, events)
    found: dict[_Base, _Conflict] = {}
    across: set[_Base] = set()
    for number, lane, read, place in reads:
        for warp, other, write in writers.get(place, ()):
            if warp != number:
                across.add(read.base)
            elif other != lane and (write.instruction.volatile or read.instruction.volatile) and read.base not in found:
                found[read.base] = _Conflict(warps[number], write, read, lane)
    return {base: conflict for base, conflict in found.items() if base not in across}


def _uses(warps: Sequence[WalkedWarp], events: _Events) -> tuple[dict[_Place, list[_Write]], list[_Read]]:
    """What each lane does, in its order; accesses whose address cannot be told are left out."""
    writers: dict[_Place, list[_Write]] = {}
    reads: list[_Read] = []
    # Numbers of intervals, by the one before and the operation between them; 0 is the first one.
    intervals: dict[tuple[int, int], int] = {}
    for number, walked in enumerate(warps):
        for lane, visits in enumerate(walked.visits):
            interval = 0
            for block, values in visits:
                for event in events.get(block, ()):
                    if isinstance(event, int):
                        interval = intervals.setdefault((interval, event), len(intervals) + 1)
                        continue
                    first = event.offset(values)
                    if first is None:
                        continue
                    place = event.base, interval, first
                    if isinstance(event.instruction, Store):
                        writers.setdefault(place, []).append((number, lane, event))
                    else:
                        reads.append((number, lane, event, place))
    return writers, reads


def _block_of(function: Function, wanted: Load | Store) -> BasicBlockId:
    return next(
        BasicBlockId(number)
        for number, block in enumerate(function.blocks)
        if any(item is wanted for item in block.instructions)
    )
