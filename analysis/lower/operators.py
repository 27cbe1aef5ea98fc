"""Operators on classes and vectors: members, free functions anywhere in the unit, builtins.

Rules   Free operator functions are found in every namespace, which is what argument-dependent lookup amounts to;
        friends that a class body defines are found by their class.
        An assignment operator that nobody declares copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.ir.types import HandleType, IntegerType, PointerType, StructType, Type, VectorType
from analysis.lower.associated import associated_functions
from analysis.lower.builtins import builtin_function, builtin_method
from analysis.lower.builtins.atomic_objects import is_atomic_reference, read_atomic_reference
from analysis.lower.calls import call_builtin, call_method, call_one_of, unknown_call
from analysis.lower.class_conversions import built_in_operand, truth_of_object
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.expressions.arithmetic import arithmetic, subscript, unary_arithmetic
from analysis.lower.expressions.dispatch import load, temporary
from analysis.lower.overloads import choose
from analysis.lower.records import methods_named
from analysis.lower.types import spelled
from analysis.syntax.tree import Node


def overloaded(ctx: LoweringContext, spelling: str, operands: Sequence[Operand], node: Node) -> Operand:
    """`operator spelling` on operands of which one is of class type."""
    found, result = try_overload(ctx, spelling, operands, node)
    if found:
        return result
    span = ctx.span(node)
    types = tuple(type for operand in operands if (type := ctx.type_of(operand)) is not None)
    receiver_method = builtin_method(types[0], f"operator{spelling}") if len(types) == len(operands) else None
    if receiver_method is not None:
        return call_builtin(ctx, receiver_method, operands[1:], (), span, receiver=operands[0])
    converted = _converted_operands(ctx, spelling, operands, node)
    if converted is not None:
        return _builtin_operator(ctx, spelling, converted, node)
    if spelling in ("==", "!=") and all(isinstance(type, HandleType | PointerType | IntegerType) for type in types):
        return _builtin_operator(ctx, spelling, list(operands), node)
    builtin = builtin_function(f"operator{spelling}")
    if builtin is not None and not any(_is_record(ctx, type) for type in types):
        return call_builtin(ctx, builtin, operands, (), span)
    shown = " and ".join("?" if (type := ctx.type_of(operand)) is None else spelled(type) for operand in operands)
    return unknown_call(ctx, f"operator {spelling} on {shown}", operands, span)


def _is_record(ctx: LoweringContext, type: Type) -> bool:
    return isinstance(type, StructType) and type.name in ctx.program.records


def try_overload(ctx: LoweringContext, spelling: str, operands: Sequence[Operand], node: Node) -> tuple[bool, Operand]:
    """Whether a declared operator fits, and the result of calling it."""
    span = ctx.span(node)
    name = f"operator{spelling}"
    first = operands[0]
    type = ctx.type_of(first)
    if isinstance(type, StructType):
        record = ctx.program.records.get(type.name)
        methods = () if record is None else methods_named(record, name)
        fitting = choose(ctx, methods, (), operands[1:], first if isinstance(first, LValue) else None)
        if record is not None and fitting is not None:
            receiver = first if isinstance(first, LValue) else temporary(ctx, load(ctx, first, span), span)
            return True, call_method(ctx, receiver, record, methods, (), operands[1:], span)
    free = (*associated_functions(ctx, name, operands, in_namespaces=False), *ctx.program.operators(name))
    choice = choose(ctx, free, (), operands) if free else None
    if choice is not None and choice.instance.declaration.body is not None:
        return True, call_one_of(ctx, name, choice, None, operands, span)
    return False, None


def _converted_operands(
    ctx: LoweringContext, spelling: str, operands: Sequence[Operand], node: Node
) -> list[Operand] | None:
    """The operands as a built-in operator takes them; None where one of them is an object that it does not take."""
    span = ctx.span(node)
    converted: list[Operand] = []
    for operand in operands:
        type = ctx.type_of(operand)
        if is_atomic_reference(type):
            converted.append(read_atomic_reference(ctx.builder, load(ctx, operand, span), span))
            continue
        if not isinstance(type, StructType | VectorType) or not isinstance(operand, LValue | int):
            converted.append(operand)
            continue
        take = truth_of_object if spelling in _CONDITIONS else built_in_operand
        value = take(ctx, operand, span)
        if value is None:
            return None
        converted.append(value)
    return converted


def _builtin_operator(ctx: LoweringContext, spelling: str, operands: list[Operand], node: Node) -> Operand:
    span = ctx.span(node)
    values = [load(ctx, operand, span) for operand in operands]
    if len(values) == 2 and spelling == "[]":
        return subscript(ctx, operands[0], values[1], span)
    if len(values) == 2:
        return arithmetic(ctx, spelling, values[0], values[1], span)
    result = unary_arithmetic(ctx, spelling, values[0], span) if len(values) == 1 else None
    if result is not None:
        return result
    return unknown_call(ctx, f"operator {spelling}", operands, span)


_CONDITIONS: Final = frozenset({"&&", "||", "!"})
"""Whose operands are conditions, for which explicit conversion functions count."""
