"""In which bits may the lanes of one warp differ, and how many bits at the end are zero?

Question  `(t & m) >> 5`, `i >> (5 + k)`, `i & step`, `i / (32 * n)`, `i < 32 * n`: none is linear in the lane, and all
          agree in a warp of 32 whose lanes differ in the five lowest bits of `t` and `i`.
Bits      The lanes of a warp that execute one dynamic instance of a definition agree in every bit that is not in
          `differing`.  In a warp a linear form is `A + e(lane)` with `A` a multiple of `2^a` (`windows.py`); if no
          `e(lane)` leaves `0 .. 2^a - 1`, the bits from `a` on are those of `A`, and the lower ones are those of
          `e(lane)`, which are numbers.
Rules     Let `d` and `e` be the bits in which the two operands differ, `2^b` the first power of two above `d`.
          and, or, xor   work on each bit apart: `d | e`; bits that are zero in one side (`and`) agree.
          x >> k         the bits of `d`, moved by a known `k`.  By a `k >= b` that agrees in the warp nothing of `d` is
                         left; a sign that agrees fills in the same bits in all lanes.
          x / y          for `x >= 0` and `y` a multiple of `2^b` that agrees: `x = q * 2^b + r` with `r < 2^b`, so
                         `x / (m * 2^b) = q / m`, and `q` agrees.
          x % y          there, `(q % m) * 2^b + r`: still `d`.
          x + y, x - y   for `y` a multiple of `2^b` that agrees nothing is carried into it: still `d`.
          x < y          for `y` a multiple of `2^b` that agrees: `q * 2^b + r < m * 2^b` if and only if `q < m`, where
                         the sign agrees; so for `>=`, and for `<=` and `>` of `y` one below such a multiple.
          conversions    keep the bits; a sign that differs would be copied into all bits above.
Zeros     `zeros` counts the low bits that are zero in every execution of a definition, whoever reads it.  A phi has
          those that all its operands have; in a loop that is supposed of the phi first and then found true of what
          comes back (induction over the rounds): the greatest solution, over all that a value is computed from.
Cost      Bits that differ: values that divergence calls varying alone, from `/ & >>` and comparisons backwards,
          `MAX_DEPTH` deep, each once.  Zeros: each value as often as its number falls; that of a phi which still falls
          after `MAX_ROUNDS` rounds is given up.
Gives up  at memory, at phis of values that differ, at counts and divisors of which no bound is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.affine.addresses import is_address
from analysis.affine.facts import AffineFacts
from analysis.affine.interval import Interval
from analysis.affine.windows import window_of
from analysis.divergence.levels import Level
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Compare, Constant, Convert, Phi, Select, Unary
from analysis.ir.integers import power_of_two_in
from analysis.ir.operators import MIRRORED, ORDERINGS, BinaryOperator, CompareOperator, UnaryOperator
from analysis.ir.pace import paced
from analysis.ir.types import BooleanType, IntegerType

MAX_DEPTH: Final = 12
MAX_ROUNDS: Final = 8
"""After which a phi whose zeros still fall keeps what its linear form alone says."""
ALL_ZERO: Final = 64
_BITWISE: Final = frozenset({BinaryOperator.AND, BinaryOperator.OR, BinaryOperator.XOR})
_BELOW: Final = frozenset({CompareOperator.LESS, CompareOperator.GREATER_EQUAL})


@final
class LowBits:
    """Answers about the integers and booleans of one function."""

    def __init__(self, facts: AffineFacts, control: ControlFlow) -> None:
        self._facts = facts
        self._control = control
        self._types = facts.function.types
        self._differing: dict[ValueId, int] = {}
        self._zeros: dict[ValueId, int] = {}

    def agreeing(self) -> Iterator[ValueId]:
        """Values that agree in each warp, although divergence calls them varying."""
        divergence = self._facts.divergence
        for block in self._control.order:
            for item in paced(self._facts.function.blocks[block].instructions, 2):
                if type(item) is Binary:
                    if item.operator not in _LOSING:
                        continue
                elif type(item) is not Compare:
                    continue
                if divergence.agrees_in_warp(item.result):
                    continue
                if self._whole(item.result) and not self._of(item.result, 0):
                    yield item.result

    # -- bits that differ -------------------------------------------------------------------------------------------

    def _whole(self, value: ValueId) -> int:
        """All bits of its type; 0 for what is no integer."""
        match self._types[value]:
            case IntegerType(bits=bits):
                return (1 << bits) - 1
            case BooleanType():
                return 1
            case _:
                return 0

    def _read(self, value: ValueId, block: BasicBlockId, depth: int) -> int:
        """The bits in which lanes differ that read the value together in `block`."""
        facts = self._facts
        if facts.divergence.use_level(value, block) <= Level.WARP:
            return 0
        if depth > MAX_DEPTH or not facts.uniformity.keeps_instances(value, block):
            return self._whole(value)
        return self._of(value, depth)

    def _of(self, value: ValueId, depth: int) -> int:
        """The bits in which lanes differ that define the value together."""
        if self._facts.divergence.agrees_in_warp(value):
            return 0
        known = self._differing.get(value)
        if known is None:
            known = self._in_window(value)
            if known is None:
                known = self._of_definition(value, depth) & self._whole(value)
            self._differing[value] = known
        return known

    def _in_window(self, value: ValueId) -> int | None:
        """From the linear form; None where it does not tell the low bits from the others."""
        facts = self._facts
        form = facts.forms[value]
        window = None if form is None or is_address(facts, form) else window_of(facts, form)
        if window is None:
            return None
        numbers = [window.offset + window.stride * lane for lane in range(facts.divergence.launch.warp_size)]
        if min(numbers) < 0 or max(numbers) >= window.alignment:
            return None
        found = 0
        for number in numbers:
            found |= number ^ numbers[0]
        return found

    def _of_definition(self, value: ValueId, depth: int) -> int:
        divergence = self._facts.divergence
        item, block = divergence.definition(value), divergence.home(value)
        match item:
            case Binary():
                return self._of_binary(item, block, depth + 1)
            case Compare():
                return 0 if self._is_of_high_bits(item, block, depth + 1) else 1
            case Unary(operator=UnaryOperator.COMPLEMENT, operand=operand):
                return self._read(operand, block, depth + 1)
            case Convert(operand=operand) if self._whole(operand) and not isinstance(self._types[value], BooleanType):
                return self._of_conversion(value, operand, block, depth + 1)
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                if divergence.use_level(condition, block) <= Level.WARP:
                    return self._read(if_true, block, depth + 1) | self._read(if_false, block, depth + 1)
                return -1
            case _:
                return -1

    def _of_conversion(self, value: ValueId, operand: ValueId, block: BasicBlockId, depth: int) -> int:
        found = self._read(operand, block, depth)
        type_ = self._types[operand]
        has_sign = isinstance(type_, IntegerType) and type_.signed
        sign = self._whole(operand) + 1 >> 1
        return -1 if has_sign and found & sign and self._whole(value) > self._whole(operand) else found

    def _of_binary(self, item: Binary, block: BasicBlockId, depth: int) -> int:
        left, right = self._read(item.left, block, depth), self._read(item.right, block, depth)
        operator = item.operator
        if operator in _BITWISE:
            found = left | right
            if operator is BinaryOperator.AND:
                found &= self._possible(item.left) & self._possible(item.right)
            return found
        if operator is BinaryOperator.ADD and left == 0:
            return right if self._is_multiple(item.left, right) else -1
        if right:
            return -1
        match operator:
            case BinaryOperator.ADD | BinaryOperator.SUBTRACT:
                return left if self._is_multiple(item.right, left) else -1
            case BinaryOperator.SHIFT_RIGHT:
                return self._shifted(item, left, self._facts.ranges.at(item.right, block))
            case BinaryOperator.DIVIDE | BinaryOperator.REMAINDER:
                is_positive = self._facts.ranges.at(item.left, block).low >= 0
                if not is_positive or not self._is_multiple(item.right, left):
                    return -1
                return 0 if operator is BinaryOperator.DIVIDE else left
            case _:
                return -1

    def _shifted(self, item: Binary, differing: int, count: Interval) -> int:
        """By a count that agrees in the warp."""
        if count.low < 0:
            return -1
        sign = self._whole(item.left) + 1 >> 1
        if differing < min(sign, 1 << min(count.low, ALL_ZERO)):
            return 0
        type_ = self._types[item.left]
        has_sign = isinstance(type_, IntegerType) and type_.signed
        return differing >> count.low if count.low == count.high and not (has_sign and differing & sign) else -1

    def _is_of_high_bits(self, item: Compare, block: BasicBlockId, depth: int) -> bool:
        """Is it decided by the bits that agree?"""
        left, right = self._read(item.left, block, depth), self._read(item.right, block, depth)
        if bool(left) == bool(right):
            return False  # of two sides that agree divergence says so itself, once it knows that they do
        differing, other, operator = (left, item.right, item.operator) if left else (right, item.left, item.operator)
        if not left:
            if operator not in ORDERINGS:
                return False
            operator = MIRRORED[operator]
        if differing > self._whole(item.left) >> 1:
            return False  # the sign: a signed number is no multiple with a rest that is not negative
        if operator in _BELOW:
            return self._is_multiple(other, differing)
        if operator not in ORDERINGS:
            return False
        definition = self._facts.divergence.definition(other)
        if not isinstance(definition, Constant) or not isinstance(definition.value, int):
            return False
        return power_of_two_in(int(definition.value) + 1) > differing

    def _possible(self, value: ValueId) -> int:
        """The bits that may be set."""
        definition = self._facts.divergence.definition(value)
        if isinstance(definition, Constant) and isinstance(definition.value, int):
            return int(definition.value) & self._whole(value)
        zeros = self.zeros(value)
        return self._whole(value) >> zeros << zeros

    def _is_multiple(self, value: ValueId, differing: int) -> bool:
        """Of the first power of two above the bits that differ."""
        return self.zeros(value) >= differing.bit_length()

    # -- zeros at the end -------------------------------------------------------------------------------------------

    def zeros(self, value: ValueId) -> int:
        """How many low bits are zero in every execution of the definition."""
        if value not in self._zeros:
            self._solve(self._behind(value))
        return self._zeros[value]

    def _behind(self, value: ValueId) -> list[ValueId]:
        """What the zeros of the value follow from and is not known yet, operands mostly first."""
        found: dict[ValueId, None] = {}
        waiting = [value]
        while waiting:
            behind = waiting.pop()
            if behind not in found and behind not in self._zeros:
                found[behind] = None
                waiting.extend(self._followed(behind))
        return list(reversed(found))

    def _followed(self, value: ValueId) -> Sequence[ValueId]:
        match self._facts.divergence.definition(value):
            case Phi(incoming=incoming):
                return [operand for _, operand in incoming]
            case Select(if_true=if_true, if_false=if_false):
                return (if_true, if_false)
            case Convert(operand=operand):
                return (operand,)
            case Binary(operator=operator, left=left) if operator in _SHIFTS:
                return (left,)
            case Binary(left=left, right=right):
                return (left, right)
            case _:
                return ()

    def _solve(self, values: Sequence[ValueId]) -> None:
        """All bits are supposed to be zero, and fewer of them until each follows from the others."""
        least = {value: min(ALL_ZERO, self._facts.value_alignment(value).bit_length() - 1) for value in values}
        self._zeros.update(dict.fromkeys(values, ALL_ZERO))
        rounds, is_stable = 0, False
        while not is_stable:
            is_stable = True
            rounds += 1
            for value in values:
                found = min(ALL_ZERO, max(least[value], self._zeros_of_definition(value)))
                if found < self._zeros[value]:
                    is_loop = rounds > MAX_ROUNDS and isinstance(self._facts.divergence.definition(value), Phi)
                    self._zeros[value] = least[value] if is_loop else found
                    is_stable = False

    def _zeros_of_definition(self, value: ValueId) -> int:
        zeros = self._zeros
        match self._facts.divergence.definition(value):
            case Phi(incoming=incoming):
                return min(zeros[operand] for _, operand in incoming)
            case Select(if_true=if_true, if_false=if_false):
                return min(zeros[if_true], zeros[if_false])
            case Convert(operand=operand) if self._whole(operand) and self._whole(value) > 1:
                return zeros[operand]
            case Binary(operator=operator, left=left, right=right) if self._whole(value):
                return self._zeros_of_binary(operator, left, right)
            case _:
                return 0

    def _zeros_of_binary(self, operator: BinaryOperator, left: ValueId, right: ValueId) -> int:
        zeros = self._zeros
        match operator:
            case BinaryOperator.MULTIPLY:
                return zeros[left] + zeros[right]
            case BinaryOperator.AND:
                return max(zeros[left], zeros[right])
            case BinaryOperator.ADD | BinaryOperator.SUBTRACT | BinaryOperator.OR | BinaryOperator.XOR:
                return min(zeros[left], zeros[right])
            case BinaryOperator.SHIFT_LEFT:
                return zeros[left] + max(0, self._facts.ranges.of(right).low)
            case BinaryOperator.SHIFT_RIGHT:
                count = self._facts.ranges.of(right)
                return max(0, zeros[left] - count.high) if count.low >= 0 else 0
            case _:
                return 0


_LOSING: Final = frozenset({BinaryOperator.SHIFT_RIGHT, BinaryOperator.DIVIDE, BinaryOperator.AND})
"""Operations that may take away all bits in which lanes differ."""
_SHIFTS: Final = frozenset({BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT})
