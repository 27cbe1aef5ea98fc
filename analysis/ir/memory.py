"""Instructions over aggregates, addresses and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.ir.ids import ValueId
from analysis.ir.operators import AtomicOperator, TextureOperation
from analysis.ir.record import record
from analysis.ir.source import Span


@final
@record
class BuildAggregate:
    """A struct, vector or array value from its members in order."""

    result: ValueId
    elements: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.elements

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> BuildAggregate:
        assert result is not None
        return BuildAggregate(result, tuple(operands), span)


@final
@record
class ExtractElement:
    """Member `index` of an aggregate value."""

    result: ValueId
    aggregate: ValueId
    index: int
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.aggregate,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> ExtractElement:
        assert result is not None
        return ExtractElement(result, operands[0], self.index, span)


@final
@record
class InsertElement:
    """The aggregate with member `index` replaced."""

    result: ValueId
    aggregate: ValueId
    index: int
    value: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.aggregate, self.value)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> InsertElement:
        assert result is not None
        return InsertElement(result, operands[0], self.index, operands[1], span)


@final
@record
class ElementAddress:
    """`base + index * sizeof(E)` where E is the element type of the *result's* pointer type.

    So `p[i]` of `int (*p)[10]` strides by 40 bytes, and the following `[j]` strides by 4.
    """

    result: ValueId
    base: ValueId
    index: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.base, self.index)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> ElementAddress:
        assert result is not None
        return ElementAddress(result, operands[0], operands[1], span)


@final
@record
class FieldAddress:
    """The address of member `field` of the struct or vector that `base` points to."""

    result: ValueId
    base: ValueId
    field: int
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.base,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> FieldAddress:
        assert result is not None
        return FieldAddress(result, operands[0], self.field, span)


@final
@record
class PointerDifference:
    """`left - right` in elements of the operands' element type."""

    result: ValueId
    left: ValueId
    right: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.left, self.right)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> PointerDifference:
        assert result is not None
        return PointerDifference(result, operands[0], operands[1], span)


@final
@record
class Load:
    """Reads a value of the result's type; the space stands in the address's pointer type."""

    result: ValueId
    address: ValueId
    volatile: bool
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Load:
        assert result is not None
        return Load(result, operands[0], self.volatile, span)


@final
@record
class Store:
    """Writes `value`; defines nothing."""

    address: ValueId
    value: ValueId
    volatile: bool
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address, self.value)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Store:
        return Store(operands[0], operands[1], self.volatile, span)


@final
@record
class Atomic:
    """A read-modify-write whose result is the old value.

    `arguments` is (value,), or (compare, value) for COMPARE_AND_SWAP.
    """

    result: ValueId
    operator: AtomicOperator
    address: ValueId
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address, *self.arguments)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Atomic:
        assert result is not None
        return Atomic(result, self.operator, operands[0], tuple(operands[1:]), span)


@final
@record
class Texture:
    """A fetch from (or a store to) a texture or surface; `arguments` as written, the handle first."""

    result: ValueId | None
    operation: TextureOperation
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Texture:
        return Texture(result, self.operation, tuple(operands), span)


@final
@record
class Allocate:
    """Device-side `malloc` or `new`: a fresh address per thread; `size` in bytes."""

    result: ValueId
    size: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.size,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Allocate:
        assert result is not None
        return Allocate(result, operands[0], span)
