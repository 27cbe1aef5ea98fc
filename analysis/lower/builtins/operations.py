"""Emits one operator of the IR over converted arguments; over vectors, element by element.

An operator is a member of one of the IR's closed vocabularies, or a `Move`: CUDA's table rows need nothing else.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias, assert_never

from analysis.ir.arithmetic import Select
from analysis.ir.ids import ValueId
from analysis.ir.memory import BuildAggregate
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.source import Span
from analysis.ir.types import Type, VectorType
from analysis.lower.builder import FunctionBuilder


class Move(Enum):
    """Operations that compute nothing."""

    CONVERT = "convert"
    """To the result type, keeping the number where possible."""
    BITCAST = "bitcast"
    """To the result type, keeping the bits."""
    BUILD = "build"
    """An aggregate from its members."""


Operator: TypeAlias = MathFunction | BinaryOperator | UnaryOperator | CompareOperator | SpecialRegister | Move


def emit_operator(
    builder: FunctionBuilder, operator: Operator, arguments: tuple[ValueId, ...], result: Type, span: Span
) -> ValueId:
    """The value of `operator` over `arguments`, which have the types that the signature promises."""
    if isinstance(result, VectorType) and operator not in (Move.BUILD, Move.BITCAST):
        return _per_element(builder, operator, arguments, result, span)
    match operator:
        case MathFunction():
            return builder.math(operator, arguments, result, span)
        case BinaryOperator():
            return builder.binary(operator, arguments[0], arguments[1], result, span)
        case UnaryOperator():
            return builder.unary(operator, arguments[0], result, span)
        case CompareOperator():
            return builder.convert(builder.compare(operator, arguments[0], arguments[1], span), result, span)
        case SpecialRegister():
            return builder.special(operator, span, result)
        case Move.CONVERT:
            return builder.convert(arguments[0], result, span)
        case Move.BITCAST:
            return builder.bitcast(arguments[0], result, span)
        case Move.BUILD:
            return build_aggregate(builder, arguments, result, span)
        case _:
            assert_never(operator)


def build_aggregate(builder: FunctionBuilder, elements: tuple[ValueId, ...], type: Type, span: Span) -> ValueId:
    """An aggregate value of `type` from its members."""
    result = builder.value(type)
    builder.emit(BuildAggregate(result, elements, span))
    return result


def emit_select(
    builder: FunctionBuilder, condition: ValueId, if_true: ValueId, if_false: ValueId, span: Span
) -> ValueId:
    """A choice that the builtin makes; no source branch stands behind it."""
    result = builder.value(builder.type_of(if_true))
    builder.emit(Select(result, condition, if_true, if_false, None, span))
    return result


def vector_elements(builder: FunctionBuilder, vector: ValueId, span: Span) -> tuple[ValueId, ...]:
    """The members of a vector value; a scalar is its own member."""
    type = builder.type_of(vector)
    if not isinstance(type, VectorType):
        return (vector,)
    return tuple(builder.extract(vector, index, type.element, span) for index in range(type.length))


def _per_element(
    builder: FunctionBuilder, operator: Operator, arguments: tuple[ValueId, ...], result: VectorType, span: Span
) -> ValueId:
    """Scalars among the arguments take part in every element."""
    columns = [vector_elements(builder, argument, span) for argument in arguments]
    rows = [tuple(column[index % len(column)] for column in columns) for index in range(result.length)]
    elements = tuple(emit_operator(builder, operator, row, result.element, span) for row in rows)
    return build_aggregate(builder, elements, result, span)
