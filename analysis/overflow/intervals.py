"""Between which numbers may an index expression lie in the integers of mathematics, for one launch?

It decides what is looked at at all: what cannot leave its type here is right for every thread.

Rules    As `affine.ranges`, over exact values (`thread_values.py`), with the numbers of the launch for registers and
         arguments; the comparisons on the way to the place of the index count.
Bounded  where no launch is known, blocks are as many as the comparisons with constants and with numbers of 64 bits ask
         for (`limit`), and nothing is assumed where there are none.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, final

from analysis.affine import interval_rules
from analysis.affine.guards import Fact, refined
from analysis.affine.interval import Interval, type_range
from analysis.affine.result import AffineResult
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Constant, Convert, Load, Math, Phi, ReadSpecial, Select, Unary
from analysis.ir.operators import CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import IntegerType
from analysis.overflow.model import Extents, Launched
from analysis.overflow.thread_values import EXACT, FunctionFlow

MAX_DEPTH: Final = 40
_UPPER: Final = frozenset({CompareOperator.LESS, CompareOperator.LESS_EQUAL, CompareOperator.EQUAL})


@final
class IndexIntervals:
    def __init__(self, flow: FunctionFlow, affine: AffineResult, launched: Launched) -> None:
        self._flow = flow
        self._affine = affine
        self._launched = launched
        self._found: dict[tuple[ValueId, BasicBlockId], Interval] = {}
        self._guards: defaultdict[ValueId, list[tuple[BasicBlockId, Fact]]] = defaultdict(list)
        for value, facts in affine.ranges.guards.in_block.items():
            self._guards[flow.without_conversions(value)] += facts

    def of(self, value: ValueId, block: BasicBlockId, depth: int = 0) -> Interval:
        """Where `block` reads it."""
        key = value, block
        found = self._found.get(key)
        if found is None:
            self._found[key] = self._affine.range(value)  # of what rests on itself
            found = self._affine.range(value) if depth > MAX_DEPTH else self._refined(value, block, depth + 1)
            self._found[key] = found
        return found

    def _refined(self, value: ValueId, block: BasicBlockId, depth: int) -> Interval:
        found = self._exact(value, block, depth)
        for place, (operator, other) in self._guards.get(value, ()):
            if self._flow.control.dominates(place, block):
                found = refined(found, operator, self.of(other, place, depth))
        return found

    def limit(self, value: ValueId, block: BasicBlockId) -> int | None:
        """The largest number that a comparison with a constant, or with 64 bits, lets through."""
        limits: list[int] = []
        for place, (operator, other) in self._guards.get(self._flow.without_conversions(value), ()):
            if operator in _UPPER and self._flow.control.dominates(place, block):
                known = self._known(other)
                if known is not None:
                    limits.append(known)
        return min(limits) if limits else None

    def _known(self, value: ValueId) -> int | None:
        source = self._flow.without_conversions(value)
        item = self._flow.definition(source)
        if isinstance(item, Constant) and isinstance(item.value, int):
            return item.value
        return self._launched.scalars.get(source)

    def _exact(self, value: ValueId, block: BasicBlockId, depth: int) -> Interval:
        flow, launched = self._flow, self._launched
        number = launched.scalars.get(value)
        if number is not None:
            return Interval(number, number)
        item, known = flow.definition(value), self._affine.range_at(value, block)
        if isinstance(item, ReadSpecial):
            return _register(item.register, launched.block, launched.grid) or known
        if not flow.is_number(value):
            return known
        match item:
            case Binary():
                return self._of_binary(item, block, known, depth)
            case Convert(operand=operand) if flow.is_number(operand):
                return self.of(operand, block, depth)
            case Unary(operator=UnaryOperator.NEGATE, operand=operand):
                side = self.of(operand, block, depth)
                return Interval(-side.high, -side.low)
            case Select(if_true=one, if_false=other):
                return self.of(one, block, depth).join(self.of(other, block, depth))
            case Math(function=MathFunction.MINIMUM | MathFunction.MAXIMUM as function, operands=operands):
                return interval_rules.math(function, [self.of(one, block, depth) for one in operands]) or known
            case Phi():
                return self._of_phi(item, block, known, depth)
            case Load() if (stored := flow.stored(item)) is not None:
                return self.of(stored, block, depth)
            case _:
                return known

    def _of_binary(self, item: Binary, block: BasicBlockId, known: Interval, depth: int) -> Interval:
        left, right = self.of(item.left, block, depth), self.of(item.right, block, depth)
        found = interval_rules.BINARY_RULES[item.operator](left, right)
        if found is None:
            return known
        return found if item.operator in EXACT else known.meet(found) or known

    def _of_phi(self, phi: Phi, block: BasicBlockId, known: Interval, depth: int) -> Interval:
        counter = self._flow.counter(phi)
        if counter is None:
            home = self._flow.home(phi.result)
            cycle = self._flow.control.innermost_cycle(home)
            if cycle is not None and cycle.header == home:
                return known
            sides = [self.of(value, source, depth) for source, value in phi.incoming]
            found = sides[0]
            for side in sides[1:]:
                found = found.join(side)
            return found
        first = self.of(counter.first, self._flow.control.order[0], depth)
        if counter.step is None:
            return first
        step = self.of(counter.step, phi.incoming[0][0], depth)
        if counter.sign * step.low >= 0 and counter.sign * step.high >= 0:
            return Interval(min(first.low, known.high), max(known.high, first.low))
        return known


def _register(register: SpecialRegister, block: Extents, grid: Extents) -> Interval | None:
    place = _EXTENTS.get(register)
    if place is None:
        return None
    of_grid, axis, is_extent = place
    extent = (grid if of_grid else block)[axis]
    return Interval(extent, extent) if is_extent else Interval(0, max(0, extent - 1))


_EXTENTS: Final = {
    SpecialRegister.THREAD_X: (False, 0, False),
    SpecialRegister.THREAD_Y: (False, 1, False),
    SpecialRegister.THREAD_Z: (False, 2, False),
    SpecialRegister.BLOCK_X: (True, 0, False),
    SpecialRegister.BLOCK_Y: (True, 1, False),
    SpecialRegister.BLOCK_Z: (True, 2, False),
    SpecialRegister.BLOCK_DIM_X: (False, 0, True),
    SpecialRegister.BLOCK_DIM_Y: (False, 1, True),
    SpecialRegister.BLOCK_DIM_Z: (False, 2, True),
    SpecialRegister.GRID_DIM_X: (True, 0, True),
    SpecialRegister.GRID_DIM_Y: (True, 1, True),
    SpecialRegister.GRID_DIM_Z: (True, 2, True),
}


def fits(interval: Interval, type_: IntegerType) -> bool:
    """Whether no number of it leaves the type."""
    return interval.within(type_range(type_))
