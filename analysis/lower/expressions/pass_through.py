"""Functions of the standard library that hand on the objects they are given: `std::get`, `std::move`, `std::forward`.

Rules   What goes in as an object, or as a lambda, comes out as that object: it can be assigned to.
        `std::tie(a, b) = f();` assigns the members of the value, in order; `std::ignore` takes none.
Source  C++ standard, "Tuples", "Utility components".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from analysis.cpp.conversions.model import ValueCategory
from analysis.ir.source import Span
from analysis.ir.types import S32, StructType, UnknownType
from analysis.lower.builtins import builtin_layout
from analysis.lower.builtins.types import canonical
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.expressions.dispatch import load, lower, reachable, temporary
from analysis.lower.expressions.members import element, member_place
from analysis.lower.library.source import array_elements
from analysis.lower.lookup import find
from analysis.lower.names import ConstantName, FunctionSet, TemplateArgument
from analysis.syntax.tree import Node

_SAME: Final = frozenset({"move", "forward", "as_const", "move_if_noexcept"})

_REFERRING: Final = frozenset({"tie", "forward_as_tuple"})
"""They give a tuple of references: what is done to it is done to the objects."""


def passed_through(
    ctx: LoweringContext, name: str, explicit: tuple[TemplateArgument, ...], operands: Sequence[Operand], node: Node
) -> Operand:
    """What the call gives; None for any other function."""
    space, last = canonical(name)
    if space == "std" and last in _REFERRING:
        reached = reachable(ctx, operands, ctx.span(node))
        return ctx.builder.opaque(f"std::{last}", reached, UnknownType("std::tuple"), ctx.span(node))
    if space not in ("std", "") or len(operands) != 1:
        return None
    if last in _SAME:
        same = operands[0]
        if not isinstance(same, LValue):
            return same
        if last == "move":
            return replace(same, category=ValueCategory.XVALUE, whole=None)
        return replace(same, category=None, spelled=None, whole=None)
    index = explicit[0] if last == "get" and explicit else None
    return (
        member_number(ctx, operands[0], int(index.value), ctx.span(node)) if isinstance(index, ConstantName) else None
    )


def member_number(ctx: LoweringContext, whole: Operand, index: int, span: Span) -> Operand:
    """Member `index` of a pair, tuple or `std::array`; None where there is none."""
    type = ctx.type_of(whole)
    if not isinstance(type, StructType):
        return None
    record = ctx.program.records.get(type.name)
    if record is None:
        layout = builtin_layout(type)
        is_member = layout is not None and index < len(layout.fields)
        return element(ctx, whole, index, layout.fields[index].type, span) if layout is not None and is_member else None
    elements = array_elements(ctx.program, type)
    if elements is None or elements.length is None or index >= elements.length:
        return None
    found = whole if isinstance(whole, LValue) else temporary(ctx, load(ctx, whole, span), span)
    array = member_place(ctx, found, record, 0, span)
    number = ctx.builder.constant(index, S32, span)
    address = ctx.builder.element_address(array.address, number, elements.element, span)
    return LValue(address, elements.element, found.volatile)


def tied(ctx: LoweringContext, left: Node) -> list[Operand] | None:
    """The objects of `std::tie(a, b)` on the left of an assignment; None for anything else."""
    if left.kind != "call_expression":
        return None
    function, arguments = left.field("function"), left.field("arguments")
    if function is None or arguments is None:
        return None
    entity = find(ctx.scope, function) if function.kind in ("identifier", "qualified_identifier") else None
    if not isinstance(entity, FunctionSet) or entity.declarations or canonical(entity.name)[1] != "tie":
        return None
    return [None if child.text.endswith(b"ignore") else lower(ctx, child) for child in arguments.children]


def assign_tied(ctx: LoweringContext, targets: Sequence[Operand], value: Operand, node: Node) -> Operand:
    """`std::tie(a, b) = value;`"""
    span = ctx.span(node)
    whole = load(ctx, value, span)
    for index, target in enumerate(targets):
        if not isinstance(target, LValue):
            continue
        member = member_number(ctx, whole, index, span)
        if member is None:
            member = ctx.builder.opaque("member of a tuple", (whole,), target.type, span)
        stored = implicit(ctx, load(ctx, member, span), target.type, span)
        ctx.builder.store(target.address, stored, span)
        if target.variable is not None:
            ctx.builder.defined(target.variable, stored, span)
    return whole
