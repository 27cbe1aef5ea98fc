"""64-bit divisions whose operands fit 32 bits.

Narrow    where the ranges of both operands fit 32 bits, the division is done in 32 bits and the result is widened.
Bypass    elsewhere a test asks at run time: if the upper halves of both operands are 0, a division of 32 bits is done
          instead.  `bypassed` writes that as control flow, of which the long way is not expected.
Cost      about 20 machine instructions for 32 bits and 70 for 64 (`analysis/verdict/latency.py`); the test takes 3.
Not for   constant divisors: compilers multiply by the reciprocal.
Source    Wu et al., CGO 2016, section 3.6; LLVM, BypassSlowDivision.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.affine.interval import Interval, type_range
from analysis.ir.function import BasicBlock, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Constant, Convert, Instruction, Jump, Phi
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.record import record
from analysis.ir.types import BOOLEAN, S32, U32, U64, IntegerType, Type
from analysis.straightline.code import Code, renumbered

WIDE: Final = 64
_UPPER_HALF: Final = 0xFFFFFFFF00000000
_DIVIDES: Final = (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)

RangeAt: TypeAlias = Callable[[ValueId, BasicBlockId], Interval]
"""The numbers that a value of the function may be where a block reads it."""


def is_wide_division(instruction: Instruction, types: Sequence[Type]) -> bool:
    """Whether it divides 64-bit integers, or takes their remainder."""
    if not isinstance(instruction, Binary) or instruction.operator not in _DIVIDES:
        return False
    type_ = types[instruction.result]
    return isinstance(type_, IntegerType) and type_.bits == WIDE


def narrow_type(left: Interval, right: Interval) -> IntegerType | None:
    """The 32-bit type in which a division of such numbers gives the same; None where there is none.

    Divisors of 0 are left out: the division has no result then, in any width.
    """
    if left.within(type_range(U32)) and right.within(type_range(U32)):
        return U32
    overflows = left.low == type_range(S32).low and -1 in right  # -2^31 / -1
    if left.within(type_range(S32)) and right.within(type_range(S32)) and not overflows:
        return S32
    return None


def narrow_divisions(code: Code, range_at: RangeAt) -> None:
    """Divides in 32 bits where ranges say that nothing is lost."""
    code.rewrite(_Narrowing(code, range_at).visit)


@final
class _Narrowing:
    def __init__(self, code: Code, range_at: RangeAt) -> None:
        self._code = code
        self._range_at = range_at
        self._originals = len(code.function.types)

    def visit(self, block: BasicBlockId, instruction: Instruction) -> Iterable[Instruction]:
        code = self._code
        if not is_wide_division(instruction, code.types) or not isinstance(instruction, Binary):
            return (instruction,)
        if code.number(instruction.right) is not None or max(instruction.operands) >= self._originals:
            return (instruction,)
        left, right = (self._range_at(operand, block) for operand in instruction.operands)
        narrow = narrow_type(left, right)
        if narrow is None:
            return (instruction,)
        span = instruction.span
        parts = [Convert(code.value(narrow), operand, span) for operand in instruction.operands]
        divided = Binary(code.value(narrow), instruction.operator, parts[0].result, parts[1].result, span)
        for one in (*parts, divided):
            code.define(one, block)
        return (*parts, divided, Convert(instruction.result, divided.result, span))


# -- at run time -----------------------------------------------------------------------------------------------------


@final
@record
class Bypassed:
    """The function with a test in front of each wide division, and which block of the one before each block is part of.

    `long_ways` are the blocks that only operands of more than 32 bits come to.
    """

    function: Function
    origins: tuple[BasicBlockId, ...]
    long_ways: frozenset[BasicBlockId]
    divisions: int


@final
@record
class _Site:
    """The division at `index` of `block`."""

    block: BasicBlockId
    index: int
    division: Binary


def bypassed(function: Function) -> Bypassed:
    """`function` with run-time tests; constants are found among its instructions."""
    constants = {one.result for _, one in function.instructions() if isinstance(one, Constant)}
    sites = [
        _Site(BasicBlockId(block), index, one)
        for block, body in enumerate(function.blocks)
        for index, one in enumerate(body.instructions)
        if isinstance(one, Binary) and is_wide_division(one, function.types) and one.right not in constants
    ]
    return _Bypassing(function, sites).run()


@final
class _Bypassing:
    """Cuts blocks at their divisions; the pieces and the two ways between them are appended."""

    def __init__(self, function: Function, sites: Sequence[_Site]) -> None:
        self._function = function
        self._sites = sites
        self._types = list(function.types)
        self._blocks: list[BasicBlock | None] = list(function.blocks)
        self._origins = [BasicBlockId(index) for index in range(len(function.blocks))]
        self._long: set[BasicBlockId] = set()
        self._last: dict[BasicBlockId, BasicBlockId] = {}
        """Of each block that was cut, its last piece."""

    def run(self) -> Bypassed:
        by_block: dict[BasicBlockId, list[_Site]] = {}
        for site in self._sites:
            by_block.setdefault(site.block, []).append(site)
        for block, sites in by_block.items():
            self._cut(block, sites)
        blocks = [self._with_sources(block) for block in self._blocks if block is not None]
        made = renumbered(self._function, blocks, self._types)
        return Bypassed(made, tuple(self._origins), frozenset(self._long), len(self._sites))

    def _cut(self, block: BasicBlockId, sites: Sequence[_Site]) -> None:
        body = self._function.blocks[block]
        phis, start, here = body.phis, 0, block
        for site in sites:
            short, long, join = (self._new(block) for _ in range(3))
            self._long.add(long)
            test = self._test(site.division)
            branch = Branch(test[-1].result, short, long, None, site.division.span)
            self._blocks[here] = BasicBlock(phis, (*body.instructions[start : site.index], *test), branch)
            phis = (self._two_ways(site.division, short, long, join),)
            start, here = site.index + 1, join
        self._blocks[here] = BasicBlock(phis, body.instructions[start:], body.terminator)
        self._last[block] = here

    def _new(self, origin: BasicBlockId) -> BasicBlockId:
        self._blocks.append(None)
        self._origins.append(origin)
        return BasicBlockId(len(self._blocks) - 1)

    def _value(self, type_: Type) -> ValueId:
        self._types.append(type_)
        return ValueId(len(self._types) - 1)

    def _test(self, division: Binary) -> tuple[Binary | Convert | Constant | Compare, ...]:
        """Whether the upper halves of both operands are 0."""
        span = division.span
        prefix: list[Convert] = []
        left, right = self._unsigned(division, prefix)
        together = Binary(self._value(U64), BinaryOperator.OR, left, right, span)
        mask = Constant(self._value(U64), _UPPER_HALF, span)
        upper = Binary(self._value(U64), BinaryOperator.AND, together.result, mask.result, span)
        zero = Constant(self._value(U64), 0, span)
        fits = Compare(self._value(BOOLEAN), CompareOperator.EQUAL, upper.result, zero.result, span)
        return (*prefix, together, mask, upper, zero, fits)

    def _unsigned(self, division: Binary, made: list[Convert]) -> tuple[ValueId, ValueId]:
        operands: list[ValueId] = []
        for operand in division.operands:
            if self._types[operand] == U64:
                operands.append(operand)
            else:
                made.append(Convert(self._value(U64), operand, division.span))
                operands.append(made[-1].result)
        return operands[0], operands[1]

    def _two_ways(self, division: Binary, short: BasicBlockId, long: BasicBlockId, join: BasicBlockId) -> Phi:
        span, type_ = division.span, self._types[division.result]
        parts = [Convert(self._value(U32), operand, span) for operand in division.operands]
        narrow = Binary(self._value(U32), division.operator, parts[0].result, parts[1].result, span)
        widened = Convert(self._value(type_), narrow.result, span)
        self._blocks[short] = BasicBlock((), (*parts, narrow, widened), Jump(join, span))
        wide = Binary(self._value(type_), division.operator, division.left, division.right, span)
        self._blocks[long] = BasicBlock((), (wide,), Jump(join, span))
        return Phi(division.result, ((short, widened.result), (long, wide.result)), span)

    def _with_sources(self, block: BasicBlock) -> BasicBlock:
        """Phis name the last piece of a block that was cut."""
        phis = tuple(Phi(phi.result, tuple(_sorted_sources(phi.incoming, self._last)), phi.span) for phi in block.phis)
        return BasicBlock(phis, block.instructions, block.terminator)


def _sorted_sources(
    incoming: Iterable[tuple[BasicBlockId, ValueId]], last: Mapping[BasicBlockId, BasicBlockId]
) -> list[tuple[BasicBlockId, ValueId]]:
    return sorted((last.get(source, source), value) for source, value in incoming)
