"""Branches and loops.

Rules   One source branch per `if`, loop and `switch`.  A branch whose condition is a constant is there all the same,
        but `do … while (0)` is no loop: its body runs once, and what leaves it goes behind it.
        `if constexpr` with a known condition lowers only the arm that is compiled.
        Names declared in a condition or an initialiser live until the end of the statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from analysis.ir.function import SourceBranch, SourceBranchKind
from analysis.ir.ids import BasicBlockId, SourceBranchId, ValueId
from analysis.ir.instructions import Branch, Switch, SwitchCase
from analysis.ir.pace import paced, popped
from analysis.ir.types import S64, IntegerType, Type
from analysis.lower.constants import constant_integer, evaluate
from analysis.lower.context import LoweringContext
from analysis.lower.conversions import is_vague, promoted, wrapped
from analysis.lower.convert import implicit
from analysis.lower.destruction import full_condition, full_expression, leave_on_edge, scope
from analysis.lower.endings import Exit
from analysis.lower.expressions.conditions import boolean, branch_on
from analysis.lower.expressions.dispatch import converted_from, discard, load, lower
from analysis.lower.statements.declarations import declare_condition
from analysis.lower.statements.dispatch import handles_statement, not_understood, statement
from analysis.syntax.tree import Node


def source_branch(ctx: LoweringContext, kind: SourceBranchKind, node: Node) -> SourceBranchId:
    keyword = node.children[0]
    return ctx.builder.source_branch(SourceBranch(kind, ctx.span(keyword), ctx.span(node)))


@handles_statement("if_statement")
def _if(ctx: LoweringContext, node: Node) -> None:
    condition, then, otherwise = node.field("condition"), node.field("consequence"), node.field("alternative")
    if condition is None or then is None:
        return not_understood(ctx, node)
    branch = source_branch(ctx, SourceBranchKind.IF, node)
    with scope(ctx, node):
        value = _clause(ctx, condition)
        if value is None:
            return not_understood(ctx, node)
        if node.child("constexpr") is not None:
            known = evaluate(ctx.scope, value)
            if known is not None:
                taken = then if known.value else otherwise
                if taken is not None:
                    _arm(ctx, taken)
                return None
        _branches(ctx, node, value, then, otherwise, branch)
    return None


def _branches(
    ctx: LoweringContext, node: Node, condition: Node, then: Node, otherwise: Node | None, branch: SourceBranchId
) -> None:
    builder = ctx.builder
    span = ctx.span(node)
    then_block, end = builder.new_block(), builder.new_block()
    else_block = end if otherwise is None else builder.new_block()
    _branch_on_clause(ctx, condition, then_block, else_block, branch)
    builder.continue_in(then_block)
    _arm(ctx, then)
    builder.jump(end, span)
    if otherwise is not None:
        builder.continue_in(else_block)
        _arm(ctx, otherwise)
        builder.jump(end, span)
    builder.continue_in(end)


def _arm(ctx: LoweringContext, node: Node) -> None:
    if node.kind == "compound_statement":  # has a scope of its own
        statement(ctx, node)
        return
    with scope(ctx, node):
        statement(ctx, node)


def _clause(ctx: LoweringContext, node: Node) -> Node | None:
    """The condition's expression (or declaration), its initialiser lowered."""
    if node.kind != "condition_clause":
        return node
    initializer = node.field("initializer")
    if initializer is not None:
        statement(ctx, initializer)
    return node.field("value")


def _branch_on_clause(
    ctx: LoweringContext, node: Node, if_true: BasicBlockId, if_false: BasicBlockId, branch: SourceBranchId
) -> None:
    """Branches on a condition that may be a declaration: `if (int x = f())`."""
    span = ctx.span(node)
    if node.kind == "declaration":
        value = declare_condition(ctx, node)
        with full_expression(ctx, span):
            test = boolean(ctx, value, span)
        ctx.builder.terminate(Branch(test, if_true, if_false, branch, span))
    elif node.kind == "comma_expression":
        left, right = node.field("left"), node.field("right")
        if left is not None and right is not None:
            with full_condition(ctx, if_true, if_false, span):
                discard(ctx, left)
                branch_on(ctx, right, if_true, if_false, branch)
    else:
        with full_condition(ctx, if_true, if_false, span):
            branch_on(ctx, node, if_true, if_false, branch)


@handles_statement("while_statement")
def _while(ctx: LoweringContext, node: Node) -> None:
    condition, body = node.field("condition"), node.field("body")
    if condition is None or body is None:
        return not_understood(ctx, node)
    builder = ctx.builder
    branch = source_branch(ctx, SourceBranchKind.LOOP, node)
    head, inside, end = builder.new_block(), builder.new_block(), builder.new_block()
    builder.jump(head, ctx.span(node))
    builder.continue_in(head)
    behind, again = Exit(end, ctx.endings), Exit(head, ctx.endings)
    with scope(ctx, node):
        value = _clause(ctx, condition)
        if value is not None:
            mark = builder.mark()
            _branch_on_clause(ctx, value, inside, end, branch)
            leave_on_edge(ctx, mark, behind, ctx.span(condition))
        builder.continue_in(inside)
        loop_body(ctx, body, behind, again)
    builder.jump(head, ctx.span(node))
    builder.continue_in(end)
    return None


@handles_statement("do_statement")
def _do(ctx: LoweringContext, node: Node) -> None:
    condition, body = node.field("condition"), node.field("body")
    if condition is None or body is None:
        return not_understood(ctx, node)
    builder = ctx.builder
    again = condition.text.strip(_AROUND) not in _NEVER
    inside, test, end = builder.new_block(), builder.new_block(), builder.new_block()
    branch = source_branch(ctx, SourceBranchKind.LOOP, node) if again else None
    builder.jump(inside, ctx.span(node))
    builder.continue_in(inside)
    loop_body(ctx, body, Exit(end, ctx.endings), Exit(test, ctx.endings))
    builder.jump(test, ctx.span(node))
    builder.continue_in(test)
    if branch is None:
        builder.jump(end, ctx.span(node))
    else:
        _branch_on_clause(ctx, condition, inside, end, branch)
    builder.continue_in(end)
    return None


@handles_statement("for_statement")
def _for(ctx: LoweringContext, node: Node) -> None:
    initializer, condition = node.field("initializer"), node.field("condition")
    update, body = node.field("update"), node.field("body")
    if body is None:
        return not_understood(ctx, node)
    builder = ctx.builder
    span = ctx.span(node)
    branch = source_branch(ctx, SourceBranchKind.LOOP, node)
    with scope(ctx, node):
        if initializer is not None:
            statement(ctx, initializer)
        head, inside = builder.new_block(), builder.new_block()
        step, end = builder.new_block(), builder.new_block()
        builder.jump(head, span)
        builder.continue_in(head)
        behind = Exit(end, ctx.endings)
        with scope(ctx, node):
            if condition is None:
                builder.jump(inside, span)
            else:
                mark = builder.mark()
                _branch_on_clause(ctx, condition, inside, end, branch)
                leave_on_edge(ctx, mark, behind, ctx.span(condition))
            builder.continue_in(inside)
            loop_body(ctx, body, behind, Exit(step, ctx.endings))
            builder.jump(step, span)
            builder.continue_in(step)
            if update is not None:
                with full_expression(ctx, ctx.span(update)):
                    statement(ctx, update)
        builder.jump(head, span)
        builder.continue_in(end)
    return None


_AROUND: Final = b"() \t\r\n"
_NEVER: Final = (b"0", b"false")


def loop_body(ctx: LoweringContext, body: Node, break_to: Exit, continue_to: Exit) -> None:
    before = ctx.break_to, ctx.continue_to
    ctx.break_to, ctx.continue_to = break_to, continue_to
    _arm(ctx, body)
    ctx.break_to, ctx.continue_to = before


# -- switch --------------------------------------------------------------------------------------------------------


@handles_statement("switch_statement")
def _switch(ctx: LoweringContext, node: Node) -> None:
    condition, body = node.field("condition"), node.field("body")
    if condition is None or body is None:
        return not_understood(ctx, node)
    branch = source_branch(ctx, SourceBranchKind.SWITCH, node)
    with scope(ctx, node):
        value_node = _clause(ctx, condition)
        if value_node is None:
            return not_understood(ctx, node)
        value = _switch_value(ctx, value_node)
        _cases(ctx, node, body, value, branch)
    return None


def _switch_value(ctx: LoweringContext, node: Node) -> ValueId:
    declared = declare_condition(ctx, node) if node.kind == "declaration" else None
    with full_expression(ctx, ctx.span(node)):
        value = converted_from(ctx, lower(ctx, node) if node.kind != "declaration" else declared, node)
        type = ctx.type_of(value)
        if type is None or is_vague(type):
            return load(ctx, value, ctx.span(node))
        wanted = promoted(type)
        return implicit(ctx, value, wanted if isinstance(wanted, IntegerType) else S64, ctx.span(node))


MAX_RANGE = 256
"""A `case` range of more values than this is opaque."""


def _cases(ctx: LoweringContext, node: Node, body: Node, value: ValueId, branch: SourceBranchId) -> None:
    """The dispatch, then the labels' statements in order, falling through.

    `case 1: case 2:` lead to one block: the lanes of both values stay together.
    """
    builder = ctx.builder
    end = builder.new_block()
    cases: list[SwitchCase] = []
    default = end
    before = ctx.break_to, ctx.cases
    ctx.break_to, ctx.cases = Exit(end, ctx.endings), {}
    labels, following = _own_labels(body)
    for label in paced(labels, 5):
        block = ctx.cases.get(label.start)
        if block is None:
            block = ctx.cases[label.start] = builder.new_block()
        if label.start in following:
            ctx.cases[following[label.start]] = block
        if label.field("value") is None:
            default = block
        else:
            numbers = [_held(number, builder.types[value]) for number in _labels(ctx, label)]
            cases.extend(SwitchCase(number, block) for number in numbers)
    builder.terminate(Switch(value, tuple(cases), default, branch, ctx.span(node)))
    builder.continue_in(builder.new_block())  # what stands before the first label is never reached
    with scope(ctx, body):
        for child in paced(body.children, 5) if body.kind == "compound_statement" else [body]:
            statement(ctx, child)
    ctx.break_to, ctx.cases = before
    builder.jump(end, ctx.span(node))
    builder.continue_in(end)


def _held(number: int | None, type: Type) -> int | None:
    """A label of another type, as the switch compares it: `case 0xffffffff` of an `int` is -1."""
    return int(wrapped(number, type)) if number is not None and isinstance(type, IntegerType) else number


def _own_labels(body: Node) -> tuple[list[Node], Mapping[int, int]]:
    """The labels of a switch in text order, also those inside nested statements, but not those of nested switches.

    With them, for each label that has no statements, where the label stands that follows it at once.
    """
    found: list[Node] = []
    following: dict[int, int] = {}
    pending = [body]
    for node in popped(pending):
        if node.kind == "case_statement":
            found.append(node)
        for label, other in paced(pairwise(node.children)):
            if label.kind == other.kind == "case_statement" and not _labelled(label):
                following[label.start] = other.start
        if node.kind not in ("switch_statement", "lambda_expression"):
            pending.extend(child for child in reversed(node.children) if child.kind in _MAY_HOLD_LABELS)
    return found, following


def _labelled(label: Node) -> list[Node]:
    """The statements of a label."""
    before = ("case", "default", "ERROR")
    return [child for child in label.children if child.role != "value" and child.kind not in before]


_MAY_HOLD_LABELS = frozenset(
    {
        "attributed_statement",
        "case_statement",
        "compound_statement",
        "do_statement",
        "else_clause",
        "for_range_loop",
        "for_statement",
        "if_statement",
        "labeled_statement",
        "while_statement",
    }
)


@handles_statement("case_statement")
def _case(ctx: LoweringContext, node: Node) -> None:
    """A label: control comes here from the switch, or falls through from above."""
    block = ctx.cases.get(node.start)
    if block is None:
        not_understood(ctx, node, "case label outside a switch")
    elif ctx.builder.current != block:
        ctx.builder.jump(block, ctx.span(node))
        ctx.builder.continue_in(block)
    for child in _labelled(node):
        statement(ctx, child)


def _labels(ctx: LoweringContext, node: Node) -> list[int | None]:
    """The values of one label: one, those of a range `1 ... 3`, or [None] for a constant that is not known."""
    value = node.field("value")
    assert value is not None
    if value.kind == "parameter_pack_expansion":
        pattern, error = value.field("pattern"), node.child("ERROR")
        last_node = error.children[0] if error is not None and error.children else None
        first = None if pattern is None else constant_integer(ctx.scope, pattern)
        last = None if last_node is None else constant_integer(ctx.scope, last_node)
        if first is not None and last is not None and 0 <= last - first < MAX_RANGE:
            return list(range(first, last + 1))
        return [None]
    return [constant_integer(ctx.scope, value)]
