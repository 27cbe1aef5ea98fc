"""`return`: what the function gives back, and what ends before it does.

Rules   The result is made first; then the temporaries of the statement end, then all scopes of the function.
        An object that ends or is copied by code: a temporary becomes the result; a local variable becomes it or is
        moved from (`elision.py`), as is a parameter; any other object is copied.
        The result is read last, as a destructor on the way may still change it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.conversions.standard import decayed
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Return
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace, PointerType, StructType, VoidType
from analysis.lower.calls import copy_object, parameter_object, unknown_call
from analysis.lower.construct import initialise_list, new_object
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.copies import copies_by_code
from analysis.lower.destruction import full_expression, leave
from analysis.lower.elision import Elision, elision, only_return, returned_name
from analysis.lower.expressions.dispatch import load, lower, place, temporary
from analysis.lower.function_values import meant_as
from analysis.lower.functions import is_deduced
from analysis.lower.lifetimes import ends_by_code, take_over, temporary_begins
from analysis.lower.names import Closure, DeclaredType, LocalVariable, Record
from analysis.lower.statements.dispatch import handles_statement
from analysis.syntax.tree import Node


@final
@dataclass(frozen=True, slots=True)
class _Result:
    """A value, or an object that is the result; `kept` is the address of the variable that became it."""

    value: ValueId | LValue | None = None
    kept: ValueId | None = None


@handles_statement("return_statement")
def _return(ctx: LoweringContext, node: Node) -> None:
    value_node = next((child for child in node.children if child.kind not in ("return", "comment")), None)
    target = ctx.returns
    span = ctx.span(node)
    result = _Result()
    if value_node is not None:
        with full_expression(ctx, span):
            result = _result(ctx, value_node, node)
    leave(ctx, target.endings, span, kept=result.kept)
    value = load(ctx, result.value, span) if isinstance(result.value, LValue) else result.value
    if target.block is None:
        ctx.builder.terminate(Return(value, span))
        return
    if value is not None:
        if target.symbol is None:
            target.symbol = ctx.builder.symbol("", SymbolKind.LOCAL, ctx.builder.types[value], span)
        value = implicit(ctx, value, ctx.builder.symbols[target.symbol].type, span)
        ctx.builder.store(ctx.builder.symbol_address(target.symbol, span), value, span)
    ctx.builder.jump(target.block, span)


def _result(ctx: LoweringContext, node: Node, statement: Node) -> _Result:
    operand = _returned(ctx, node)
    if isinstance(ctx.returns.declared.type, VoidType) or (operand is None and ctx.returns.block is not None):
        return _Result()
    if not ctx.returns.declared.is_reference:
        found = _object(ctx, operand, node, statement)
        if found is not None:
            return found
    return _Result(_final_value(ctx, operand, statement))


def _returned(ctx: LoweringContext, node: Node) -> Operand:
    declared = ctx.returns.declared
    if node.kind == "initializer_list" and not is_deduced(declared):
        target = new_object(ctx, declared.type, ctx.span(node))
        initialise_list(ctx, target, node, ctx.span(node))
        return temporary_begins(ctx, target, ctx.span(node))
    if declared.is_reference:
        return place(ctx, node)
    operand = lower(ctx, node)
    if isinstance(operand, Closure) and _gives_back(ctx, operand):
        ctx.returns.closure = operand
        return None
    if isinstance(operand, LValue):
        return operand.standing_at(ctx.span(node))
    if isinstance(operand, int):
        ctx.builder.expression(ctx.span(node), operand)
    return operand


def _gives_back(ctx: LoweringContext, closure: Closure) -> bool:
    """Whether the lambda is what the body lowered in place is, whichever way through it is taken.

    What it captured must not end with the body.
    """
    target = ctx.returns
    if target.block is None or target.body is None or not is_deduced(target.declared):
        return False
    captured = [one.declared for one in closure.scope.names.values() if isinstance(one, LocalVariable)]
    return only_return(target.body) is not None and not any(ends_by_code(ctx, one.type) for one in captured)


def _object(ctx: LoweringContext, operand: Operand, node: Node, statement: Node) -> _Result | None:
    """The result where it is an object that ends or is copied by code; None for any other."""
    span = ctx.span(node)
    declared = ctx.returns.declared
    type = ctx.type_of(operand) if is_deduced(declared) else declared.type
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None or type is None or not (ends_by_code(ctx, type) or copies_by_code(ctx.program, type)):
        return None
    if is_deduced(declared) and ctx.returns.block is None:
        ctx.returns.declared = DeclaredType(type)
    if not isinstance(operand, LValue) or operand.type != type:
        operand = parameter_object(ctx, type, operand, span)
    if take_over(ctx, operand):
        return _Result(operand)
    name = returned_name(statement)
    variable = None if name is None else ctx.scope.find(name.decode("utf-8", "replace"))
    is_own = isinstance(variable, LocalVariable) and _is_own(ctx, variable)
    if name is None or not is_own:
        return _Result(_copy(ctx, record, operand, span))
    is_parameter = isinstance(variable, LocalVariable) and variable.is_parameter
    match Elision.NEVER if is_parameter else elision(ctx.returns.body, statement, name):
        case Elision.ALWAYS:
            return _Result(operand, operand.address)
        case Elision.NEVER:
            return _Result(_copy(ctx, record, replace(operand, category=ValueCategory.XVALUE), span))
        case Elision.SOMETIMES:
            target = new_object(ctx, type, span)
            shown = name.decode("utf-8", "replace")
            unknown_call(ctx, f"return of {shown}, which a compiler may copy or not", (target, operand), span)
            return _Result(target)


def _is_own(ctx: LoweringContext, variable: LocalVariable) -> bool:
    """Whether it is a variable of the function that ends with it, or a parameter."""
    is_local = ctx.builder.symbols[variable.symbol].kind is SymbolKind.LOCAL
    is_local = is_local and variable.symbol >= ctx.returns.first_symbol
    return is_local and variable.variable is not None and not variable.declared.is_reference


def _copy(ctx: LoweringContext, record: Record, source: LValue, span: Span) -> LValue:
    target = new_object(ctx, record.type, span)
    copy_object(ctx, target, record, replace(source, read_at=None), span)
    return target


def _final_value(ctx: LoweringContext, operand: Operand, node: Node) -> ValueId:
    """What the function gives back: an address for a reference, else a value of the declared type."""
    declared = ctx.returns.declared
    span = ctx.span(node)
    builder = ctx.builder
    if declared.is_reference:
        found = operand if isinstance(operand, LValue) else temporary(ctx, load(ctx, operand, span), span)
        pointer = declared.stored
        if is_deduced(declared):
            in_place = ctx.returns.block is not None
            space = builder.space_of(found.address) if in_place else MemorySpace.GENERIC
            pointer = PointerType(found.type, space, found.volatile)
            if not in_place:
                ctx.returns.declared = DeclaredType(found.type, True, False, found.volatile)
        return builder.bitcast(found.address, pointer, span)
    if not is_deduced(declared):
        value = meant_as(ctx, operand, declared.exact, span)
        return implicit(ctx, value, declared.type, span, declared.exact)
    value = load(ctx, operand, span)
    exact = ctx.exact_type(value)
    exact = None if exact is None else decayed(exact.object).unqualified
    if ctx.returns.block is None:
        ctx.returns.declared = DeclaredType(builder.types[value], spelled=exact)
    elif ctx.returns.symbol is None:
        ctx.returns.deduced = exact
    return value
