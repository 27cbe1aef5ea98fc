"""Compound and expression statements, jumps, labels, and what has no effect."""

from __future__ import annotations

from analysis.lower.context import LoweringContext
from analysis.lower.destruction import find_label, full_expression, go, go_to_label, scope
from analysis.lower.endings import Label
from analysis.lower.expressions.dispatch import discard
from analysis.lower.names import NamespaceName
from analysis.lower.namespaces import declare_alias
from analysis.lower.statements.dispatch import handles_statement, not_understood, statement
from analysis.lower.types import resolve_type
from analysis.syntax.tree import Node


@handles_statement("compound_statement")
def _compound(ctx: LoweringContext, node: Node) -> None:
    with scope(ctx, node):
        for child in node.children:
            statement(ctx, child)


@handles_statement("expression_statement")
def _expression(ctx: LoweringContext, node: Node) -> None:
    for child in node.children:
        if child.is_error:
            not_understood(ctx, child)
        elif child.kind != "comment":
            with full_expression(ctx, ctx.span(child)):
                discard(ctx, child)


@handles_statement("break_statement")
def _break(ctx: LoweringContext, node: Node) -> None:
    if ctx.break_to is None:
        not_understood(ctx, node, "break outside a loop")
    else:
        go(ctx, ctx.break_to, ctx.span(node))


@handles_statement("continue_statement")
def _continue(ctx: LoweringContext, node: Node) -> None:
    if ctx.continue_to is None:
        not_understood(ctx, node, "continue outside a loop")
    else:
        go(ctx, ctx.continue_to, ctx.span(node))


@handles_statement("goto_statement")
def _goto(ctx: LoweringContext, node: Node) -> None:
    label = node.field("label")
    if label is None:
        not_understood(ctx, node)
    else:
        go_to_label(ctx, _label(ctx, label.text), ctx.span(node))


@handles_statement("labeled_statement")
def _labeled(ctx: LoweringContext, node: Node) -> None:
    label = node.field("label")
    if label is not None:
        find_label(ctx, _label(ctx, label.text), ctx.span(node))
    for child in node.children:
        if child.role != "label":
            statement(ctx, child)


def _label(ctx: LoweringContext, name: bytes) -> Label:
    label = ctx.labels.get(name)
    if label is None:
        label = ctx.labels[name] = Label(ctx.builder.new_block())
    return label


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
