"""Calls through constant tables of function pointers: `table[which](x)`.

Rules   Where nothing in the unit writes to the table, and every mention of it reads an element, the call is a switch
        over the functions of its initialiser.  An index outside of the table fails an assertion.
Limits  Tables of one dimension at namespace scope, whose elements are names of functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from analysis.lower.calls import call_functions
from analysis.lower.chosen_calls import Arm, call_one
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.expressions.dispatch import rvalue
from analysis.lower.lookup import find
from analysis.lower.names import FunctionSet, GlobalDeclaration, GlobalVariable
from analysis.syntax.table_uses import is_only_read
from analysis.syntax.tree import Node

MAX_FUNCTIONS: Final = 64


def table_entry(ctx: LoweringContext, function: Node) -> tuple[Sequence[FunctionSet], Node] | None:
    """The functions of the table that `function` takes one of, and the index; None where it is anything else."""
    while function.kind in ("parenthesized_expression", "pointer_expression") and function.children:
        function = function.children[-1]
    name, indices = function.field("argument"), function.field("indices")
    if function.kind != "subscript_expression" or name is None or indices is None or len(indices.children) != 1:
        return None
    entity = find(ctx.scope, name) if name.kind in ("identifier", "qualified_identifier") else None
    if not isinstance(entity, GlobalVariable):
        return None
    functions = _functions(entity.declaration)
    if functions is None or _is_used_otherwise(ctx, entity.declaration):
        return None
    return functions, indices.children[0]


def _functions(declaration: GlobalDeclaration) -> Sequence[FunctionSet] | None:
    value = declaration.value
    if value is None or value.kind != "initializer_list" or not 0 < len(value.children) <= MAX_FUNCTIONS:
        return None
    found: list[FunctionSet] = []
    for node in value.children:
        named = node.children[-1] if node.kind == "pointer_expression" and node.children else node
        entity = find(declaration.scope, named)
        if not isinstance(entity, FunctionSet) or not entity.declarations:
            return None
        found.append(entity)
    return found


def _is_used_otherwise(ctx: LoweringContext, declaration: GlobalDeclaration) -> bool:
    """Whether the unit does anything with the table but read its elements."""
    unit = ctx.program.unit
    return not is_only_read(declaration.name.rpartition("::")[2], (*unit.items, *unit.included_items))


def call_entry(
    ctx: LoweringContext, functions: Sequence[FunctionSet], index: Node, operands: Sequence[Operand], node: Node
) -> Operand:
    """The switch over the functions; all results have the type of the first."""
    span = ctx.span(node)
    places: dict[FunctionSet, tuple[int, ...]] = {}
    for place, function in enumerate(functions):
        places[function] = (*places.get(function, ()), place)
    arms = [
        Arm(numbers, partial(call_functions, ctx, one.name, one.declarations, None, (), operands, span))
        for one, numbers in places.items()
    ]
    return call_one(ctx, rvalue(ctx, index), arms, None, ctx.span(node.field("function") or node), span)
