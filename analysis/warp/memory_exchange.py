"""Lanes of a warp that exchange data through volatile shared memory, with nothing that orders them.

Code from before compute capability 7.0 relies on the lanes of a warp running in step: `volatile` keeps the compiler
from holding values in registers, and nothing keeps a lane from running ahead of another.

Method    All lanes of the first two warps are walked past the accesses to shared memory whose addresses follow from
          thread indices, constants and arguments (`lane_walks.py`).  What a lane does between two operations at which
          lanes wait for each other is one *interval*; two lanes are in the same interval when they have passed the
          same operations.
Problem   One lane writes and another one of its warp reads the same bytes in the same interval, and one of the two
          accesses is volatile.
Quiet     Fences, exchanges, votes and whatever is not understood count as ordering.  A pair of lanes of different warps
          is no matter of this analysis: where one meets as well, a block barrier is missing, and nothing is said here.
Tiers     PROVEN in every launch tried in which the accesses come; else POSSIBLE.  Of functions whose callers are not
          known nothing is said: their arguments may differ from lane to lane.
Source    CUDA C++ Programming Guide, "Independent Thread Scheduling".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Bitcast,
    BlockBarrier,
    Call,
    Convert,
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
from analysis.verdict.thread_walk import Visit
from analysis.warp.lane_walks import LaneWalks, WalkedWarp
from analysis.warp.model import WarpCase, WarpProblem, WarpProblemKind

ORDERING: Final = (
    BlockBarrier
    | NamedBarrier
    | PhaseWait
    | WarpBarrier
    | GridBarrier
    | Fence
    | Shuffle
    | Vote
    | Match
    | WarpReduce
    | Call
    | Opaque
    | Atomic
)
MAX_ACCESSES: Final = 120

_Base: TypeAlias = SymbolId | ValueId


@final
@record
class ExchangeAccess:
    """`offset` of a lane: the sum of the values times their factors, at these positions of what is watched."""

    instruction: Load | Store
    base: tuple[bool, int]
    terms: tuple[tuple[int, int], ...]
    width: int

    def offset(self, values: Sequence[int | None]) -> int | None:
        """In bytes, for a lane with these values; None where one that it needs is not known."""
        parts = [(values[position], size) for position, size in self.terms]
        known = [value * size for value, size in parts if value is not None]
        return sum(known) if len(known) == len(parts) else None


@final
@record
class _Use:
    """One lane's access in one interval: the bytes from `first`."""

    access: ExchangeAccess
    interval: tuple[int, ...]
    first: int


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
    if not targets:
        return
    walks = LaneWalks(Integers(function, control, divergence), knowledge, targets, watched)
    found: dict[tuple[bool, int], tuple[WalkedWarp, _Use, _Use, int]] = {}
    wrong: dict[tuple[bool, int], int] = {}
    trials = 0
    for trial in walks.trials():
        uses = [(walked, _uses(walked.visits, events)) for walked in walks.warps(trial)]
        if walks.budget <= 0:
            break
        trials += any(any(lane) for _, lanes in uses for lane in lanes)
        for base, case in _conflicts(uses).items():
            found.setdefault(base, case)
            wrong[base] = wrong.get(base, 0) + 1
    for base, (walked, first, second, lane) in found.items():
        is_proven = wrong[base] == trials and walks.budget > 0 and not walks.rests_on_unknown_shape
        launch = walked.trial.launch
        case = WarpCase(launch.shape, walked.warp, (), 0, 0, 1 << lane)
        tier = Tier.PROVEN if is_proven else Tier.POSSIBLE
        block = _block_of(function, second.access.instruction)
        yield WarpProblem(
            WarpProblemKind.UNORDERED,
            block,
            second.access.instruction,
            tier,
            case,
            (),
            other=first.access.instruction.span,
        )


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
        watched: dict[BasicBlockId, tuple[ValueId, ...]] = {}
        count = number = 0
        is_wanted = not volatile_only
        for block in control.order:
            wanted: dict[ValueId, int] = {}
            here: list[ExchangeEvent] = []
            for item in self._function.blocks[block].instructions:
                if isinstance(item, ORDERING):
                    number += 1
                    here.append(number)
                elif isinstance(item, Load | Store) and self._spaces.space(item.address) is MemorySpace.SHARED:
                    access = self._access(item, wanted)
                    if access is not None:
                        here.append(access)
                        is_wanted |= item.volatile
                        count += 1
            if here:
                events[block] = here
                watched[block] = tuple(wanted)
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


def _uses(
    visits: Sequence[Sequence[Visit]], events: Mapping[BasicBlockId, Sequence[ExchangeEvent]]
) -> list[list[_Use]]:
    """What each lane does, in its order; accesses whose address cannot be told are left out."""
    lanes: list[list[_Use]] = []
    for lane in visits:
        passed: tuple[int, ...] = ()
        uses: list[_Use] = []
        for block, values in lane:
            for event in events.get(block, ()):
                if isinstance(event, int):
                    passed = (*passed, event)
                    continue
                first = event.offset(values)
                if first is not None:
                    uses.append(_Use(event, passed, first))
        lanes.append(uses)
    return lanes


_Walked: TypeAlias = tuple[WalkedWarp, list[list[_Use]]]


def _conflicts(warps: Sequence[_Walked]) -> dict[tuple[bool, int], tuple[WalkedWarp, _Use, _Use, int]]:
    """For each array the first unordered pair, with the lane that comes second; none where two warps conflict too."""
    found: dict[tuple[bool, int], tuple[WalkedWarp, _Use, _Use, int]] = {}
    across: set[tuple[bool, int]] = set()
    writers: dict[tuple[tuple[bool, int], tuple[int, ...], int], list[tuple[int, int, _Use]]] = {}
    for number, (_, lanes) in enumerate(warps):
        for lane, uses in enumerate(lanes):
            for use in uses:
                if isinstance(use.access.instruction, Store):
                    key = use.access.base, use.interval, use.first
                    writers.setdefault(key, []).append((number, lane, use))
    for number, (walked, lanes) in enumerate(warps):
        for lane, uses in enumerate(lanes):
            for use in uses:
                if not isinstance(use.access.instruction, Load):
                    continue
                for warp, other, write in writers.get((use.access.base, use.interval, use.first), ()):
                    if warp != number:
                        across.add(use.access.base)
                    elif other != lane and (write.access.instruction.volatile or use.access.instruction.volatile):
                        found.setdefault(use.access.base, (walked, write, use, lane))
    return {base: case for base, case in found.items() if base not in across}


def _block_of(function: Function, wanted: Load | Store) -> BasicBlockId:
    return next(
        BasicBlockId(number)
        for number, block in enumerate(function.blocks)
        if any(item is wanted for item in block.instructions)
    )
