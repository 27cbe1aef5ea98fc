"""Calls through pointers to functions: `(*pointer)(x)`, `object.member(x)`, `table[i](x)`.

Rules   Any of the functions may be meant that the pointer may lead to by its type (`function_values.py`), and any
        lambda of that type that was made a pointer in the same function before the call.
Limits  A pointer whose C++ type is not known, one to a member, and more than `MAX_CANDIDATES` functions are opaque.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from analysis.cpp.types.model import FunctionType
from analysis.ir.source import Span
from analysis.lower.calls import call_functions, call_instance, unknown_call
from analysis.lower.chosen_calls import Arm, call_one
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.cpp_types import ir_type
from analysis.lower.expressions.dispatch import used_value
from analysis.lower.function_values import MAX_CANDIDATES, functions_of_type, number_of, pointed_function
from analysis.lower.functions import instantiate
from analysis.lower.names import FunctionDeclaration
from analysis.syntax.tree import Node


def call_pointed(ctx: LoweringContext, callee: Operand, operands: Sequence[Operand], node: Node, name: str) -> Operand:
    """The call of what `callee`, spelled `name`, leads to."""
    span = ctx.span(node)
    named = node.field("function") or node
    type = pointed_function(ctx.exact_type(callee))
    value = used_value(ctx, callee, named)
    construct = f"call through function pointer {name}"
    if type is None or type.is_variadic or len(type.parameters) != len(operands):
        return unknown_call(ctx, construct, (value, *operands), span)
    ctx.asks_for_functions = True
    found = functions_of_type(ctx.program, type)
    returns = ir_type(type.result)
    unknown = partial(unknown_call, ctx, construct, (value, *operands), span, returns)
    arms = [
        Arm((number_of(each.id),), partial(call_instance, ctx, each, None, operands, span)) for each in found.functions
    ]
    arms += _lambdas(ctx, type, operands, span)
    if not 0 < len(arms) <= MAX_CANDIDATES:
        return unknown()
    otherwise = None if found.is_known else unknown
    return call_one(ctx, value, arms, otherwise, ctx.span(named), span, are_references=type.result.is_reference)


def _lambdas(ctx: LoweringContext, type: FunctionType, operands: Sequence[Operand], span: Span) -> Iterator[Arm]:
    """The lambdas without captures that became pointers to functions of that type so far."""
    found: dict[int, FunctionDeclaration] = {}
    for value, functions in ctx.functions.items():
        declaration = functions.declarations[0] if functions.declarations else None
        is_lambda = declaration is not None and declaration.owner is not None and declaration.owner.closure is not None
        if declaration is not None and is_lambda and pointed_function(ctx.exact.get(value)) == type:
            found[number_of(instantiate(declaration, {}).id)] = declaration
    for number, declaration in found.items():
        yield Arm((number,), partial(call_functions, ctx, declaration.name, (declaration,), None, (), operands, span))
