"""Calls through constant tables of function pointers: `table[which](x)`.

Rules   Where nothing in the unit writes to the table, and every mention of it reads an element, the call is a switch
        over the functions of its initialiser.  An index outside of the table fails an assertion.
Limits  Tables of one dimension at namespace scope, whose elements are names of functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.ir.function import SymbolKind
from analysis.ir.ids import SymbolId
from analysis.ir.instructions import Assert, Switch, SwitchCase
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.types import BOOLEAN, S32, S64
from analysis.lower.calls import call_functions
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.convert import implicit
from analysis.lower.expressions.dispatch import load, rvalue
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
    builder, span = ctx.builder, ctx.span(node)
    number = implicit(ctx, rvalue(ctx, index), S64, ctx.span(index))
    least = builder.compare(CompareOperator.GREATER_EQUAL, number, builder.constant(0, S64, span), span)
    most = builder.compare(CompareOperator.LESS, number, builder.constant(len(functions), S64, span), span)
    builder.emit(Assert(builder.binary(BinaryOperator.LOGICAL_AND, least, most, BOOLEAN, span), span))
    blocks = [builder.new_block() for _ in functions]
    end = builder.new_block()
    cases = tuple(SwitchCase(at, block) for at, block in enumerate(blocks[:-1]))
    builder.terminate(Switch(implicit(ctx, number, S32, span), cases, blocks[-1], None, span))
    kept: SymbolId | None = None
    for function, block in zip(functions, blocks, strict=True):
        builder.continue_in(block)
        result = call_functions(ctx, function.name, function.declarations, None, (), operands, span)
        if result is not None:
            value = load(ctx, result, span)
            if kept is None:
                kept = builder.symbol("", SymbolKind.LOCAL, builder.types[value], span)
            value = implicit(ctx, value, builder.symbols[kept].type, span)
            builder.store(builder.symbol_address(kept, span), value, span)
        builder.jump(end, span)
    builder.continue_in(end)
    return None if kept is None else builder.load(builder.symbol_address(kept, span), builder.symbols[kept].type, span)
