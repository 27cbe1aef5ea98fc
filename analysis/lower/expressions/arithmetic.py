"""Built-in operators on values: arithmetic, comparisons, pointers, subscripts.

Rules   Operands are converted to the type of the operation first.
"""

from __future__ import annotations

from typing import Final

from analysis.cpp.conversions.standard import decayed as decayed_type
from analysis.cpp.types.arithmetic import common_arithmetic
from analysis.cpp.types.arithmetic import promoted as promoted_type
from analysis.cpp.types.model import Fundamental, QualType, fundamental
from analysis.ir.ids import ValueId
from analysis.ir.instructions import ElementAddress, PointerDifference
from analysis.ir.operators import BinaryOperator, CompareOperator, UnaryOperator
from analysis.ir.source import Span
from analysis.ir.types import (
    BOOLEAN,
    S32,
    S64,
    ArrayType,
    BooleanType,
    FloatType,
    IntegerType,
    PointerType,
    StructType,
    Type,
    UnknownType,
    VoidType,
)
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import arithmetic_type, convert, is_vague, promoted, truth
from analysis.lower.convert import implicit
from analysis.lower.expressions.dispatch import decayed, load
from analysis.lower.expressions.members import element_place, pointed_place
from analysis.lower.types import spelled

BINARY: Final = {
    "+": BinaryOperator.ADD,
    "-": BinaryOperator.SUBTRACT,
    "*": BinaryOperator.MULTIPLY,
    "/": BinaryOperator.DIVIDE,
    "%": BinaryOperator.REMAINDER,
    "&": BinaryOperator.AND,
    "|": BinaryOperator.OR,
    "^": BinaryOperator.XOR,
    "<<": BinaryOperator.SHIFT_LEFT,
    ">>": BinaryOperator.SHIFT_RIGHT,
    "bitand": BinaryOperator.AND,
    "bitor": BinaryOperator.OR,
    "xor": BinaryOperator.XOR,
}
COMPARE: Final = {
    "==": CompareOperator.EQUAL,
    "!=": CompareOperator.NOT_EQUAL,
    "not_eq": CompareOperator.NOT_EQUAL,
    "<": CompareOperator.LESS,
    "<=": CompareOperator.LESS_EQUAL,
    ">": CompareOperator.GREATER,
    ">=": CompareOperator.GREATER_EQUAL,
}
_INDEX: Final = fundamental(Fundamental.LONG)
_SHIFTS: Final = (BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT)


def arithmetic(ctx: LoweringContext, spelling: str, left: ValueId, right: ValueId, span: Span) -> ValueId:
    """A built-in operator on two values."""
    builder = ctx.builder
    left_type, right_type = builder.types[left], builder.types[right]
    compare = COMPARE.get(spelling)
    if compare is not None:
        return _compare(ctx, compare, left, right, span)
    operator = BINARY.get(spelling)
    if operator is None:
        return builder.opaque(f"operator {spelling}", (left, right), UnknownType(spelling), span)
    if isinstance(left_type, PointerType) or isinstance(right_type, PointerType):
        return _pointer_arithmetic(ctx, operator, left, right, span)
    if operator in _SHIFTS:
        type = promoted(left_type)
        exact = promoted_exactly(ctx, left)
        right = convert(builder, right, promoted(right_type), span)
        return ctx.typed(builder.binary(operator, convert(builder, left, type, span), right, type, span), exact)
    type = arithmetic_type(left_type, right_type)
    if isinstance(type, VoidType):
        return builder.opaque(f"operator {spelling} on {spelled(left_type)}", (left, right), type, span)
    exact = common_type(ctx, left, right)
    if left_type is not type:
        left = convert(builder, left, type, span)
    if right_type is not type:
        right = convert(builder, right, type, span)
    return ctx.typed(builder.binary(operator, left, right, type, span), exact)


def unary_arithmetic(ctx: LoweringContext, spelling: str, value: ValueId, span: Span) -> ValueId | None:
    """A built-in operator on one value; None where there is none of that spelling."""
    builder = ctx.builder
    match spelling:
        case "!" | "not":
            return builder.unary(UnaryOperator.LOGICAL_NOT, truth(builder, value, span), BOOLEAN, span)
        case "-" | "~" | "compl":
            operator = UnaryOperator.NEGATE if spelling == "-" else UnaryOperator.COMPLEMENT
            result = promoted(builder.types[value])
            exact = promoted_exactly(ctx, value)
            return ctx.typed(builder.unary(operator, convert(builder, value, result, span), result, span), exact)
        case "+":
            exact = promoted_exactly(ctx, value)
            return ctx.typed(convert(builder, value, promoted(builder.types[value]), span), exact)
        case _:
            return None


def promoted_exactly(ctx: LoweringContext, value: ValueId) -> QualType | None:
    exact = ctx.exact_type(value)
    return None if exact is None else promoted_type(exact)


def common_type(ctx: LoweringContext, left: ValueId, right: ValueId) -> QualType | None:
    """The C++ type in which both are computed with; None where it is not known."""
    one, other = ctx.exact_type(left), ctx.exact_type(right)
    return None if one is None or other is None else common_arithmetic(one, other)


def _compare(ctx: LoweringContext, operator: CompareOperator, left: ValueId, right: ValueId, span: Span) -> ValueId:
    builder = ctx.builder
    left_type, right_type = builder.types[left], builder.types[right]
    if isinstance(left_type, PointerType):
        type: Type = left_type
    elif isinstance(right_type, PointerType):
        type = right_type
    else:
        type = arithmetic_type(left_type, right_type) if left_type != right_type else left_type
    return builder.compare(operator, convert(builder, left, type, span), convert(builder, right, type, span), span)


def _pointer_arithmetic(
    ctx: LoweringContext, operator: BinaryOperator, left: ValueId, right: ValueId, span: Span
) -> ValueId:
    builder = ctx.builder
    left_type, right_type = builder.types[left], builder.types[right]
    if isinstance(left_type, PointerType) and isinstance(right_type, PointerType):
        if operator is BinaryOperator.SUBTRACT:
            result = ctx.typed(builder.value(S64), fundamental(Fundamental.LONG))
            builder.emit(PointerDifference(result, left, convert(builder, right, left_type, span), span))
            return result
    elif operator is BinaryOperator.ADD and isinstance(right_type, PointerType):
        return offset(ctx, right, left, span)
    elif operator is BinaryOperator.ADD:
        return offset(ctx, left, right, span)
    elif operator is BinaryOperator.SUBTRACT and isinstance(left_type, PointerType):
        return offset(ctx, left, negated(ctx, right, span), span)
    return builder.opaque(f"{operator.value} on pointers", (left, right), left_type, span)


def negated(ctx: LoweringContext, index: ValueId, span: Span) -> ValueId:
    """`-index`, widened first where it is unsigned."""
    builder = ctx.builder
    type = promoted(builder.types[index])
    if isinstance(type, IntegerType) and not type.signed:
        type = S64
    return builder.unary(UnaryOperator.NEGATE, convert(builder, index, type, span), type, span)


def offset(ctx: LoweringContext, pointer: ValueId, index: ValueId, span: Span) -> ValueId:
    """`pointer + index` in elements."""
    builder = ctx.builder
    type = builder.types[pointer]
    assert isinstance(type, PointerType)
    index = _as_index(ctx, index, span)
    exact = ctx.exact_type(pointer)
    result = ctx.typed(builder.value(type), None if exact is None else decayed_type(exact))
    builder.emit(ElementAddress(result, pointer, index, span))
    return result


def _as_index(ctx: LoweringContext, operand: Operand, span: Span) -> ValueId:
    """`operand` as an integer (or a value whose type is not known)."""
    builder = ctx.builder
    type = ctx.type_of(operand)
    if isinstance(type, StructType) and ctx.program.records.get(type.name) is not None:
        return implicit(ctx, operand, S64, span, _INDEX)  # by its conversion operator
    index = load(ctx, operand, span)
    type = builder.types[index]
    if isinstance(type, IntegerType) or is_vague(type):
        return index
    if isinstance(type, BooleanType | FloatType | PointerType):
        return convert(builder, index, S32 if isinstance(type, BooleanType) else S64, span)
    return builder.opaque(f"{spelled(type)} as an index", (index,), S64, span)


def subscript(ctx: LoweringContext, base: Operand, index: Operand, span: Span) -> Operand:
    """`base[index]` for an array or a pointer (or `index[base]`)."""
    builder = ctx.builder
    if isinstance(base, LValue) and isinstance(base.type, ArrayType):
        return element_place(ctx, base, base.type.element, _as_index(ctx, index, span), span)
    pointer = load(ctx, base, span)
    type = builder.types[pointer]
    if isinstance(ctx.type_of(index), PointerType) and not isinstance(type, PointerType):
        pointer, index = load(ctx, index, span), pointer
        type = builder.types[pointer]
    if not isinstance(type, PointerType):
        construct = f"subscript of {spelled(decayed(type))}"
        return builder.opaque(construct, (pointer, load(ctx, index, span)), UnknownType("element"), span)
    number = _as_index(ctx, index, span)
    return pointed_place(ctx, pointer, type, builder.element_address(pointer, number, type.element, span))
