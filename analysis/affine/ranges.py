"""Between which numbers does an integer lie?

Lattice   intervals in the value's type; what was not reached yet has none.
Rules     exact interval arithmetic (`interval_rules.py`); an operation whose exact interval leaves its type may have
          wrapped, signed ones too, and has the range of the type.  Operands are read as the comparisons on the way to
          the block refine them (`guards.py`).
Loops     one outermost loop after the other: a bound that still moves when the loop is looked at again goes to that of
          the type; one more pass brings it back to what the guards of the loop allow.
Cost      one pass without loops; usually four over the blocks of a loop.
Source    Cousot and Cousot, POPL 1977.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, TypeAlias, final

from analysis.affine import interval_rules
from analysis.affine.guards import Definition, Guards, refined
from analysis.affine.interval import BOOLEAN_RANGE, Interval, type_range
from analysis.affine.launch_bounds import LaunchBounds
from analysis.affine.type_facts import of_each_type
from analysis.divergence.call_context import Argument
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Constant,
    Convert,
    Instruction,
    Math,
    ReadSpecial,
    Select,
    Unary,
)
from analysis.ir.operators import BinaryOperator, SpecialRegister, UnaryOperator
from analysis.ir.pace import paced
from analysis.ir.types import U64, BooleanType, IntegerType, Type

MAX_ROUNDS = 12
RangeRule: TypeAlias = Callable[..., Interval | None]
"""From the pass, an instruction and its block; None: nothing but the type."""
_Ruled: TypeAlias = tuple[Instruction, ValueId, RangeRule]
"""An instruction with its result and its rule."""
_Moving: TypeAlias = tuple[Instruction, ValueId, RangeRule, Sequence[ValueId]]
"""The same with its operands; none of a choice, which guards of its own decide as well."""
_Again: TypeAlias = tuple[BasicBlockId, Sequence[_Moving]]
"""What is looked at again in a block of a loop."""
Settling: TypeAlias = Callable[[Interval, Interval, Interval], Interval]
"""From the old and the new interval of a phi, and that of its type, to the one that counts."""
ADDRESSES = type_range(U64)
_NUMBERS: Final = (IntegerType, BooleanType)


def _range_of_numbers(type_: Type) -> Interval | None:
    return type_range(type_) if isinstance(type_, _NUMBERS) else None


def whole_range(type_: Type) -> Interval:
    """All values of an integer or a boolean; of anything else 64 bits."""
    return type_range(type_) if isinstance(type_, IntegerType | BooleanType) else ADDRESSES


@final
class Ranges:
    """Filled by `find_ranges`, then only read."""

    def __init__(self, function: Function, control: ControlFlow, bounds: LaunchBounds, definition: Definition) -> None:
        self.types = function.types
        self.control = control
        self.bounds = bounds
        self.guards = Guards(function, control, definition)
        dominated = control.dominated
        self._starts = [blocks.start for blocks in dominated]
        self._known = {
            value: [(dominated[place], *fact) for place, fact in facts] for value, facts in self.guards.in_block.items()
        }
        """What the guards say, by value: in which blocks (as numbers, see `ControlFlow.dominated`), and what."""
        self.intervals: list[Interval | None] = [None] * len(function.types)
        self.fits = bytearray(len(function.types))
        """1 for the result of an operation that cannot have wrapped."""
        self.registers: dict[ValueId, SpecialRegister] = {}
        """Values that are a register, converted or not."""

    def of(self, value: ValueId) -> Interval:
        found = self.intervals[value]
        return whole_range(self.types[value]) if found is None else found

    def at(self, value: ValueId, block: BasicBlockId) -> Interval:
        """The range where the block reads the value."""
        found = self.intervals[value]
        if found is None:
            found = whole_range(self.types[value])
        facts = self._known.get(value)
        if facts is not None:
            number = self._starts[block]
            for blocks, operator, other in facts:
                if number in blocks:
                    found = refined(found, operator, self.of(other))
        return found

    def along(self, value: ValueId, source: BasicBlockId, target: BasicBlockId) -> Interval:
        """The range of a value that comes over an edge."""
        found = self.at(value, source)
        for known, (operator, other) in self.guards.on_edge.get((source, target), ()):
            if known == value:
                found = refined(found, operator, self.of(other))
        return found


def find_ranges(
    function: Function,
    control: ControlFlow,
    bounds: LaunchBounds,
    definition: Definition,
    arguments: Mapping[ValueId, Argument],
) -> Ranges:
    """`arguments`: what is known of parameters, by their values."""
    ranges = Ranges(function, control, bounds, definition)
    _RangePass(function, control, ranges, arguments).run()
    return ranges


@final
class _RangePass:
    def __init__(
        self, function: Function, control: ControlFlow, ranges: Ranges, arguments: Mapping[ValueId, Argument]
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.control = control
        self.types = function.types
        self.ranges = ranges
        self.intervals = ranges.intervals
        self.changed = False
        self._whole = of_each_type(function.types, _range_of_numbers)
        """The range of each value's type; None for what has no numbers."""
        self._moving = set(ranges.guards.in_block)
        """Values that may change from one look at their loop to the next; all that a guard bounds are taken to."""
        self._look = 0
        self._changed_in = [0] * len(function.types)
        """The number of the look in which each value was last found to be another one, or what bounds it."""
        self._bounding: dict[ValueId, list[ValueId]] = {}
        """The values that are bounded by each value."""
        for value, facts in ranges.guards.in_block.items():
            for _, (_, other) in facts:
                self._bounding.setdefault(other, []).append(value)

    def run(self) -> None:
        for parameter in self.function.parameters:
            self.intervals[parameter.value] = self._passed(parameter.value)
        control, order = self.control, self.control.order
        if any(not cycle.reducible for cycle in control.cycles):
            self._settle_loops(order)  # they may be entered from blocks further down
            return
        done: set[BasicBlockId] = set()
        outermost = {cycle.header: cycle for cycle in control.cycles if cycle.parent is None}
        for block in order:
            cycle = outermost.get(block)
            if cycle is not None:
                # Everything that flows into the loop is settled.
                done |= cycle.blocks
                self._settle_loops(sorted(cycle.blocks, key=lambda block: control.rank[block]))
            elif block not in done:
                self._phis(block, None)
                self._first_look(block)

    def _passed(self, parameter: ValueId) -> Interval:
        """What callers may pass."""
        whole, argument = whole_range(self.types[parameter]), self.arguments.get(parameter)
        if argument is None or argument.low is None or argument.high is None:
            return whole
        return whole.meet(Interval(argument.low, argument.high)) or whole

    def _settle_loops(self, blocks: Sequence[BasicBlockId]) -> None:
        again: list[_Again] = []
        for block in blocks:
            self._phis(block, None)
            ruled = self._moving_in(block, self._first_look(block))
            if ruled or self.function.blocks[block].phis:
                again.append((block, ruled))
        for rounds in range(MAX_ROUNDS):
            self.changed = False
            self._look_again(again, _widened, is_first=not rounds)
            if not self.changed:
                break
        else:
            for block in blocks:
                for phi in self.function.blocks[block].phis:
                    self._put(phi.result, whole_range(self.types[phi.result]))
        self._look_again(again, _meet)

    def _first_look(self, block: BasicBlockId) -> list[_Ruled]:
        """Settles every instruction of the block; those whose operands decide, with their rules."""
        found: list[_Ruled] = []
        intervals, rules = self.intervals, self._RULES
        for instruction in paced(self.function.blocks[block].instructions, 3):
            result = instruction.result
            if result is None or (whole := self._whole[result]) is None:
                continue
            rule = rules.get(type(instruction))
            known = None if rule is None else rule(self, instruction, block)
            intervals[result] = whole if known is None else known
            if rule is not None and instruction.operands:
                found.append((instruction, result, rule))
        return found

    def _moving_in(self, block: BasicBlockId, ruled: Sequence[_Ruled]) -> list[_Moving]:
        """Those that may change when their loop is looked at again, as its phis do."""
        moving = self._moving
        for phi in self.function.blocks[block].phis:
            moving.add(phi.result)
        found: list[_Moving] = []
        for instruction, result, rule in ruled:
            is_choice, operands = type(instruction) is Select, instruction.operands
            if is_choice or not moving.isdisjoint(operands):
                moving.add(result)
                found.append((instruction, result, rule, () if is_choice else operands))
        return found

    def _look_again(self, again: Sequence[_Again], settle: Settling, *, is_first: bool = False) -> None:
        """`settle` applies to phis that merge something from further down.

        What no change since the last look concerns is as it was; before the `first` one nobody noted what changed.
        """
        self._look += 1
        whole, changed_in, last = self._whole, self._changed_in, self._look - 1
        for block, moving in again:
            self._phis(block, settle)
            for instruction, result, rule, operands in moving:
                if operands and not is_first:
                    for operand in operands:
                        if changed_in[operand] >= last:
                            break
                    else:
                        continue
                found = rule(self, instruction, block)
                self._put(result, whole[result] if found is None else found)

    def _put(self, value: ValueId, interval: Interval | None) -> None:
        """Notes who has to be looked at again."""
        if interval == self.intervals[value]:
            return
        self.intervals[value] = interval
        self._changed_in[value] = self._look
        for bounded in self._bounding.get(value, ()):
            self._changed_in[bounded] = self._look

    def _phis(self, block: BasicBlockId, settle: Settling | None) -> None:
        rank = self.control.rank
        for phi in self.function.blocks[block].phis:
            whole = self._whole[phi.result]
            if whole is None:
                continue
            new: Interval | None = None
            returns = False
            for source, value in phi.incoming:
                returns |= rank[source] >= rank[block]
                if self.control.is_reachable(source) and self.intervals[value] is not None:
                    one = self.ranges.along(value, source, block)
                    new = one if new is None else new.join(one)
            old = self.intervals[phi.result]
            if new is None:
                continue
            if settle is not None and old is not None and returns:
                new = settle(old, new, whole)
            self.changed |= returns and new != old
            self._put(phi.result, new)

    # -- rules ------------------------------------------------------------------------------------------------------

    def _fitting(self, result: ValueId, exact: Interval | None) -> Interval | None:
        """The exact interval, if no number in it wraps."""
        whole = self._whole[result]
        fits = exact is not None and whole is not None and whole.low <= exact.low and exact.high <= whole.high
        self.ranges.fits[result] = fits
        return exact if fits else None

    def _constant(self, constant: Constant, block: BasicBlockId) -> Interval | None:
        del block
        value = constant.value
        return Interval(int(value), int(value)) if isinstance(value, int) else None

    def _register(self, read: ReadSpecial, block: BasicBlockId) -> Interval | None:
        del block
        self.ranges.registers[read.result] = read.register
        return self._fitting(read.result, self.ranges.bounds.registers.get(read.register))

    def _binary(self, binary: Binary, block: BasicBlockId) -> Interval | None:
        at = self.ranges.at
        left, right = at(binary.left, block), at(binary.right, block)
        if binary.operator is BinaryOperator.MULTIPLY:
            registers = self.ranges.registers
            first, second = registers.get(binary.left), registers.get(binary.right)
            if first is not None and second is not None:
                known = self.ranges.bounds.product(first, second)
                if known is not None:
                    return self._fitting(binary.result, known)
        return self._fitting(binary.result, interval_rules.BINARY_RULES[binary.operator](left, right))

    def _unary(self, unary: Unary, block: BasicBlockId) -> Interval | None:
        side = self.ranges.at(unary.operand, block)
        match unary.operator:
            case UnaryOperator.NEGATE:
                return self._fitting(unary.result, Interval(-side.high, -side.low))
            case UnaryOperator.COMPLEMENT:
                type_ = self.types[unary.result]
                most = 0 if isinstance(type_, IntegerType) and type_.signed else whole_range(type_).high + 1
                return self._fitting(unary.result, Interval(most - 1 - side.high, most - 1 - side.low))
            case UnaryOperator.LOGICAL_NOT:
                return BOOLEAN_RANGE

    def _select(self, select: Select, block: BasicBlockId) -> Interval:
        return self._chosen(select.condition, select.if_true, True, block).join(
            self._chosen(select.condition, select.if_false, False, block)
        )

    def _chosen(self, condition: ValueId, value: ValueId, outcome: bool, block: BasicBlockId) -> Interval:
        found = self.ranges.at(value, block)
        for known, (operator, other) in self.ranges.guards.facts(condition, outcome):
            if known == value:
                found = refined(found, operator, self.ranges.of(other))
        return found

    def _convert(self, convert: Convert, block: BasicBlockId) -> Interval | None:
        source, target = self.types[convert.operand], self.types[convert.result]
        if isinstance(target, BooleanType):
            return BOOLEAN_RANGE
        if not isinstance(source, IntegerType | BooleanType):
            return None
        register = self.ranges.registers.get(convert.operand)
        if register is not None:
            self.ranges.registers[convert.result] = register
        return self._fitting(convert.result, self.ranges.at(convert.operand, block))

    def _math(self, call: Math, block: BasicBlockId) -> Interval | None:
        if not all(isinstance(self.types[operand], IntegerType) for operand in call.arguments):
            return None
        sides = [self.ranges.at(operand, block) for operand in call.arguments]
        return self._fitting(call.result, interval_rules.math(call.function, sides))

    _RULES: ClassVar[Mapping[type, RangeRule]] = {
        Constant: _constant,
        ReadSpecial: _register,
        Binary: _binary,
        Unary: _unary,
        Select: _select,
        Convert: _convert,
        Math: _math,
    }


def _widened(old: Interval, new: Interval, whole: Interval) -> Interval:
    low = old.low if new.low >= old.low else whole.low
    high = old.high if new.high <= old.high else whole.high
    return Interval(low, high)


def _meet(old: Interval, new: Interval, whole: Interval) -> Interval:
    del whole
    return old.meet(new) or old
