"""What does one thread compute at one moment: as the machine does, and in the integers of mathematics?

Machine  every operation in its type, wrapped (`verdict.evaluation`).
Exact    sums, differences, products, shifts to the left, quotients, minima and maxima of exact values; conversions
         between integers of at least 32 bits change nothing.  Whatever is no such operation (a remainder, a mask, a
         load, a conversion to fewer bits) begins anew with what the machine computes: who takes a remainder of a
         hash asks for wrapping.
Loops    the counter of a loop is its first value plus its step times the round; other values that a loop carries are
         not known, but in its first round.
Cost     each value once for each moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import cached_property
from typing import Final, TypeAlias, final

from analysis.affine.result import AffineResult
from analysis.divergence import integers
from analysis.divergence.launch_shape import BlockShape
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle, CycleId
from analysis.graph.work import Work
from analysis.ir.function import ENTRY, SymbolKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Branch,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Math,
    Phi,
    ReadSpecial,
    Select,
    Switch,
    SymbolAddress,
    Unary,
)
from analysis.ir.integers import quotient
from analysis.ir.operators import BinaryOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import BooleanType, IntegerType
from analysis.overflow.model import Launched, Point
from analysis.overflow.stored_values import stored_values
from analysis.verdict.evaluation import LaunchedBlock, evaluator
from analysis.verdict.thread_walk import target_of

MAX_DEPTH: Final = 120
INDEX_BITS: Final = 32
Evaluation: TypeAlias = Callable[[ValueId, int], int | None]
_NO_BLOCK: Final = LaunchedBlock(BlockShape(1), 0, 32, {})
"""Registers are read here."""
_EXTREMES: Final = {MathFunction.MINIMUM: min, MathFunction.MAXIMUM: max}


@final
class FunctionFlow:
    """A function with what is asked of it again and again."""

    def __init__(self, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult) -> None:
        self.registers: frozenset[SpecialRegister] = frozenset(affine.ranges.registers.values())
        """Those that the function reads."""
        self.function = divergence.function
        self.types = divergence.function.types
        self.control = control
        self.definition = divergence.definition
        self.home = divergence.home
        self._counters: dict[ValueId, Counter | None] = {}
        self._may_be_told: dict[ValueId, bool] = {}
        self._divergence = divergence
        self._deciders: dict[BasicBlockId, frozenset[BasicBlockId]] = {}
        self._cycles_around: dict[BasicBlockId, frozenset[CycleId]] = {}

    def stored(self, item: Instruction | Phi | None) -> ValueId | None:
        """What a read of shared memory gives, where that is known."""
        if type(item) is not Load or not self._is_shared(item.address):
            return None
        return self._stored.get(item.result)

    @cached_property
    def _stored(self) -> Mapping[ValueId, ValueId]:
        return stored_values(self.function, self.control, self._divergence)

    def _is_shared(self, address: ValueId) -> bool:
        """Whether it is that of a variable in shared memory, or of a place in one."""
        item = self.definition(address)
        while isinstance(item, FieldAddress | ElementAddress):
            item = self.definition(item.base)
        return isinstance(item, SymbolAddress) and self.function.symbols[item.symbol].kind is SymbolKind.SHARED

    def may_be_told(self, value: ValueId, depth: int = 0) -> bool:
        """Whether `ThreadValues` may tell it where no argument is known: not if it is computed from one, or from what
        memory holds."""
        found = self._may_be_told.get(value)
        if found is None:
            self._may_be_told[value] = True  # of what rests on itself
            found = depth > MAX_DEPTH or self._rests_on_what_is_told(self.definition(value), depth + 1)
            self._may_be_told[value] = found
        return found

    def _rests_on_what_is_told(self, item: Instruction | Phi | None, depth: int) -> bool:
        match item:
            case None:
                return False
            case Load():
                return self.stored(item) is not None
            case Binary(operator=operator, left=left, right=right) if operator not in _DECIDING:
                return self.may_be_told(left, depth) and self.may_be_told(right, depth)
            case Convert(operand=operand) | Unary(operand=operand):
                return self.may_be_told(operand, depth)
            case _:
                return True

    def deciders(self, block: BasicBlockId) -> frozenset[BasicBlockId]:
        """All branches that have a say in whether `block` runs."""
        found = self._deciders.get(block)
        if found is None:
            found = self._deciders[block] = self.control.iterated_controllers(block)
        return found

    def cycles_around(self, block: BasicBlockId) -> frozenset[CycleId]:
        """The loops that it is in."""
        found = self._cycles_around.get(block)
        if found is None:
            found = self._cycles_around[block] = frozenset(cycle.id for cycle in self.control.cycles_around(block))
        return found

    def counter(self, phi: Phi) -> Counter | None:
        """If it counts the rounds of the loop that it begins."""
        if phi.result not in self._counters:
            self._counters[phi.result] = self._counter(phi)
        return self._counters[phi.result]

    def _counter(self, phi: Phi) -> Counter | None:
        home = self.home(phi.result)
        cycle = self.control.innermost_cycle(home)
        if cycle is None or cycle.header != home or len(phi.incoming) != 2:
            return None
        outside = [value for source, value in phi.incoming if source not in cycle.blocks]
        inside = [value for source, value in phi.incoming if source in cycle.blocks]
        if len(outside) != 1 or len(inside) != 1:
            return None
        added = self.without_conversions(inside[0])
        if added == phi.result:
            return Counter(cycle, outside[0], None, 0, inside[0])
        item = self.definition(added)
        if not isinstance(item, Binary) or item.operator not in (BinaryOperator.ADD, BinaryOperator.SUBTRACT):
            return None
        sign = 1 if item.operator is BinaryOperator.ADD else -1
        if self.without_conversions(item.left) == phi.result:
            return Counter(cycle, outside[0], item.right, sign, inside[0])
        if sign == 1 and self.without_conversions(item.right) == phi.result:
            return Counter(cycle, outside[0], item.left, sign, inside[0])
        return None

    def without_conversions(self, value: ValueId) -> ValueId:
        """What it was converted from, between integers of at least 32 bits."""
        while True:
            item = self.definition(value)
            if not isinstance(item, Convert) or not self.is_number(item.operand) or not self.is_number(value):
                return value
            value = item.operand

    def is_number(self, value: ValueId) -> bool:
        type_ = self.types[value]
        return isinstance(type_, IntegerType) and type_.bits >= INDEX_BITS


@final
class Counter:
    """`first + sign * step * round`; `last` is what goes into the next round.  None for a step of 0."""

    def __init__(self, cycle: Cycle, first: ValueId, step: ValueId | None, sign: int, last: ValueId) -> None:
        self.cycle = cycle
        self.first = first
        self.step = step
        self.sign = sign
        self.last = last


@final
class ThreadValues:
    """The values of one thread at one moment."""

    def __init__(self, flow: FunctionFlow, launched: Launched, point: Point, work: Work) -> None:
        """`work`: what may be spent on it; whoever asks for more gets `TooMuchWork`."""
        self.work = work
        self._flow = flow
        self._launched = launched
        self._point = point
        self._machine: dict[ValueId, int | None] = {}
        self._exact: dict[ValueId, int | None] = {}
        self._may_come: dict[BasicBlockId, bool] = {}

    def machine(self, value: ValueId, depth: int = 0) -> int | None:
        """What the thread computes; None if that is not known."""
        if value in self._machine:
            return self._machine[value]
        self._machine[value] = None  # a value that rests on itself is not known
        found = None if depth > MAX_DEPTH else self._computed(value, depth + 1)
        self._machine[value] = found
        return found

    @property
    def asked(self) -> Set[ValueId]:
        """Of which values it was asked so far what the thread computes."""
        return self._machine.keys()

    def exact(self, value: ValueId, depth: int = 0) -> int | None:
        """The same if nothing wrapped on the way."""
        if value in self._exact:
            return self._exact[value]
        self._exact[value] = None
        found = None if depth > MAX_DEPTH else self._in_mathematics(value, depth + 1)
        self._exact[value] = found
        return found

    # -- as the machine does ----------------------------------------------------------------------------------------

    def _computed(self, value: ValueId, depth: int) -> int | None:
        flow = self._flow
        self.work.spend(2)
        item, type_ = flow.definition(value), flow.types[value]
        if value in self._launched.scalars:
            return self._launched.scalars[value]
        if item is None or not isinstance(type_, IntegerType | BooleanType):
            return None
        if isinstance(item, ReadSpecial):
            return self._register(item.register)
        stored = flow.stored(item)
        if stored is not None:
            return self.machine(stored, depth)
        if isinstance(item, Phi):
            found = self._merged(item, self.machine, depth)
            return None if found is None else integers.wrap(found, type_)
        if isinstance(item, Binary) and item.operator in _DECIDING:
            sides = self.machine(item.left, depth), self.machine(item.right, depth)
            if _DECIDING[item.operator] in sides:
                return _DECIDING[item.operator]
        chosen = item.operands
        if isinstance(item, Select):
            decided = self.machine(item.condition, depth)
            if decided is None:
                return None
            chosen = (item.condition, item.if_true if decided else item.if_false)
        known: dict[ValueId, int] = {}
        for operand in chosen:
            number = self.machine(operand, depth)
            if number is None:
                return None
            known[operand] = number
        return evaluator(item, type_)(known, _NO_BLOCK, 0)

    def _register(self, register: SpecialRegister) -> int | None:
        launched, point = self._launched, self._point
        place = PLACES.get(register)
        if place is not None:
            what, axis = place
            return (point.thread, point.at, launched.block, launched.grid)[what][axis]
        if register is SpecialRegister.WARP_SIZE:
            return launched.warp_size
        (x, y, z), (width, height, _) = point.thread, launched.block
        linear = (z * height + y) * width + x
        if register is SpecialRegister.LANE:
            return linear % launched.warp_size
        return linear // launched.warp_size if register is SpecialRegister.WARP_INDEX else None

    def _merged(self, phi: Phi, evaluate: Evaluation, depth: int) -> int | None:
        """At the beginning of a loop by its round, elsewhere by the way that the thread comes."""
        flow = self._flow
        home = flow.home(phi.result)
        cycle = flow.control.innermost_cycle(home)
        if cycle is not None and cycle.header == home:
            round_ = self._point.rounds.get(cycle.id)
            if round_ is None:
                return None
            if round_ == 0:
                outside = [value for source, value in phi.incoming if source not in cycle.blocks]
                return evaluate(outside[0], depth) if len(outside) == 1 else None
            counter = flow.counter(phi)
            if counter is None or (counter.step is not None and flow.home(counter.step) in cycle.blocks):
                step = None if counter is None else self._fixed_step(counter, depth)
            else:
                step = 0 if counter.step is None else self._step(counter.step, depth)
            first = None if counter is None else evaluate(counter.first, depth)
            return None if first is None or step is None or counter is None else first + counter.sign * step * round_
        found: set[int | None] = set()
        for source, value in phi.incoming:
            if self._is_left_by(source, home) and self._comes(source):
                found.add(evaluate(value, depth))
        return found.pop() if len(found) == 1 else None

    def _comes(self, block: BasicBlockId) -> bool:
        if block not in self._may_come:
            self._may_come[block] = comes(self._flow, self, ENTRY, block).is_possible
        return self._may_come[block]

    def _fixed_step(self, counter: Counter, depth: int) -> int | None:
        """A step that is written in the loop and the same in each round: of constants, arguments and registers."""
        return self._step(counter.step, depth) if counter.step is not None and self._is_fixed(counter.step) else None

    def _step(self, step: ValueId, depth: int) -> int | None:
        """As a number with a sign: `i += -1u` counts down."""
        number, type_ = self.machine(step, depth), self._flow.types[step]
        if number is None or not isinstance(type_, IntegerType):
            return None
        return number - (1 << type_.bits) if number >= 1 << (type_.bits - 1) else number

    def _is_fixed(self, value: ValueId, depth: int = 0) -> bool:
        item = self._flow.definition(value)
        if item is None or value in self._launched.scalars:
            return value in self._launched.scalars
        if depth > 8 or isinstance(item, Phi):
            return False
        return all(self._is_fixed(operand, depth + 1) for operand in item.operands)

    def _is_left_by(self, source: BasicBlockId, target: BasicBlockId) -> bool:
        taken = self.taken(source)
        return taken is None or taken == target

    def taken(self, block: BasicBlockId) -> BasicBlockId | None:
        """Where the thread goes on behind a block, if it decides there and that is known."""
        terminator = self._flow.function.blocks[block].terminator
        if not isinstance(terminator, Branch | Switch):
            return None
        decided = self.machine(terminator.operands[0])
        return None if decided is None else target_of(terminator, decided)

    # -- in mathematics ---------------------------------------------------------------------------------------------

    def _in_mathematics(self, value: ValueId, depth: int) -> int | None:
        flow = self._flow
        item = flow.definition(value)
        if item is None or not flow.is_number(value):
            return self.machine(value, depth)
        match item:
            case Binary():
                return self._exact_binary(item, depth)
            case Convert(operand=operand) if flow.is_number(operand):
                return self.exact(operand, depth)
            case Unary(operator=UnaryOperator.NEGATE, operand=operand):
                number = self.exact(operand, depth)
                return None if number is None else -number
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                decided = self.machine(condition, depth)
                return None if decided is None else self.exact(if_true if decided else if_false, depth)
            case Math(function=MathFunction.MINIMUM | MathFunction.MAXIMUM as function, operands=operands):
                numbers = [self.exact(operand, depth) for operand in operands]
                known = [number for number in numbers if number is not None]
                return _EXTREMES[function](known) if len(known) == len(numbers) else None
            case Phi():
                return self._merged(item, self.exact, depth)
            case Load() if (stored := flow.stored(item)) is not None:
                return self.exact(stored, depth)
            case _:
                return self.machine(value, depth)

    def _exact_binary(self, item: Binary, depth: int) -> int | None:
        if item.operator not in EXACT:
            return self.machine(item.result, depth)
        left = self.exact(item.left, depth)
        right = (self.exact if item.operator in _OF_BOTH else self.machine)(item.right, depth)
        if left is None or right is None:
            return None
        match item.operator:
            case BinaryOperator.ADD:
                return left + right
            case BinaryOperator.SUBTRACT:
                return left - right
            case BinaryOperator.MULTIPLY:
                return left * right
            case BinaryOperator.SHIFT_LEFT:
                return left << right if 0 <= right < 64 else None
            case _:
                return quotient(left, right) if right else None


_OF_BOTH: Final = frozenset({BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.MULTIPLY})
EXACT: Final = _OF_BOTH | {BinaryOperator.SHIFT_LEFT, BinaryOperator.DIVIDE}
"""What is followed in the integers of mathematics."""
_DECIDING: Final = {BinaryOperator.LOGICAL_AND: 0, BinaryOperator.LOGICAL_OR: 1}
"""One side that is so decides."""
PLACES: Final = {
    SpecialRegister.THREAD_X: (0, 0),
    SpecialRegister.THREAD_Y: (0, 1),
    SpecialRegister.THREAD_Z: (0, 2),
    SpecialRegister.BLOCK_X: (1, 0),
    SpecialRegister.BLOCK_Y: (1, 1),
    SpecialRegister.BLOCK_Z: (1, 2),
    SpecialRegister.BLOCK_DIM_X: (2, 0),
    SpecialRegister.BLOCK_DIM_Y: (2, 1),
    SpecialRegister.BLOCK_DIM_Z: (2, 2),
    SpecialRegister.GRID_DIM_X: (3, 0),
    SpecialRegister.GRID_DIM_Y: (3, 1),
    SpecialRegister.GRID_DIM_Z: (3, 2),
}


@final
class Coming:
    """Whether a thread comes to a block: possibly, and if so, whether that rests on what is not known."""

    def __init__(self, is_possible: bool, is_assumed: bool) -> None:
        self.is_possible = is_possible
        self.is_assumed = is_assumed


def comes(flow: FunctionFlow, values: ThreadValues, start: BasicBlockId, target: BasicBlockId) -> Coming:
    """From `start` to `target`, in one round of the loops around it.

    What decides in a loop that the target is not in is asked in no round: both ways are taken.
    """
    control, rank, around = flow.control, flow.control.rank, flow.cycles_around(target)
    first, last = rank[start], rank[target]
    taken: dict[BasicBlockId, BasicBlockId] = {}
    undecided: set[BasicBlockId] = set()
    for block in flow.deciders(target):
        if first <= rank[block] < last and ((inner := control.innermost_cycle(block)) is None or inner.id in around):
            edge = values.taken(block)
            if edge is None:
                undecided.add(block)
            else:
                taken[block] = edge
    values.work.spend(1 + len(taken) + len(undecided))
    if not taken:
        return Coming(True, bool(undecided))
    seen = _ways(flow, values.work, start, target, taken)
    return Coming(target in seen, not undecided.isdisjoint(seen))


def _ways(
    flow: FunctionFlow,
    work: Work,
    start: BasicBlockId,
    target: BasicBlockId,
    taken: Mapping[BasicBlockId, BasicBlockId],
) -> Set[BasicBlockId]:
    """The blocks on the way; behind the target is no way back to it."""
    successors, rank = flow.control.successors, flow.control.rank
    last = rank[target]
    seen: set[BasicBlockId] = {start}
    waiting = [start]
    while waiting:
        block = waiting.pop()
        work.spend(1)
        if block == target:
            continue
        edge, place = taken.get(block), rank[block]
        for one in successors[block] if edge is None else (edge,):
            if one not in seen and place < rank[one] <= last:
                seen.add(one)
                waiting.append(one)
    return seen
