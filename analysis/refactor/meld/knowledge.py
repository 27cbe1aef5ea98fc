"""What the IR says about the text of one function: prices, effects and types of what stands between two bytes.

Prices    issue slots (`analysis.verdict.latency`) times the rounds of the loops around, of every instruction whose text
          lies in the range; instructions of inlined callees count for the call.  They come from the call context in
          which the branch varies.
Types     of an expression in every call context, so that two operands that are said to have equal types have them in
          every instance of a template.
Limits    At most `MAX_VIEWS` call contexts are asked.  A variable that shares its name with another one of another
          type has no known type.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.merge import View, branches_at
from analysis.facts.model import BranchFact
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import (
    Allocate,
    Atomic,
    Binary,
    BlockBarrier,
    Call,
    Constant,
    Convert,
    Fence,
    GridBarrier,
    Instruction,
    Load,
    Match,
    Math,
    NamedBarrier,
    Opaque,
    Print,
    Shuffle,
    Store,
    Texture,
    ValueId,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import COLLECTIVES, AtomicOperator, BinaryOperator
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, Span
from analysis.ir.types import ArrayType, FloatType, PointerType, Type
from analysis.refactor.meld.model import Obstacle
from analysis.refactor.meld.terms import Effect
from analysis.verdict.latency import latency, terminator_latency
from analysis.verdict.loops import only_waits, trips

MAX_VIEWS: Final = 6
_LOCKING: Final = frozenset({AtomicOperator.COMPARE_AND_SWAP, AtomicOperator.EXCHANGE})


@final
@record
class Price:
    """Issue slots of one instruction in all rounds, at a range of the text."""

    start: int
    end: int
    slots: float
    rounds: float
    effects: Effect


@final
@record
class Hindrance:
    """An instruction that no melded arm may contain."""

    start: int
    end: int
    obstacle: Obstacle
    message: str


@final
@record
class Knowledge:
    """Facts of one function in the contexts in which it is called."""

    prices: tuple[Price, ...]
    hindrances: tuple[Hindrance, ...]
    kernel_slots: float
    expressions: Mapping[tuple[int, int], tuple[Type, ...]]
    names: Mapping[str, tuple[Type, ...]]
    in_registers: frozenset[str]
    """Arrays of a thread that a selected address would force into memory."""

    def types_at(self, span: Span) -> tuple[Type, ...]:
        return self.expressions.get((span.start, span.end), ())


def knowledge_of(views: Sequence[View], branch: BranchFact) -> Knowledge:
    """What is known where `branch` varies."""
    asked = views[:MAX_VIEWS]
    view = next((one for one in views if _varies(one, branch)), views[0])
    prices = tuple(_prices(view))
    everything = sum(_weighed(view.root.function.blocks, view))
    hindrances = {(one.start, one.end, one.obstacle): one for each in asked for one in _hindrances(each)}
    return Knowledge(
        prices,
        tuple(hindrances[key] for key in sorted(hindrances, key=lambda key: (key[0], key[1], key[2].value))),
        max(everything, 1.0),
        _expressions(asked),
        _names(asked),
        frozenset(name for each in asked for name in _arrays_of_threads(each.root.function)),
    )


def element_of(type_: Type) -> Type | None:
    """What an index into a pointer or an array of this type selects."""
    return type_.element if isinstance(type_, PointerType | ArrayType) else None


def _arrays_of_threads(function: Function) -> Iterator[str]:
    """Arrays whose elements may be values by now, and those that are left in local memory."""
    shared = {symbol.name for symbol in function.symbols if symbol.kind is not SymbolKind.LOCAL}
    yield from (symbol.name for symbol in function.symbols if symbol.kind is SymbolKind.LOCAL)
    yield from (
        variable.name
        for variable in function.variables
        if isinstance(variable.type, ArrayType) and variable.name not in shared
    )


def _varies(view: View, branch: BranchFact) -> bool:
    return any(view.root.divergence.branch_level(here) is Level.VARYING for here in branches_at(view, branch))


def _rounds(view: View, block: BasicBlockId) -> float:
    control = view.root.control
    return float(prod(trips(view.root.affine, cycle) for cycle in control.cycles_around(block)))


def _weighed(blocks: Sequence[object], view: View) -> Iterator[float]:
    root = view.root
    for index, block in enumerate(root.function.blocks):
        rounds = _rounds(view, BasicBlockId(index))
        price = sum(latency(root.divergence, root.spaces, item) for item in block.instructions)
        yield (price + terminator_latency(block.terminator)) * rounds


def _prices(view: View) -> Iterator[Price]:
    root = view.root
    places = _Places(view)
    for index, block in enumerate(root.function.blocks):
        rounds = _rounds(view, BasicBlockId(index))
        for item in block.instructions:
            span = places.of(item.span)
            if span is not None:
                cost = latency(root.divergence, root.spaces, item)
                yield Price(span.start, span.end, cost * rounds, rounds, _effects(view, item))
        span = places.of(block.terminator.span)
        if span is not None:
            yield Price(span.start, span.end, terminator_latency(block.terminator) * rounds, rounds, Effect.NONE)


@final
class _Places:
    """Where an instruction stands in the text of the view's function; a callee's instructions stand at the call."""

    def __init__(self, view: View) -> None:
        self._calls: list[Span | None] = []
        self._frame = view.frame
        for index, entered in enumerate(view.root.function.frames):
            if index in (OWN_FRAME, view.frame):
                self._calls.append(None)
            elif entered.parent == view.frame:
                self._calls.append(Span(entered.call.start, entered.call.end))
            else:
                self._calls.append(self._calls[entered.parent])

    def of(self, span: Span) -> Span | None:
        found = span if span.frame == self._frame else self._calls[span.frame]
        return None if found is None or found.start == found.end else found


def _effects(view: View, item: Instruction) -> Effect:
    match item:
        case Load() | Texture():
            return Effect.LOADS
        case Store() | Atomic() | Print() | Call() | Opaque() | Allocate():
            return Effect.CHANGES | Effect.LOADS
        case Binary(operator=BinaryOperator.DIVIDE | BinaryOperator.REMAINDER):
            is_float = isinstance(view.root.function.types[item.result], FloatType)
            return Effect.NONE if is_float or _is_constant(view, item.right) else Effect.TRAPS
        case _:
            return Effect.NONE


def _is_constant(view: View, value: ValueId) -> bool:
    """Whether a divisor is a constant other than 0."""
    found = view.root.divergence.definition(value)
    if isinstance(found, Convert):
        return _is_constant(view, found.operand)
    return isinstance(found, Constant) and found.value != 0


def _hindrances(view: View) -> Iterator[Hindrance]:
    places = _Places(view)
    function = view.root.function
    waits = {block for cycle in view.root.control.cycles if only_waits(function, cycle) for block in cycle.blocks}
    for block, item in function.instructions():
        span = places.of(item.span)
        in_loop = view.root.control.innermost_cycle(block) is not None
        found = None if span is None else _hindrance(item, in_wait=block in waits, in_loop=in_loop)
        if span is not None and found is not None:
            yield Hindrance(span.start, span.end, *found)


def _hindrance(item: Instruction, *, in_wait: bool, in_loop: bool) -> tuple[Obstacle, str] | None:
    match item:
        case BlockBarrier() | NamedBarrier() | GridBarrier():
            return Obstacle.BARRIER, "an arm waits at a barrier"
        case Fence():
            return Obstacle.BARRIER, "an arm has a memory fence, and other threads rely on the order of what it writes"
        case WarpBarrier() | Shuffle() | Vote() | Match() | WarpReduce():
            return Obstacle.WARP_INTRINSIC, "an arm exchanges values between the lanes of a warp"
        case Math(function=function) if function in COLLECTIVES:
            return Obstacle.WARP_INTRINSIC, "an arm exchanges values between threads"
        case Load(volatile=True) | Store(volatile=True):
            return Obstacle.VOLATILE, "an arm reads or writes volatile memory"
        case Atomic() | Load() if in_wait:
            return Obstacle.ATOMIC, "an arm waits for another thread"
        case Atomic(operator=operator) if in_loop and operator in _LOCKING:
            return Obstacle.ATOMIC, "an arm may wait for a lock"
        case Call():
            return Obstacle.UNKNOWN_CODE, "an arm calls a function whose body is not known"
        case Opaque():
            return Obstacle.UNKNOWN_CODE, "an arm contains code that is not understood"
        case _:
            return None


def _expressions(views: Sequence[View]) -> Mapping[tuple[int, int], tuple[Type, ...]]:
    """The type at each range of the text, in every context; ranges that lack one in some context have none."""
    found: defaultdict[tuple[int, int], list[Type]] = defaultdict(list)
    counted: set[int] = set()
    for number, view in enumerate(views):
        function = view.root.function
        here: dict[tuple[int, int], Type] = {}
        for _, item in function.instructions():
            if isinstance(item, Constant) and item.span.frame == view.frame:
                here[item.span.start, item.span.end] = function.types[item.result]
        for expression in function.expressions:
            if expression.span.frame == view.frame:
                here[expression.span.start, expression.span.end] = function.types[expression.value]
        counted.add(number)
        for place, type_ in here.items():
            found[place].append(type_)
    return {place: tuple(types) for place, types in found.items() if len(types) == len(counted)}


def _names(views: Sequence[View]) -> Mapping[str, tuple[Type, ...]]:
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
