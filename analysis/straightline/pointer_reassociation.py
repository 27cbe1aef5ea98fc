"""Pointer arithmetic reassociation: constants in indices become byte offsets of one address.

Why       `[register + constant]` is the only addressing mode: an address that differs from another one by a constant
          costs nothing if it is only loaded from or stored to.
Equal     `&a[c + 1 + b * n]` after `&a[c + b * n]` is `&p0[1]`: sums that differ in their constants alone belong to the
          first address that dominates them.
First     `&a[i + 1]` on its own is `&(&a[i])[1]`, where the sum without its constant is a value that is there, or may
          be computed in 64 bits.
Exact     across a widening only where the narrow sum does not overflow (`exactness.py`).
Source    Wu et al., CGO 2016, section 3.4.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias, final

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Convert, ElementAddress, Instruction
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import S64, IntegerType, PointerType, Type
from analysis.lower.layouts import size_of
from analysis.straightline.code import Code
from analysis.straightline.exactness import ADDRESS_BITS, Exactness
from analysis.straightline.sums import Sums, Terms

IMMEDIATE: Final = 1 << 23
"""Bytes: offsets of machine instructions have 24 bits and a sign."""

_Group: TypeAlias = tuple[ValueId, Type, Terms]
_Basis: TypeAlias = tuple[ValueId, int]


def reassociate_pointers(code: Code, exactness: Exactness) -> None:
    """One pass; equal addresses that it makes are taken as one by `fold`."""
    code.rewrite(_Pass(code, exactness).visit)


@final
class _Pass:
    def __init__(self, code: Code, exactness: Exactness) -> None:
        self._code = code
        self._sums = Sums(code, exactness)
        self._bases: dict[_Group, list[_Basis]] = {}
        """The addresses of each group that dominate what is visited, with their constants."""

    def visit(self, block: BasicBlockId, instruction: Instruction) -> Iterable[Instruction]:
        if not isinstance(instruction, ElementAddress):
            return (instruction,)
        code, result = self._code, instruction.result
        size = self._element_size(result)
        code.define(instruction, block)
        address = self._sums.address(result)
        if size is None or not address.offset.terms:
            return (instruction,)
        group = address.root, address.type, address.offset.terms
        stack = self._bases.setdefault(group, [])
        while stack and not code.control.dominates(code.homes[stack[-1][0]], block):
            stack.pop()
        if stack:
            basis, constant = stack[-1]
            distance = address.offset.constant - constant
            if distance == 0:
                code.replace(result, basis)
                return ()
            if abs(distance * size) < IMMEDIATE:
                return (self._offset(instruction, basis, distance),)
            return (instruction,)
        return self._first(block, instruction, address.offset.constant, size, stack)

    def _first(
        self, block: BasicBlockId, instruction: ElementAddress, constant: int, size: int, stack: list[_Basis]
    ) -> Iterable[Instruction]:
        """An address that no other one dominates: its constant is taken out where that costs nothing."""
        code = self._code
        made: list[Instruction] = []
        index = None
        if constant and abs(constant * size) < IMMEDIATE:
            index = self._without_constant(instruction.index, constant, block, made)
        if index is None:
            stack.append((instruction.result, constant))
            return (instruction,)
        basis = code.value(code.types[instruction.result])
        stack.append((basis, 0))
        first = ElementAddress(basis, instruction.base, index, instruction.span)
        code.define(first, block)
        return (*made, first, self._offset(instruction, basis, constant))

    def _without_constant(
        self, index: ValueId, constant: int, block: BasicBlockId, made: list[Instruction]
    ) -> ValueId | None:
        """A value for an index without its constant; `made` are the instructions that it takes."""
        code, wanted = self._code, self._sums.index_sum(index)
        if wanted.constant != constant:
            return None  # some of it stands in the base
        definition = code.definitions.get(index)
        if isinstance(definition, Convert) and self._sums.index_sum(definition.operand) == wanted:
            return self._without_constant(definition.operand, constant, block, made)
        if not isinstance(definition, Binary):
            return None
        for part in definition.operands:
            rest = self._sums.index_sum(part)
            if rest.terms == wanted.terms and rest.constant == 0:
                return part
        type_ = code.types[index]
        if not isinstance(type_, IntegerType) or type_.bits != ADDRESS_BITS:
            return None
        if definition.operator not in (BinaryOperator.ADD, BinaryOperator.SUBTRACT):
            return None
        if code.number(definition.right) is not None:
            rest = self._sums.index_sum(definition.left)
            return self._without_constant(definition.left, rest.constant, block, made)
        if code.number(definition.left) is not None and definition.operator is BinaryOperator.ADD:
            rest = self._sums.index_sum(definition.right)
            return self._without_constant(definition.right, rest.constant, block, made)
        sides: list[ValueId] = []
        for part in definition.operands:
            rest = self._sums.index_sum(part)
            side = part if not rest.constant else self._without_constant(part, rest.constant, block, made)
            if side is None or code.types[side] != type_:
                return None
            sides.append(side)
        new = Binary(code.value(type_), definition.operator, sides[0], sides[1], definition.span)
        code.define(new, block)
        made.append(new)
        return new.result

    def _offset(self, instruction: ElementAddress, basis: ValueId, distance: int) -> ElementAddress:
        index = self._code.constant(S64, distance, instruction.span)
        return ElementAddress(instruction.result, basis, index, instruction.span)

    def _element_size(self, address: ValueId) -> int | None:
        type_ = self._code.types[address]
        return size_of(type_.element, self._code.function.structs) if isinstance(type_, PointerType) else None
