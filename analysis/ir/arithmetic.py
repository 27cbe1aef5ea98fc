"""Instructions that compute: values from nowhere and pure functions of other values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from analysis.ir.ids import SourceBranchId, SymbolId, ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.record import record
from analysis.ir.source import Span


@final
@record
class Constant:
    """A literal; its C type is the result's type.  `None` stands for "some constant" (sizeof of an unknown type)."""

    result: ValueId
    value: int | float | bool | str | None
    span: Span

    operands: ClassVar[tuple[ValueId, ...]] = ()

    def renamed(self, names: Sequence[ValueId], span: Span) -> Constant:
        return Constant(names[self.result], self.value, span)


@final
@record
class Undefined:
    """An uninitialised value: whatever the thread finds."""

    result: ValueId
    span: Span

    operands: ClassVar[tuple[ValueId, ...]] = ()

    def renamed(self, names: Sequence[ValueId], span: Span) -> Undefined:
        return Undefined(names[self.result], span)


@final
@record
class ReadSpecial:
    """Reads a special register: `threadIdx.x`, the lane id, the clock."""

    result: ValueId
    register: SpecialRegister
    span: Span

    operands: ClassVar[tuple[ValueId, ...]] = ()

    def renamed(self, names: Sequence[ValueId], span: Span) -> ReadSpecial:
        return ReadSpecial(names[self.result], self.register, span)


@final
@record
class TemplateArgument:
    """A template's non-type parameter, in an analysis without arguments: one constant for the whole grid."""

    result: ValueId
    name: str
    span: Span

    operands: ClassVar[tuple[ValueId, ...]] = ()

    def renamed(self, names: Sequence[ValueId], span: Span) -> TemplateArgument:
        return TemplateArgument(names[self.result], self.name, span)


@final
@record
class SymbolAddress:
    """The address of a local, shared, constant or global variable."""

    result: ValueId
    symbol: SymbolId
    span: Span

    operands: ClassVar[tuple[ValueId, ...]] = ()

    def renamed(self, names: Sequence[ValueId], span: Span) -> SymbolAddress:
        return SymbolAddress(names[self.result], self.symbol, span)


@final
@record
class Unary:
    """Arithmetic negation, bitwise complement, logical not."""

    result: ValueId
    operator: UnaryOperator
    operand: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.operand,)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Unary:
        return Unary(names[self.result], self.operator, names[self.operand], span)


@final
@record
class Binary:
    """Arithmetic over operands of the result's type (shift counts may have another integer type)."""

    result: ValueId
    operator: BinaryOperator
    left: ValueId
    right: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.left, self.right)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Binary:
        return Binary(names[self.result], self.operator, names[self.left], names[self.right], span)


@final
@record
class Compare:
    """A comparison of two values of one type; the result is boolean."""

    result: ValueId
    operator: CompareOperator
    left: ValueId
    right: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.left, self.right)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Compare:
        return Compare(names[self.result], self.operator, names[self.left], names[self.right], span)


@final
@record
class Select:
    """`condition ? if_true : if_false` with both sides already computed: a source branch without control flow."""

    result: ValueId
    condition: ValueId
    if_true: ValueId
    if_false: ValueId
    branch: SourceBranchId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.condition, self.if_true, self.if_false)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Select:
        return Select(
            names[self.result],
            names[self.condition],
            names[self.if_true],
            names[self.if_false],
            self.branch,
            span,
        )


@final
@record
class Convert:
    """A conversion that keeps the number where it can (C's casts); the types say from what to what."""

    result: ValueId
    operand: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.operand,)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Convert:
        return Convert(names[self.result], names[self.operand], span)


@final
@record
class Bitcast:
    """The same bits under another type: pointer casts, `__float_as_int`."""

    result: ValueId
    operand: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.operand,)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Bitcast:
        return Bitcast(names[self.result], names[self.operand], span)


@final
@record
class Math:
    """A pure library function of its operands (`sinf`, `__popc`, `min`); the types give the precision."""

    result: ValueId
    function: MathFunction
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def renamed(self, names: Sequence[ValueId], span: Span) -> Math:
        return Math(names[self.result], self.function, tuple([names[value] for value in self.arguments]), span)
