"""Addresses that are a pattern over the threads plus a few numbers on which all threads agree.

    x[blockIdx.x * blockDim.x + threadIdx.x + j]     pattern   what it is for j = 0: follows from who a thread is
                                                     numbers   j, a scalar where all threads are in the same round

Where an access in a loop is one, the pattern is computed once for all warps of a frame, its bounds are checked once,
and a round only asks whether the numbers shift it out of its object (`sim.memory.patterns`).  Whether threads do agree
is seen when the code runs: by the shape of the registers.  Otherwise the usual code runs, as it does where the access
is watched, memory may be unwritten, or an address is bad.

Exact     An index of 32 bits wraps.  The pattern is what it is for numbers of 0, taken as the index's type; the sum is
          the address only where no thread's index leaves that type, which is asked each time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final, final

from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    ReadSpecial,
    Select,
    Store,
    Unary,
)
from analysis.ir.operators import BinaryOperator, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import IntegerType, PointerType
from sim.code.placement import Placement
from sim.code.segments import SegmentedFunction

_MOST_STEPS: Final = 48
"""Instructions that a pattern is made of."""
_MOST_NUMBERS: Final = 4
_MOST_TERMS: Final = 8
_OF_THREAD: Final = (
    SpecialRegister.THREAD_X,
    SpecialRegister.THREAD_Y,
    SpecialRegister.THREAD_Z,
    SpecialRegister.LANE,
)
_OF_BLOCK: Final = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)
_PLAIN: Final = (Unary, Binary, Compare, Select, Convert, Bitcast, ElementAddress, FieldAddress)


@final
@record
class Term:
    """A number times what the launch fixes: `moving * factors[0] * ... * sign`, shifted by `shift`."""

    moving: ValueId
    factors: tuple[ValueId, ...] = ()
    sign: int = 1
    shift: int = 0


@final
@record
class Index:
    """An index of an address: something fixed plus `terms`, modulo the width of its type."""

    value: ValueId
    element: ValueId
    """The address of the element: its type says how long one is."""
    terms: tuple[Term, ...]


@final
@record
class Form:
    """An address as a pattern and numbers; `indices` are those in it that have something moving."""

    address: ValueId
    indices: tuple[Index, ...]
    needs_block: bool
    """Whether it depends on which block a thread is in, and not only on where in the block; where an object of the
    block itself begins does not count."""
    steps: int
    """How many instructions the pattern is made of."""

    @property
    def moving(self) -> tuple[ValueId, ...]:
        return tuple(dict.fromkeys(term.moving for index in self.indices for term in index.terms))


@final
class Finder:
    """The forms of one function's addresses."""

    def __init__(self, function: Function, placement: Placement) -> None:
        self._function = function
        self._placement = placement
        self.made = {one.result: one for _, one in function.instructions() if one.result is not None}
        self._fixed: dict[ValueId, int] = {}
        """How many steps make a value that follows from who the thread is; more than enough where it does not."""

    def find(self, address: ValueId) -> Form | None:
        """None where nothing is known, it would be too long, or a number would differ from thread to thread."""
        if address not in self._placement.roots:
            return None
        indices: list[Index] = []
        pointer = address
        while not self._is_fixed(pointer):
            one = self.made.get(pointer)
            match one:
                case ElementAddress(base=base, index=index):
                    terms = tuple(islice(self._terms(index, Term(index)), _MOST_TERMS + 1))
                    if len(terms) > _MOST_TERMS:
                        return None
                    if terms:
                        indices.append(Index(index, one.result, terms))
                    pointer = base
                case FieldAddress(base=base):
                    pointer = base
                case _:
                    return None
        moving = {term.moving for index in indices for term in index.terms}
        if len(moving) > _MOST_NUMBERS or any(self._reads(value, (), _OF_THREAD) for value in moving):
            return None
        needs_block = self._reads(address, moving, _OF_BLOCK) or self._reads_addresses(address, moving)
        steps = sum(1 for _ in self._steps_to(address, moving))
        return Form(address, tuple(indices), needs_block, steps)

    def _terms(self, value: ValueId, so_far: Term) -> Iterator[Term]:
        """What moves in a sum."""
        if self._is_fixed(value):
            return
        one, type = self.made.get(value), self._function.types[value]
        if not isinstance(type, IntegerType) or type.bits not in (32, 64):
            yield replace(so_far, moving=value)
            return
        match one:
            case Binary(operator=BinaryOperator.ADD):
                yield from self._terms(one.left, so_far)
                yield from self._terms(one.right, so_far)
            case Binary(operator=BinaryOperator.SUBTRACT):
                yield from self._terms(one.left, so_far)
                yield from self._terms(one.right, replace(so_far, sign=-so_far.sign))
            case Binary(operator=BinaryOperator.MULTIPLY) if one.right in self._placement.hoisted:
                yield from self._terms(one.left, replace(so_far, factors=(*so_far.factors, one.right)))
            case Binary(operator=BinaryOperator.MULTIPLY) if one.left in self._placement.hoisted:
                yield from self._terms(one.right, replace(so_far, factors=(*so_far.factors, one.left)))
            case Binary(operator=BinaryOperator.SHIFT_LEFT) if 0 <= self._number(one.right) < type.bits:
                yield from self._terms(one.left, replace(so_far, shift=so_far.shift + self._number(one.right)))
            case Convert(operand=operand) if self._width(operand) == type.bits:
                yield from self._terms(operand, so_far)
            case _:
                yield replace(so_far, moving=value)

    def _reads(self, start: ValueId, known: Collection[ValueId], registers: Collection[SpecialRegister]) -> bool:
        """Whether a value is computed from one of these registers, without phis and memory, and not through `known`."""
        steps = self._steps_to(start, known)
        return any(isinstance(one, ReadSpecial) and one.register in registers for one in steps)

    def _reads_addresses(self, start: ValueId, known: Collection[ValueId]) -> bool:
        """Whether a number on the way to an address is made of another address: that of a shared variable is another
        one in each block, though no block's number is in it."""
        types = self._function.types
        return any(
            one.result is not None
            and not isinstance(types[one.result], PointerType)
            and any(isinstance(types[operand], PointerType) for operand in one.operands)
            for one in self._steps_to(start, known)
            if not isinstance(one, Load)
        )

    def _steps_to(self, start: ValueId, known: Collection[ValueId]) -> Iterator[Instruction]:
        """What computes a value, without phis, and without what comes before loads and `known`."""
        seen, left = set(known), [start]
        while left:
            value = left.pop()
            one = self.made.get(value)
            if value in seen or value in self._placement.hoisted or one is None:
                continue
            seen.add(value)
            yield one
            left += () if isinstance(one, Load) else one.operands

    def _number(self, value: ValueId) -> int:
        """Of a constant; -1 for anything else."""
        one = self.made.get(value)
        return one.value if isinstance(one, Constant) and isinstance(one.value, int) else -1

    def _width(self, value: ValueId) -> int | None:
        """Of a scalar integer."""
        type = self._function.types[value]
        return type.bits if isinstance(type, IntegerType) else None

    def _is_fixed(self, value: ValueId) -> bool:
        return self._steps(value) <= _MOST_STEPS

    def _steps(self, value: ValueId) -> int:
        known = self._fixed.get(value)
        if known is None:
            one = self.made.get(value)
            if value in self._placement.hoisted or value in self._placement.recomputed:
                known = 0
            elif isinstance(one, _PLAIN):
                known = 1 + sum(map(self._steps, one.operands))
            else:
                known = _MOST_STEPS + 1
            self._fixed[value] = known
        return known


def forms_of(function: Function, placement: Placement) -> dict[ValueId, Form]:
    """By address, of all loads and stores."""
    finder = Finder(function, placement)
    addresses = {one.address for _, one in function.instructions() if isinstance(one, Load | Store)}
    forms = {address: finder.find(address) for address in addresses}
    return {address: form for address, form in forms.items() if form is not None}


def in_loops(segmented: SegmentedFunction) -> frozenset[int]:
    """Segments between the ends of an edge that goes back; some of them may lie in no loop."""
    found: set[int] = set()
    for number, segment in enumerate(segmented.segments, segmented.first):
        for target in segment.terminator.successors if segment.terminator is not None else ():
            found.update(range(segmented.first_of_block[target], number + 1))
    return frozenset(found)
