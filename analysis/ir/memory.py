"""Instructions over aggregates, addresses and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from analysis.ir.ids import ValueId
from analysis.ir.operators import AtomicOperator, BarrierOperator, MemoryScope, TextureOperation
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

    def renamed(self, names: Sequence[ValueId], span: Span) -> BuildAggregate:
        return BuildAggregate(names[self.result], tuple([names[value] for value in self.elements]), span)


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> ExtractElement:
        return ExtractElement(names[self.result], names[self.aggregate], self.index, span)


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> InsertElement:
        return InsertElement(names[self.result], names[self.aggregate], self.index, names[self.value], span)


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> ElementAddress:
        return ElementAddress(names[self.result], names[self.base], names[self.index], span)


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> FieldAddress:
        return FieldAddress(names[self.result], names[self.base], self.field, span)


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> PointerDifference:
        return PointerDifference(names[self.result], names[self.left], names[self.right], span)


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> Load:
        return Load(names[self.result], names[self.address], self.volatile, span)


@final
@record
class Store:
    """Writes `value`; defines nothing."""

    address: ValueId
    value: ValueId
    volatile: bool
    span: Span

    result: ClassVar[None] = None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address, self.value)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Store:
        return Store(names[self.address], names[self.value], self.volatile, span)


@final
@record
class Atomic:
    """A read-modify-write whose result is the old value.

    `arguments` is (value,), or (compare, value) for COMPARE_AND_SWAP; (count,) for the updates of a memory barrier.
    To threads outside of its `scope` it is a plain read and a plain write.
    """

    result: ValueId
    operator: AtomicOperator | BarrierOperator
    address: ValueId
    arguments: tuple[ValueId, ...]
    span: Span
    scope: MemoryScope = MemoryScope.DEVICE

    @property
    def is_for_block(self) -> bool:
        """Whether it is an atomic for threads of one block alone."""
        return self.scope in (MemoryScope.BLOCK, MemoryScope.WARP)

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address, *self.arguments)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Atomic:
        return Atomic(
            names[self.result],
            self.operator,
            names[self.address],
            tuple([names[value] for value in self.arguments]),
            span,
            self.scope,
        )


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> Texture:
        return Texture(
            None if self.result is None else names[self.result],
            self.operation,
            tuple([names[value] for value in self.arguments]),
            span,
        )


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> Allocate:
        return Allocate(names[self.result], names[self.size], span)
