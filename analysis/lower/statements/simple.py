"""Compound and expression statements, return, jumps, labels, and what has no effect."""

from __future__ import annotations

from dataclasses import replace

from analysis.ir.function import SymbolKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Return
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace, PointerType, StructType, VoidType
from analysis.lower.construct import construct_at, initialise_list, new_object
from analysis.lower.context import LoweringContext, Operand, Place
from analysis.lower.convert import implicit
from analysis.lower.copies import copy_runs_code
from analysis.lower.expressions.dispatch import discard, load, lower, place, temporary
from analysis.lower.functions import is_deduced
from analysis.lower.lifetimes import will_end
from analysis.lower.names import DeclaredType, NamespaceName
from analysis.lower.namespaces import declare_alias
from analysis.lower.statements.dispatch import handles_statement, not_understood, statement
from analysis.lower.types import resolve_type
from analysis.syntax.tree import Node


@handles_statement("compound_statement")
def _compound(ctx: LoweringContext, node: Node) -> None:
    with ctx.block_scope():
        for child in node.children:
            statement(ctx, child)


@handles_statement("expression_statement")
def _expression(ctx: LoweringContext, node: Node) -> None:
    for child in node.children:
        if child.is_error:
            not_understood(ctx, child)
        elif child.kind != "comment":
            discard(ctx, child)


@handles_statement("return_statement")
def _return(ctx: LoweringContext, node: Node) -> None:
    value_node = next((child for child in node.children if child.kind not in ("return", "comment")), None)
    target = ctx.returns
    span = ctx.span(node)
    operand: Operand = None
    if value_node is not None:
        operand = _returned(ctx, value_node)
    if target.block is None:
        value = None
        if value_node is not None and not isinstance(target.declared.type, VoidType):
            value = _final_value(ctx, operand, node)
        ctx.builder.terminate(Return(value, span))
        return
    if value_node is not None and operand is not None and not isinstance(target.declared.type, VoidType):
        value = _final_value(ctx, operand, node)
        if target.symbol is None:
            target.symbol = ctx.builder.symbol("", SymbolKind.LOCAL, ctx.builder.types[value], span)
        value = implicit(ctx, value, ctx.builder.symbols[target.symbol].type, span)
        ctx.builder.store(ctx.builder.symbol_address(target.symbol, span), value, span)
    ctx.builder.jump(target.block, span)


def _returned(ctx: LoweringContext, node: Node) -> Operand:
    declared = ctx.returns.declared
    if node.kind == "initializer_list" and not is_deduced(declared):
        target = new_object(ctx, declared.type, ctx.span(node))
        initialise_list(ctx, target, node, ctx.span(node))
        will_end(ctx, target.address, target.type, ctx.span(node))
        return target
    if declared.is_reference:
        return place(ctx, node)
    operand = lower(ctx, node)
    if isinstance(operand, Place):
        if operand.variable is None and isinstance(operand.type, StructType):
            operand = _copied(ctx, operand, operand.type, ctx.span(node))
        return replace(operand, read_at=ctx.span(node))
    if isinstance(operand, int):
        ctx.builder.expression(ctx.span(node), operand)
    return operand


def _copied(ctx: LoweringContext, returned: Place, type: StructType, span: Span) -> Place:
    """A copy of an object that the function does not own, made as its class copies."""
    record = ctx.program.records.get(type.name)
    if record is None or returned.is_temporary or not copy_runs_code(record):
        return returned
    target = new_object(ctx, type, span)
    construct_at(ctx, target, record, (returned,), span)
    return replace(target, is_temporary=True)


def _final_value(ctx: LoweringContext, operand: Operand, node: Node) -> ValueId:
    """What the function gives back: an address for a reference, else a value of the declared type."""
    declared = ctx.returns.declared
    span = ctx.span(node)
    builder = ctx.builder
    if declared.is_reference:
        found = operand if isinstance(operand, Place) else temporary(ctx, load(ctx, operand, span), span)
        pointer = declared.stored
        if is_deduced(declared):
            in_place = ctx.returns.block is not None
            space = builder.space_of(found.address) if in_place else MemorySpace.GENERIC
            pointer = PointerType(found.type, space, found.volatile)
            if not in_place:
                ctx.returns.declared = DeclaredType(found.type, True, False, found.volatile)
        return builder.bitcast(found.address, pointer, span)
    value = load(ctx, operand, span)
    if is_deduced(declared):
        if ctx.returns.block is None:
            ctx.returns.declared = DeclaredType(builder.types[value])
        return value
    return implicit(ctx, value, declared.type, span)


@handles_statement("break_statement")
def _break(ctx: LoweringContext, node: Node) -> None:
    if ctx.break_block is None:
        not_understood(ctx, node, "break outside a loop")
    else:
        ctx.builder.jump(ctx.break_block, ctx.span(node))


@handles_statement("continue_statement")
def _continue(ctx: LoweringContext, node: Node) -> None:
    if ctx.continue_block is None:
        not_understood(ctx, node, "continue outside a loop")
    else:
        ctx.builder.jump(ctx.continue_block, ctx.span(node))


@handles_statement("goto_statement")
def _goto(ctx: LoweringContext, node: Node) -> None:
    label = node.field("label")
    if label is None:
        not_understood(ctx, node)
    else:
        ctx.builder.jump(_label(ctx, label.text), ctx.span(node))


@handles_statement("labeled_statement")
def _labeled(ctx: LoweringContext, node: Node) -> None:
    label = node.field("label")
    if label is not None:
        block = _label(ctx, label.text)
        ctx.builder.jump(block, ctx.span(node))
        ctx.builder.continue_in(block)
    for child in node.children:
        if child.role != "label":
            statement(ctx, child)


def _label(ctx: LoweringContext, name: bytes) -> BasicBlockId:
    block = ctx.labels.get(name)
    if block is None:
        block = ctx.labels[name] = ctx.builder.new_block()
    return block


@handles_statement("try_statement")
def _try(ctx: LoweringContext, node: Node) -> None:
    body = node.field("body")
    if body is not None:
        statement(ctx, body)


@handles_statement("attributed_statement", "else_clause", "init_statement", "linkage_specification")
def _children(ctx: LoweringContext, node: Node) -> None:
    for child in node.children:
        if child.kind not in ("attribute_declaration", "else", "case", "default", "extern"):
            statement(ctx, child)


@handles_statement("alias_declaration", "type_definition")
def _alias(ctx: LoweringContext, node: Node) -> None:
    declare_alias(ctx.scope, node)


@handles_statement("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
def _type(ctx: LoweringContext, node: Node) -> None:
    resolve_type(ctx.scope, node)


@handles_statement("namespace_alias_definition")
def _namespace_alias(ctx: LoweringContext, node: Node) -> None:
    name = node.field("name")
    target = next((child for child in reversed(node.children) if child is not name), None)
    if name is not None and target is not None:
        text = "".join(target.text.decode("utf-8", "replace").split())
        path = tuple(part for part in text.split("::") if part)
        ctx.scope.declare(name.text.decode("utf-8", "replace"), ctx.program.namespace_named(ctx.scope, path))


@handles_statement("using_declaration")
def _using(ctx: LoweringContext, node: Node) -> None:
    """`using namespace x;` and `using x::name;` inside a body."""
    text = "".join(node.children[-1].text.decode("utf-8", "replace").split()) if node.children else ""
    path = tuple(part for part in text.split("::") if part)
    if not path:
        return
    if node.child("namespace") is not None:
        target = ctx.program.namespace_named(ctx.scope, path)
        resolver = ctx.program.namespace_resolver(target.path)
        inner = ctx.scope.inside(resolver)
        ctx.scope = inner
        return
    outer = ctx.program.namespace_named(ctx.scope, path[:-1]) if path[:-1] else NamespaceName(())
    entity = ctx.program.find_in_namespace(outer.path, path[-1])
    if entity is not None:
        ctx.scope.declare(path[-1], entity)


@handles_statement(
    "static_assert_declaration",
    "empty_declaration",
    "preproc_call",
    "preproc_def",
    "preproc_function_def",
    "preproc_include",
    "friend_declaration",
    "access_specifier",
    "comment",
    "template_declaration",
)
def _nothing(ctx: LoweringContext, node: Node) -> None:
    """No code."""
