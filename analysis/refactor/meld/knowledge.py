"""What the IR says about the text of one function: prices, effects and types of what stands between two bytes.

Prices    issue slots (`analysis.verdict.weights`) times the rounds of the loops around, of every instruction whose text
          lies in the range; instructions of inlined callees count for the call.  They come from one call context.
Types     of an expression in every call context, so that two operands that are said to have equal types have them in
          every instance of a template.
Limits    At most `MAX_VIEWS` call contexts are asked.  A variable that shares its name with another one of another
          type has no known type.
Cost      O(instructions) once per context; then what lies in the ranges that are asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias, final

from analysis.facts.merge import FrameView
from analysis.facts.object_ends import object_ends
from analysis.ir.function import Expression, SymbolKind
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import (
    Allocate,
    Atomic,
    Binary,
    Branch,
    Call,
    Constant,
    Convert,
    DeviceLaunch,
    Instruction,
    Jump,
    Load,
    Opaque,
    Print,
    Return,
    Store,
    Switch,
    Terminator,
    Texture,
    Trap,
    ValueId,
)
from analysis.ir.operators import AtomicOperator, BinaryOperator
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, Span
from analysis.ir.types import ArrayType, FloatType, PointerType, Type
from analysis.meld.model import MeldObstacle
from analysis.meld.obstacles import POSSIBLE_OBSTACLES, obstacle_in
from analysis.refactor.meld.model import Obstacle
from analysis.refactor.meld.terms import Effect
from analysis.verdict.latency import is_issued, terminator_latency
from analysis.verdict.loops import only_waits

MAX_VIEWS: Final = 6
_HINDERING: Final = POSSIBLE_OBSTACLES | {Atomic}
_LOCKING: Final = frozenset({AtomicOperator.COMPARE_AND_SWAP, AtomicOperator.EXCHANGE})
_CHANGES: Final = Effect.CHANGES | Effect.LOADS


@final
class Price(NamedTuple):
    """Issue slots of one instruction in all rounds, at a range of the text.

    `issued`: the times that a warp issues it, whatever its slots.  A tuple, because passages compare many of them.
    """

    start: int
    end: int
    slots: float
    issued: float
    rounds: float
    effects: Effect

    def in_rounds(self, rounds: float) -> Price:
        """The price if it runs as many times at least."""
        if self.rounds >= rounds:
            return self
        more = rounds / self.rounds
        return Price(self.start, self.end, self.slots * more, self.issued * more, rounds, self.effects)


@final
@record
class Hindrance:
    """An instruction that no melded arm may contain."""

    start: int
    end: int
    obstacle: Obstacle
    message: str


@final
class Knowledge:
    """Facts of one function in the contexts in which it is called; prices are those of one of them.

    Everything is worked out when it is first asked for: most branches are refused before much of it is.
    """

    def __init__(self, views: Sequence[FrameView], priced: FrameView) -> None:
        self._views = views[:MAX_VIEWS]
        self._priced = priced
        self._placed: dict[int, _Placed] = {}

    def hindrance(self, extent: Span) -> Hindrance | None:
        """The first instruction of the range that no melded arm may contain."""
        found = [one for view in self._views for one in self._placed_in(view).hindrances(extent)]
        return min(found, key=lambda one: (one.start, one.end, one.obstacle.value), default=None)

    def prices(self, extent: Span, origin: int) -> tuple[Price, ...]:
        """Of the instructions in the range, by where they start; places count from `origin`."""
        view = self._priced
        rounds_of = view.root.weights.rounds
        found: list[Price] = []
        for start, end, block, item, slots in paced(self._placed_in(view).within(extent), 5):
            rounds = float(rounds_of(block))
            issued = is_issued(item) * rounds
            found.append(Price(start - origin, end - origin, slots * rounds, issued, rounds, _effects(view, item)))
        return tuple(found)

    def most_slots(self, extent: Span) -> float:
        """No meld of the range saves more: all of its slots, as often as what runs most often, and a branch."""
        placed = self._placed_in(self._priced).within(extent)
        return (sum([slots for _, _, _, _, slots in placed]) + 1) * self._most_rounds(placed)

    def most_alike_slots(self, extent: Span, forks: Sequence[tuple[Span, Span]]) -> float:
        """No meld of these forks, each with its two arms, saves more: of each kind of instruction the slots of the arm
        that has less of it, as often as what runs most often, and the branches.

        What a macro spells may stand in several arms, as far as its text says.
        """
        placed = self._placed_in(self._priced).within(extent)
        alike = 0
        for first, second in forks:
            one, other = _slots_by_kind(placed, first), _slots_by_kind(placed, second)
            alike += sum([min(slots, other[kind]) for kind, slots in one.items() if kind in other])
        return (alike + len(forks)) * self._most_rounds(placed)

    def _most_rounds(self, placed: Sequence[_Placing]) -> float:
        """How often what runs most often does."""
        rounds = self._priced.root.weights.rounds
        return float(max([1, *(rounds(block) for block in {block for _, _, block, _, _ in placed})]))

    def has_all_cases(self, switch: Span) -> bool:
        """Whether the value of the `switch` statement there is one of its labels in every context."""
        return all(self._placed_in(view).has_all_cases(switch) for view in self._views)

    @property
    def kernel_slots(self) -> float:
        """Issue slots of the whole root in which the function stands."""
        return float(self._priced.root.weights.total)

    def types(self, extent: Span) -> Mapping[tuple[int, int], tuple[Type, ...]]:
        """The type at each range of `extent` in every context; a range that lacks one in some context has none."""
        first, *others = [self._placed_in(view).types(extent) for view in self._views]
        if not others:
            return {place: (type_,) for place, type_ in first.items()}
        return {
            place: (type_, *(other[place] for other in others))
            for place, type_ in first.items()
            if all(place in other for other in others)
        }

    @cached_property
    def names(self) -> Mapping[str, tuple[Type, ...]]:
        """Types of the variables that have only one; arrays and objects in memory too."""
        return _names(self._views)

    @cached_property
    def in_registers(self) -> frozenset[str]:
        """Arrays of a thread that a selected address would force into memory."""
        symbols = [symbol for view in self._views for symbol in view.root.function.symbols]
        return frozenset(symbol.name for symbol in symbols if symbol.kind is SymbolKind.LOCAL)

    def _placed_in(self, view: FrameView) -> _Placed:
        found = self._placed.get(id(view))
        if found is None:
            found = self._placed[id(view)] = _Placed(view)
        return found


def element_of(type_: Type) -> Type | None:
    """What an index into a pointer or an array of this type selects."""
    return type_.element if isinstance(type_, PointerType | ArrayType) else None


_Placing: TypeAlias = tuple[int, int, BasicBlockId, Instruction | Terminator, int]
"""Where an instruction starts and ends in the text, its block, itself, and its issue slots."""


@final
class _Placed:
    """The instructions of a root by where they stand in the text of the view's function.

    A callee's instructions stand at the call.
    """

    def __init__(self, view: FrameView) -> None:
        self._view = view
        calls = _calls(view)
        found: list[_Placing] = []
        slots_of = view.root.weights.each_in
        for index, block in enumerate(paced(view.root.function.blocks, 10)):
            home, terminator = BasicBlockId(index), block.terminator
            items = (*block.instructions, terminator)
            for item, slots in zip(items, (*slots_of(home), terminator_latency(terminator)), strict=True):
                span = item.span
                place = calls[span.frame] or span
                if place.start != place.end:
                    found.append((place.start, place.end, home, item, slots))
        found.sort(key=itemgetter(0))
        self._items = found

    def within(self, extent: Span) -> Sequence[_Placing]:
        """Those of the range, by where they start."""
        first = bisect_left(self._items, extent.start, key=itemgetter(0))
        last = bisect_left(self._items, extent.end, lo=first, key=itemgetter(0))
        return [one for one in self._items[first:last] if one[1] <= extent.end]

    def types(self, extent: Span) -> Mapping[tuple[int, int], Type]:
        """Of the constants and expressions of the range; of two at one place the later one counts."""
        function, frame = self._view.root.function, self._view.frame
        found = {
            (start, end): function.types[item.result]
            for start, end, _, item, _ in self.within(extent)
            if isinstance(item, Constant) and item.span.frame == frame
        }
        first = bisect_left(self._expressions, extent.start, key=_start_of_expression)
        last = bisect_left(self._expressions, extent.end, lo=first, key=_start_of_expression)
        for expression in self._expressions[first:last]:
            if expression.span.end <= extent.end:
                found[expression.span.start, expression.span.end] = function.types[expression.value]
        return found

    def has_all_cases(self, switch: Span) -> bool:
        """Whether the range of the value has no number without a label."""
        affine = self._view.root.affine
        found = [
            (block, item)
            for start, end, block, item, _ in self.within(switch)
            if isinstance(item, Switch) and (start, end) == (switch.start, switch.end)
        ]
        for block, item in found:
            labels = {case.value for case in item.cases}
            values = affine.range_at(item.value, block)
            if values.high - values.low >= len(labels) or not labels.issuperset(range(values.low, values.high + 1)):
                return False
        return bool(found)

    def hindrances(self, extent: Span) -> Iterator[Hindrance]:
        """What no melded arm may contain, of the range."""
        return (one for one in self._hindrances if extent.start <= one.start and one.end <= extent.end)

    @cached_property
    def _expressions(self) -> Sequence[Expression]:
        """Those of this frame, by where they start."""
        frame = self._view.frame
        own = [one for one in self._view.root.function.expressions if one.span.frame == frame]
        return sorted(own, key=_start_of_expression)

    @cached_property
    def _hindrances(self) -> Sequence[Hindrance]:
        found = (
            (start, end, self._hindrance(block, item))
            for start, end, block, item, _ in self._items
            if type(item) in _HINDERING
        )
        ends = [
            Hindrance(end.start, end.end, Obstacle.DESTRUCTOR, "the destructor of an object runs here")
            for end in object_ends(self._view)
        ]
        return [*(Hindrance(start, end, *one) for start, end, one in found if one is not None), *ends]

    def _hindrance(self, block: BasicBlockId, item: Instruction | Terminator) -> tuple[Obstacle, str] | None:
        control = self._view.root.control
        match item:
            case Jump() | Branch() | Switch() | Return() | Trap():
                return None
            case Atomic() | Load() if block in self._waiting:
                return Obstacle.ATOMIC, "an arm waits for another thread"
            case Atomic(operator=operator) if operator in _LOCKING and control.innermost_cycle(block) is not None:
                return Obstacle.ATOMIC, "an arm may wait for a lock"
            case Opaque(construct=construct):
                return Obstacle.UNKNOWN_CODE, f"an arm contains code that is not understood: {construct}"
            case _:
                obstacle = obstacle_in(item)
                return None if obstacle is None else _SENTENCES.get(obstacle)

    @cached_property
    def _waiting(self) -> frozenset[BasicBlockId]:
        """The blocks of loops that only wait."""
        function, cycles = self._view.root.function, self._view.root.control.cycles
        return frozenset(block for cycle in cycles if only_waits(function, cycle) for block in cycle.blocks)


def _start_of_expression(expression: Expression) -> int:
    return expression.span.start


_NOWHERE: Final = Span(0, 0)


def _calls(view: FrameView) -> list[Span | None]:
    """For each frame where it is called in the view's function; None for that function itself."""
    calls: list[Span | None] = []
    for index, entered in enumerate(view.root.function.frames):
        if index == view.frame:
            calls.append(None)
        elif index == OWN_FRAME:
            calls.append(_NOWHERE)
        elif entered.parent == view.frame:
            calls.append(Span(entered.call.start, entered.call.end))
        else:
            calls.append(calls[entered.parent])
    return calls


def _slots_by_kind(placed: Sequence[_Placing], extent: Span) -> Mapping[type[Instruction | Terminator], int]:
    """The issue slots of each kind of instruction that stands in the range, be it with a part of its text."""
    found: dict[type[Instruction | Terminator], int] = {}
    for start, end, _, item, slots in paced(placed):
        if start >= extent.end:
            break
        if end > extent.start:
            kind = type(item)
            found[kind] = found.get(kind, 0) + slots
    return found


def _effects(view: FrameView, item: Instruction | Terminator) -> Effect:
    known = _EFFECTS.get(type(item))
    if known is not None:
        return known
    if isinstance(item, Binary) and item.operator in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER):
        is_float = isinstance(view.root.function.types[item.result], FloatType)
        return Effect.NONE if is_float or _is_constant(view, item.right) else Effect.TRAPS
    return Effect.NONE


_EFFECTS: Final[Mapping[type[Instruction | Terminator], Effect]] = {
    Load: Effect.LOADS,
    Texture: Effect.LOADS,
    **dict.fromkeys((Store, Atomic, Print, Call, DeviceLaunch, Opaque, Allocate), _CHANGES),
}


def _is_constant(view: FrameView, value: ValueId) -> bool:
    """Whether a divisor is a constant other than 0."""
    found = view.root.divergence.definition(value)
    if isinstance(found, Convert):
        return _is_constant(view, found.operand)
    return isinstance(found, Constant) and found.value != 0


_SENTENCES: Final = {
    MeldObstacle.BARRIER: (Obstacle.BARRIER, "an arm waits at a barrier"),
    MeldObstacle.FENCE: (
        Obstacle.BARRIER,
        "an arm has a memory fence, and other threads rely on the order of what it writes",
    ),
    MeldObstacle.WARP_INTRINSIC: (
        Obstacle.WARP_INTRINSIC,
        "an arm exchanges values between the lanes of a warp, or asks which of them are active",
    ),
    MeldObstacle.VOLATILE: (Obstacle.VOLATILE, "an arm reads or writes volatile memory"),
    MeldObstacle.LAUNCH: (Obstacle.UNKNOWN_CODE, "an arm launches a kernel"),
    MeldObstacle.CALL: (Obstacle.UNKNOWN_CODE, "an arm calls a function whose body is not known"),
}
"""What is missing stays a statement of its lanes alone: nothing moves it to others, or makes others wait for it."""


def _names(views: Sequence[FrameView]) -> Mapping[str, tuple[Type, ...]]:
    """Types of the variables that have only one; arrays and objects in memory too."""
    merged: dict[str, list[Type] | None] = {}
    for number, view in enumerate(views):
        function = view.root.function
        here: defaultdict[str, set[Type]] = defaultdict(set)
        for variable in function.variables:
            if variable.span.frame == view.frame:
                here[variable.name].add(variable.type)
        for symbol in function.symbols:
            here[symbol.name].add(symbol.type)
        for parameter in function.parameters:
            if view.frame == OWN_FRAME:
                here[parameter.name].add(function.types[parameter.value])
        for name, types in here.items():
            known = merged.setdefault(name, [] if number == 0 else None)
            if known is not None:
                if len(types) == 1:
                    known.append(next(iter(types)))
                else:
                    merged[name] = None
    return {name: tuple(types) for name, types in merged.items() if types is not None and len(types) == len(views)}
