"""Lambda expressions: what they capture.

Rules   Captured by reference, a name means the same object inside.  Captured by value, it means a copy made here.
        `[=]` copies every local variable of scalar or pointer type that the body names; arrays and classes are shared,
        because a copy that nothing changes is the same as the object.
"""

from __future__ import annotations

from analysis.cpp.types.model import QualType, qualified
from analysis.ir.function import SymbolKind
from analysis.ir.ids import SymbolId
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace, StructType, Type
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.copies import copied
from analysis.lower.expressions.dispatch import handles, load, lower, lower_object, temporary
from analysis.lower.expressions.members import this_object
from analysis.lower.expressions.places import variable_place
from analysis.lower.functions import is_mutable
from analysis.lower.lifetimes import ends_somewhere
from analysis.lower.names import AUTO, Closure, DeclaredType, LambdaName, LocalVariable, Scope, VariablePack
from analysis.lower.packs import EXPANSION, element_scope, pack_length
from analysis.lower.references import bind_reference
from analysis.syntax.tree import Node


@handles("lambda_expression")
def _lambda(ctx: LoweringContext, node: Node) -> Operand:
    scope = ctx.scope.inside()
    captures, is_constant = node.field("captures"), not is_mutable(node)
    by_value = False
    this = ctx.this
    named_by_reference: set[bytes] = set()
    for capture in captures.children if captures is not None else ():
        if capture.kind == "lambda_default_capture":
            by_value = capture.text.strip() == b"="
        elif capture.kind == "lambda_capture_initializer":
            _initialised(ctx, scope, capture, is_constant=is_constant)
        elif capture.kind == "this" and capture.source[: capture.start].rstrip().endswith(b"*"):
            this = _copied_this(ctx, capture)
        elif capture.kind == EXPANSION:
            _pack(ctx, scope, capture, is_constant=is_constant)
        elif capture.kind == "identifier":
            if _is_by_reference(capture):
                named_by_reference.add(capture.text)
            else:
                _copy(ctx, scope, capture.text.decode("utf-8", "replace"), capture, is_constant=is_constant)
    body = node.field("body")
    if by_value and body is not None:
        for name in dict.fromkeys(child.text for child in body.walk() if child.kind == "identifier"):
            if name not in named_by_reference:
                _copy(ctx, scope, name.decode("utf-8", "replace"), node, is_constant=is_constant)
    return Closure(node, scope, ctx.snippet, this, ctx.owner, ctx.fixed_span)


def _copied_this(ctx: LoweringContext, capture: Node) -> LocalVariable | None:
    """`[*this]`: a pointer to a copy of the object."""
    span = ctx.span(capture)
    object = None if ctx.owner is None else this_object(ctx, ctx.owner, span)
    if object is None or ctx.this is None:
        return ctx.this
    value = load(ctx, copied(ctx, object, span), span)
    copy, type = temporary(ctx, value, span), ctx.this.declared.type
    ends_somewhere(ctx, copy.address, copy.type, span)
    symbol = ctx.builder.symbol("this", SymbolKind.LOCAL, type, span)
    pointer = ctx.builder.bitcast(copy.address, type, span)
    ctx.builder.store(ctx.builder.symbol_address(symbol, span), pointer, span)
    return LocalVariable("this", symbol, DeclaredType(type), None, may_be_constant=True, most_derived=ctx.owner)


def _pack(ctx: LoweringContext, scope: Scope, capture: Node, *, is_constant: bool) -> None:
    """`[xs...]`; what is captured by reference means the same objects inside."""
    pattern = capture.field("pattern")
    entity = None if pattern is None else ctx.scope.find(pattern.text.decode("utf-8", "replace"))
    if pattern is None or not isinstance(entity, VariablePack) or _is_by_reference(capture):
        return
    span, elements = ctx.span(capture), list(entity.elements)
    for index, each in enumerate(entity.elements):
        if isinstance(each, LocalVariable):
            elements[index] = _copied(ctx, each.name, variable_place(ctx, each, span), span, is_constant=is_constant)
    scope.declare(pattern.text.decode("utf-8", "replace"), VariablePack(tuple(elements)))


def _is_by_reference(capture: Node) -> bool:
    before = capture.source[: capture.start].rstrip()
    return before.endswith(b"&")


def _initialised(ctx: LoweringContext, scope: Scope, capture: Node, *, is_constant: bool) -> None:
    """`[name = value]`, and `[...names = pattern]` once for each element of the packs in the pattern."""
    left, right = capture.field("left"), capture.field("right")
    if left is None or right is None:
        return
    if _is_pack(capture, left):
        _initialised_pack(ctx, scope, capture, left.text.decode("utf-8", "replace"), right, is_constant=is_constant)
        return
    name = left.text.decode("utf-8", "replace")
    if _is_by_reference(capture) or left.kind == "reference_declarator" or capture.text.startswith(b"&"):
        name = name.lstrip("& \t\n")
        operand = lower_object(ctx, right)
        if not isinstance(operand, Closure):
            with ctx.elsewhere(scope, ctx.snippet, ctx.fixed_span):
                bind_reference(ctx, name, DeclaredType(AUTO, True), operand, ctx.span(capture))
            return
    else:
        operand = lower(ctx, right)
    if isinstance(operand, Closure):
        scope.declare(name, LambdaName(operand))
        return
    scope.declare(name, _kept(ctx, name, operand, capture, is_constant=is_constant))


def _is_pack(capture: Node, left: Node) -> bool:
    return b"..." in capture.source[capture.start : left.start]


def _initialised_pack(
    ctx: LoweringContext, scope: Scope, capture: Node, name: str, pattern: Node, *, is_constant: bool
) -> None:
    """What captures by reference is left out: its name is not known inside."""
    length = pack_length(ctx.scope, pattern)
    if length is None or b"&" in capture.source[capture.start : pattern.start]:
        return
    elements: list[LocalVariable | LambdaName] = []
    for index in range(length):
        with ctx.elsewhere(element_scope(ctx.scope, pattern, index), ctx.snippet, ctx.fixed_span):
            operand = lower(ctx, pattern)
        is_code = isinstance(operand, Closure)
        elements.append(LambdaName(operand) if is_code else _kept(ctx, name, operand, capture, is_constant=is_constant))
    scope.declare(name, VariablePack(tuple(elements)))


def _kept(ctx: LoweringContext, name: str, operand: Operand, capture: Node, *, is_constant: bool) -> LocalVariable:
    """A variable of the lambda that holds the operand."""
    span = ctx.span(capture)
    value = load(ctx, copied(ctx, operand, span) if isinstance(ctx.type_of(operand), StructType) else operand, span)
    type, exact = ctx.builder.types[value], ctx.exact_type(value)
    symbol = ctx.builder.symbol(name, SymbolKind.LOCAL, type, span)
    ctx.builder.store(ctx.builder.symbol_address(symbol, span), value, span)
    ends_somewhere(ctx, ctx.builder.symbol_address(symbol, span), type, span)
    return _captured(name, symbol, type, exact, is_constant=is_constant)


def _copy(ctx: LoweringContext, scope: Scope, name: str, node: Node, *, is_constant: bool) -> None:
    entity = ctx.scope.find(name)
    if not isinstance(entity, LocalVariable) or entity.constant is not None or name in scope.names:
        return
    span = ctx.span(node)
    found = variable_place(ctx, entity, span)
    if ctx.builder.space_of(found.address) is MemorySpace.SHARED:
        return  # it has static storage, which a lambda names as it is
    scope.declare(name, _copied(ctx, entity.name, found, span, is_constant=is_constant))


def _copied(ctx: LoweringContext, name: str, found: LValue, span: Span, *, is_constant: bool) -> LocalVariable:
    """A variable of the lambda that holds a copy of another one."""
    value = load(ctx, copied(ctx, found, span), span)
    symbol = ctx.builder.symbol(name, SymbolKind.LOCAL, found.type, span)
    ctx.builder.store(ctx.builder.symbol_address(symbol, span), value, span)
    ends_somewhere(ctx, ctx.builder.symbol_address(symbol, span), found.type, span)
    return _captured(name, symbol, found.type, ctx.exact_type(found), is_constant=is_constant)


def _captured(name: str, symbol: SymbolId, type: Type, exact: QualType | None, *, is_constant: bool) -> LocalVariable:
    """A member of the lambda, which only one that is `mutable` changes."""
    known = None if exact is None else qualified(exact, constant=is_constant)
    return LocalVariable(name, symbol, DeclaredType(type, is_constant=is_constant, spelled=known), None)
