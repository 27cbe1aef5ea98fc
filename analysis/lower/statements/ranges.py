"""Range-based `for`: over arrays, initialiser lists, and classes with `begin()` and `end()`.

Rules   The sequence is evaluated once.  Iterators are pointers, or objects with `!=`, `*` and `++`.
Limits  Free functions `begin(x)` and `end(x)` are not looked for: the number of rounds is not known then.
Source  C++ standard, "The range-based for statement".
"""

from __future__ import annotations

from dataclasses import replace

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.conversions.standard import decayed
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType, qualified
from analysis.ir.function import SourceBranchKind, SymbolKind
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Branch
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, S32, ArrayType, StructType, UnknownType
from analysis.lower.calls import call_method
from analysis.lower.construct import construct_at, new_object
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.destruction import full_expression, scope
from analysis.lower.endings import Exit
from analysis.lower.expressions.conditions import boolean
from analysis.lower.expressions.dispatch import converted_from, load, lower, temporary
from analysis.lower.expressions.members import dereference, element_place, elements_of
from analysis.lower.expressions.operators import CLASS_TYPES, apply_binary
from analysis.lower.library.source import array_elements
from analysis.lower.lifetimes import extend, variable_begins
from analysis.lower.names import Closure
from analysis.lower.operators import overloaded
from analysis.lower.records import methods_named
from analysis.lower.statements.control import loop_body, source_branch
from analysis.lower.statements.declarations import declare_bound
from analysis.lower.statements.dispatch import handles_statement, not_understood, statement
from analysis.lower.types import base_type
from analysis.syntax.tree import Node


@handles_statement("for_range_loop")
def _for_range(ctx: LoweringContext, node: Node) -> None:
    """`for (T x : sequence)`."""
    declarator, right, body = node.field("declarator"), node.field("right"), node.field("body")
    if declarator is None or right is None or body is None:
        return not_understood(ctx, node)
    with scope(ctx, node):
        initializer = node.field("initializer")
        if initializer is not None:
            statement(ctx, initializer)
        with full_expression(ctx, ctx.span(right)):
            sequence = _listed(ctx, right) if right.kind == "initializer_list" else lower(ctx, right)
            extend(ctx, sequence)
        elements = array_elements(ctx.program, ctx.type_of(sequence))
        if isinstance(sequence, LValue) and elements is not None:
            sequence = elements_of(ctx, sequence, elements, ctx.span(right))
        if isinstance(sequence, LValue) and isinstance(sequence.type, ArrayType):
            return _range_loop(ctx, node, sequence, declarator, body)
        bounds = _iterators(ctx, sequence, ctx.span(right))
        if bounds is None:
            return _unknown_range(ctx, node, sequence, declarator, body)
        return _iterator_loop(ctx, node, bounds, declarator, body)


def _listed(ctx: LoweringContext, right: Node) -> Operand:
    """`{a, b, c}` as an array; its elements have the type of the first."""
    operands = [lower(ctx, child) for child in right.children]
    element = None if not operands else ctx.type_of(operands[0])
    if element is None:
        return None
    builder, span = ctx.builder, ctx.span(right)
    array = new_object(ctx, ArrayType(element, len(operands)), span)
    record = ctx.program.records.get(element.name) if isinstance(element, StructType) else None
    for index, (operand, child) in enumerate(zip(operands, right.children, strict=True)):
        at = builder.element_address(array.address, builder.constant(index, S32, span), element, span)
        if record is None:
            builder.store(at, implicit(ctx, converted_from(ctx, operand, child), element, span), span)
        else:
            construct_at(ctx, LValue(at, element), record, (operand,), span)
    variable_begins(ctx, array.address, array.type)
    exact = ctx.exact_type(operands[0])
    listed = None if exact is None else QualType(cpp.ArrayType(decayed(exact.object).unqualified, len(operands)))
    return replace(array, spelled=None if listed is None else qualified(listed, constant=True))


def _unknown_range(ctx: LoweringContext, node: Node, sequence: Operand, declarator: Node, body: Node) -> None:
    """A range that is not an array: a loop with an unknown number of rounds over unknown elements."""
    builder, span = ctx.builder, ctx.span(node)
    branch = source_branch(ctx, SourceBranchKind.LOOP, node)
    values = () if sequence is None or isinstance(sequence, Closure) else (load(ctx, sequence, span),)
    head, inside, end = builder.new_block(), builder.new_block(), builder.new_block()
    builder.jump(head, span)
    builder.continue_in(head)
    more = builder.opaque("for over a range", values, BOOLEAN, span, may_contain_barrier=True)
    builder.terminate(Branch(more, inside, end, branch, span))
    builder.continue_in(inside)
    unknown = builder.opaque("element of a range", values, UnknownType("element"), span)
    _round(ctx, node, declarator, temporary(ctx, unknown, span), body, (end, head))
    builder.jump(head, span)
    builder.continue_in(end)


def _range_loop(ctx: LoweringContext, node: Node, sequence: LValue, declarator: Node, body: Node) -> None:
    builder = ctx.builder
    span = ctx.span(node)
    assert isinstance(sequence.type, ArrayType)
    element = sequence.type.element
    branch = source_branch(ctx, SourceBranchKind.LOOP, node)
    index = builder.symbol("", SymbolKind.LOCAL, S32, span)
    builder.store(builder.symbol_address(index, span), builder.constant(0, S32, span), span)
    head, inside = builder.new_block(), builder.new_block()
    step, end = builder.new_block(), builder.new_block()
    builder.jump(head, span)
    builder.continue_in(head)
    count = builder.constant(sequence.type.length, S32, span)
    at = builder.load(builder.symbol_address(index, span), S32, span)
    test = builder.compare(CompareOperator.LESS, at, count, span)
    builder.terminate(Branch(test, inside, end, branch, span))
    builder.continue_in(inside)
    at = builder.load(builder.symbol_address(index, span), S32, span)
    found = replace(element_place(ctx, sequence, element, at, span), category=ValueCategory.LVALUE, whole=None)
    _round(ctx, node, declarator, found, body, (end, step))
    builder.jump(step, span)
    builder.continue_in(step)
    at = builder.load(builder.symbol_address(index, span), S32, span)
    one = builder.constant(1, S32, span)
    following = builder.binary(BinaryOperator.ADD, at, one, S32, span)
    builder.store(builder.symbol_address(index, span), following, span)
    builder.jump(head, span)
    builder.continue_in(end)


def _round(
    ctx: LoweringContext,
    node: Node,
    declarator: Node,
    found: LValue,
    body: Node,
    exits: tuple[BasicBlockId, BasicBlockId],
) -> None:
    """One round with the element `found`; `exits` are where `break` and `continue` go."""
    behind, again = (Exit(block, ctx.endings) for block in exits)
    with scope(ctx, node):
        with full_expression(ctx, ctx.span(declarator)):
            declare_bound(ctx, base_type(ctx.scope, node), declarator, found)
        loop_body(ctx, body, behind, again)


def _iterators(ctx: LoweringContext, sequence: Operand, span: Span) -> tuple[LValue, LValue] | None:
    """`sequence.begin()` and `sequence.end()`; None where its class has no such methods."""
    type = ctx.type_of(sequence)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None:
        return None
    whole = sequence if isinstance(sequence, LValue) else temporary(ctx, load(ctx, sequence, span), span)
    found: list[LValue] = []
    for name in ("begin", "end"):
        methods = methods_named(record, name)
        if not methods:
            return None
        result = call_method(ctx, whole, record, methods, (), (), span)
        found.append(temporary(ctx, load(ctx, result, span), span))
    return found[0], found[1]


def _iterator_loop(
    ctx: LoweringContext, node: Node, bounds: tuple[LValue, LValue], declarator: Node, body: Node
) -> None:
    """`for (; it != end; ++it) { T x = *it; ... }`"""
    builder = ctx.builder
    span = ctx.span(node)
    at, last = bounds
    branch = source_branch(ctx, SourceBranchKind.LOOP, node)
    head, inside = builder.new_block(), builder.new_block()
    step, end = builder.new_block(), builder.new_block()
    builder.jump(head, span)
    builder.continue_in(head)
    with full_expression(ctx, span):
        test = boolean(ctx, apply_binary(ctx, "!=", at, last, node), span)
    builder.terminate(Branch(test, inside, end, branch, span))
    builder.continue_in(inside)
    is_class = isinstance(at.type, CLASS_TYPES)
    outside = ctx.endings
    with scope(ctx, node):
        with full_expression(ctx, span):
            element = overloaded(ctx, "*", (at,), node) if is_class else dereference(ctx, load(ctx, at, span), span)
            found = element if isinstance(element, LValue) else temporary(ctx, load(ctx, element, span), span)
            declare_bound(ctx, base_type(ctx.scope, node), declarator, found)
            extend(ctx, found)
        loop_body(ctx, body, Exit(end, outside), Exit(step, outside))
    builder.jump(step, span)
    builder.continue_in(step)
    if is_class:
        with full_expression(ctx, span):
            overloaded(ctx, "++", (at,), node)
    else:
        following = apply_binary(ctx, "+", at, builder.constant(1, S32, span), node)
        builder.store(at.address, load(ctx, following, span), span)
    builder.jump(head, span)
    builder.continue_in(end)
