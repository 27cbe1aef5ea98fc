"""Integers and addresses as sums: `(c + 1) + (b + 1) * n` is `1 * c + 1 * [(b + 1) * n] + 1`.

Atoms     values that are no sums: parameters, loads, products of two unknowns.
Index     `index_sum` is what an index adds to an address, modulo 2^64: sums are looked through across widenings where
          they are exact (`exactness.py`), and anywhere in 64 bits.
Word      `word_sum` is a value modulo its own width, where nothing need be known.
Address   the pointer at the bottom of a chain of `element` with one element type, and the sum of their indices.
Limits    sums of more than `MAX_TERMS` atoms, and deeper than `MAX_DEPTH`, are atoms.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Convert, ElementAddress
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.ir.types import IntegerType, Type
from analysis.straightline.code import Code
from analysis.straightline.exactness import ADDRESS_BITS, Exactness

MAX_TERMS: Final = 8
MAX_DEPTH: Final = 12

Terms: TypeAlias = tuple[tuple[ValueId, int], ...]
"""Atoms in ascending order, each with its factor, which is not 0."""


@final
@record
class Sum:
    """`sum(factor * atom) + constant`."""

    terms: Terms
    constant: int

    def without(self, atom: ValueId) -> Terms:
        return tuple(term for term in self.terms if term[0] != atom)

    def plus(self, other: Sum, factor: int, bits: int) -> Sum:
        """With `factor * other`, modulo `2 ** bits`; factors and constants are the smallest in magnitude."""
        factors = dict(self.terms)
        for atom, one in other.terms:
            factors[atom] = nearest(factors.get(atom, 0) + factor * one, bits)
        terms = tuple(sorted((atom, one) for atom, one in factors.items() if one))
        return Sum(terms, nearest(self.constant + factor * other.constant, bits))


NOTHING: Final = Sum((), 0)


def nearest(number: int, bits: int) -> int:
    """The representative of a number modulo `2 ** bits` that is nearest to 0."""
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


@final
@record
class Address:
    """`root` plus so many elements of the type that `type` points to."""

    root: ValueId
    type: Type
    offset: Sum


@final
class Sums:
    """Sums of the values of one `Code`, found anew for each pass."""

    def __init__(self, code: Code, exactness: Exactness) -> None:
        self._code = code
        self._exactness = exactness

    def index_sum(self, value: ValueId) -> Sum:
        """What the value, converted to 64 bits as its type says, is made of."""
        return self._sum(value, ADDRESS_BITS, 0)

    def word_sum(self, value: ValueId) -> Sum:
        """What the value is made of, modulo its own width."""
        type_ = self._code.types[value]
        return self._sum(value, type_.bits if isinstance(type_, IntegerType) else ADDRESS_BITS, 0)

    def address(self, value: ValueId) -> Address:
        """An address with all `element`s of one type taken off."""
        type_, offset = self._code.types[value], NOTHING
        for _ in range(MAX_DEPTH):
            definition = self._code.definitions.get(value)
            if not isinstance(definition, ElementAddress) or self._code.types[value] != type_:
                break
            more = offset.plus(self.index_sum(definition.index), 1, ADDRESS_BITS)
            if len(more.terms) > MAX_TERMS:
                break
            offset, value = more, definition.base
        return Address(value, type_, offset)

    def _sum(self, value: ValueId, bits: int, depth: int) -> Sum:
        """Modulo `2 ** bits`, of a value that has so many bits or is widened to them."""
        number = self._code.number(value)
        if number is not None:
            return Sum((), nearest(number, bits))
        atom = Sum(((value, 1),), 0)
        if depth > MAX_DEPTH:
            return atom
        match self._code.definitions.get(value):
            case Convert(operand=operand) if self._keeps(operand, value):
                return self._sum(operand, bits, depth + 1)
            case Binary() as binary if self._may_be_taken_apart(value, bits):
                found = self._binary(binary, bits, depth)
                return atom if found is None or len(found.terms) > MAX_TERMS else found
            case _:
                return atom

    def _binary(self, binary: Binary, bits: int, depth: int) -> Sum | None:
        match binary.operator:
            case BinaryOperator.ADD | BinaryOperator.SUBTRACT:
                sign = 1 if binary.operator is BinaryOperator.ADD else -1
                left = self._sum(binary.left, bits, depth + 1)
                return left.plus(self._sum(binary.right, bits, depth + 1), sign, bits)
            case BinaryOperator.MULTIPLY:
                for factor, other in ((binary.right, binary.left), (binary.left, binary.right)):
                    number = self._code.number(factor)
                    if number is not None:
                        return NOTHING.plus(self._sum(other, bits, depth + 1), number, bits)
                return None
            case BinaryOperator.SHIFT_LEFT:
                count = self._code.number(binary.right)
                if count is None or not 0 <= count < bits:
                    return None
                return NOTHING.plus(self._sum(binary.left, bits, depth + 1), 1 << count, bits)
            case _:
                return None

    def _may_be_taken_apart(self, value: ValueId, bits: int) -> bool:
        type_ = self._code.types[value]
        if not isinstance(type_, IntegerType):
            return False
        return type_.bits == bits or self._exactness.is_exact(value)

    def _keeps(self, operand: ValueId, result: ValueId) -> bool:
        """Does a conversion keep the number, whatever it is?"""
        source, target = self._code.types[operand], self._code.types[result]
        if not isinstance(source, IntegerType) or not isinstance(target, IntegerType):
            return False
        if source.bits < target.bits:
            return target.signed or not source.signed or target.bits == ADDRESS_BITS
        return source.bits == target.bits == ADDRESS_BITS
