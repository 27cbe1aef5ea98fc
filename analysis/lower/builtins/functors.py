"""What a function object that is passed to a library routine computes, emitted where the routine calls it.

Known are the function objects of the standard library and cub, and whatever the file declares itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.types import BOOLEAN, HandleType, StructType, Type
from analysis.lower.builtins.core import BoundCall
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.layouts import declared_in
from analysis.lower.builtins.operations import emit_operator
from analysis.lower.builtins.standard import functor_operator

Combine: TypeAlias = Callable[[ValueId, ValueId], ValueId | None]
"""Emits `function(left, right)`; None where that cannot be expressed."""


def combiner(call: BoundCall, index: int | None) -> Combine:
    """The function object at argument `index`; a sum where there is none."""

    def combine(left: ValueId, right: ValueId) -> ValueId | None:
        builder, type = call.builder, call.builder.type_of(left)
        if index is None:
            return emit_operator(builder, BinaryOperator.ADD, (left, right), type, call.span)
        function = call.type_of(index)
        operator = functor_operator(function)
        if operator is not None:
            return emit_operator(builder, operator, (left, right), type, call.span)
        extremum = _EXTREMA.get(function.name) if isinstance(function, HandleType) else None
        if extremum is not None:
            return by_value(call, extremum, left, right)
        found = None if call.call.apply is None else call.call.apply(index, (left, right))
        return None if found is None else builder.convert(found, type, call.span)

    return combine


_EXTREMA: Final = {"cub::ArgMax": CompareOperator.GREATER, "cub::ArgMin": CompareOperator.LESS}


def by_value(call: BoundCall, better: CompareOperator, left: ValueId, right: ValueId) -> ValueId | None:
    """The pair with the better value; of equal ones that with the smaller key."""
    emit = Emitter(call.builder, call.span)
    type = emit.type_of(left)
    members = _members(call, type)
    if members is None:
        return None
    key, value = members
    keys = [call.builder.extract(pair, 0, key, call.span) for pair in (left, right)]
    values = [call.builder.extract(pair, 1, value, call.span) for pair in (left, right)]
    is_better = emit.compare(better, values[1], values[0])
    is_tie = call.builder.binary(
        BinaryOperator.LOGICAL_AND,
        emit.compare(CompareOperator.EQUAL, values[1], values[0]),
        emit.compare(CompareOperator.LESS, keys[1], keys[0]),
        BOOLEAN,
        call.span,
    )
    takes_right = call.builder.binary(BinaryOperator.LOGICAL_OR, is_better, is_tie, BOOLEAN, call.span)
    return emit.select(takes_right, right, left)


def _members(call: BoundCall, type: Type) -> tuple[Type, Type] | None:
    layout = declared_in(call.builder, type) if isinstance(type, StructType) else None
    if layout is None or len(layout.fields) != 2:
        return None
    return layout.fields[0].type, layout.fields[1].type
