"""Short names for the arithmetic that builtins expand to; the type is that of the left operand."""

from __future__ import annotations

from typing import final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.source import Span
from analysis.ir.types import U32, Type
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins.operations import emit_select


@final
class Emitter:
    """Appends to `builder`, everything at one span."""

    __slots__ = ("builder", "span")

    def __init__(self, builder: FunctionBuilder, span: Span) -> None:
        self.builder = builder
        self.span = span

    def constant(self, value: int | float | None, type: Type = U32) -> ValueId:
        return self.builder.constant(value, type, self.span)

    def special(self, register: SpecialRegister, type: Type = U32) -> ValueId:
        return self.builder.special(register, self.span, type)

    def number(self, value: int, like: ValueId) -> ValueId:
        """A constant of the type of `like`."""
        return self.builder.constant(value, self.builder.type_of(like), self.span)

    def binary(self, operator: BinaryOperator, left: ValueId, right: ValueId) -> ValueId:
        return self.builder.binary(operator, left, right, self.builder.type_of(left), self.span)

    def with_number(self, operator: BinaryOperator, left: ValueId, right: int) -> ValueId:
        """`left operator right` for a constant of the type of `left`."""
        return self.binary(operator, left, self.number(right, left))

    def add(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.ADD, left, right)

    def subtract(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.SUBTRACT, left, right)

    def multiply(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.MULTIPLY, left, right)

    def divide(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.DIVIDE, left, right)

    def remainder(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.REMAINDER, left, right)

    def bit_and(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.AND, left, right)

    def bit_or(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.OR, left, right)

    def shift_left(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.SHIFT_LEFT, left, right)

    def shift_right(self, left: ValueId, right: ValueId) -> ValueId:
        return self.binary(BinaryOperator.SHIFT_RIGHT, left, right)

    def complement(self, value: ValueId) -> ValueId:
        return self.builder.unary(UnaryOperator.COMPLEMENT, value, self.builder.type_of(value), self.span)

    def compare(self, operator: CompareOperator, left: ValueId, right: ValueId) -> ValueId:
        return self.builder.compare(operator, left, right, self.span)

    def math(self, function: MathFunction, *arguments: ValueId, type: Type | None = None) -> ValueId:
        result = self.builder.type_of(arguments[0]) if type is None else type
        return self.builder.math(function, arguments, result, self.span)

    def select(self, condition: ValueId, if_true: ValueId, if_false: ValueId) -> ValueId:
        return emit_select(self.builder, condition, if_true, if_false, self.span)

    def convert(self, value: ValueId, type: Type) -> ValueId:
        return self.builder.convert(value, type, self.span)

    def type_of(self, value: ValueId) -> Type:
        return self.builder.type_of(value)
