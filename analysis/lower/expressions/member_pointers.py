"""Pointers to members: `&Class::member`, `object.*pointer`, `(object.*pointer)(x)`.

Rules   Such a pointer holds the number of a member (`member_addresses.py`).  It may be each member of its class, or of
        a base, that has just the type; whichever it is, `object.*pointer` is that member, and a call runs that method
        (or what overrides it).
        `pointer->*member` reads as `object.*member` does: what stands in front is a pointer then (`normalise.py`).
        Which part of the text is the pointer: `syntax/member_pointers.py`.
Limits  A pointer that was cast from a derived class, where the member is one of that, counts as set to no member.
Source  C++20 standard, [expr.mptr.oper], [expr.unary.op].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import ClassType, MemberPointerType, qualified
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Select
from analysis.ir.operators import CompareOperator
from analysis.ir.source import Span
from analysis.ir.types import S64, PointerType, StructType
from analysis.lower.calls import call_method, unknown_call
from analysis.lower.chosen_calls import Arm, assert_is_one, call_one
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.cpp_types import ir_type
from analysis.lower.expressions.dispatch import handles, load, lower, place, unsupported
from analysis.lower.expressions.members import field_expression, member_place, pointee, upcast
from analysis.lower.function_values import MAX_CANDIDATES
from analysis.lower.member_addresses import data_members, member_address, method_number, methods, signature_of
from analysis.lower.names import Record, RecordField
from analysis.syntax.member_pointers import is_to_member
from analysis.syntax.tree import Node


@handles("field_expression")
def _field_expression(ctx: LoweringContext, node: Node) -> Operand:
    if not is_to_member(node):
        return field_expression(ctx, node)
    object, pointer = _parts(ctx, node)
    span = ctx.span(node)
    record, type = _class_of(ctx, pointer)
    whole = None if record is None or object is None else _as(ctx, object, record, span)
    if record is None or type is None or whole is None:
        return unsupported(ctx, node, "a pointer to a member of an unknown type")
    value = load(ctx, pointer, span)
    members = [(number, index) for number, index in data_members(record) if _may_lead_to(type, record.fields[index])]
    if not 0 < len(members) <= MAX_CANDIDATES:
        return unsupported(ctx, node, "a pointer to a member of a type that no member has")
    return _member(ctx, whole, record, implicit(ctx, value, S64, span), members, span)


def _member(
    ctx: LoweringContext, whole: LValue, record: Record, number: ValueId, members: Sequence[tuple[int, int]], span: Span
) -> LValue:
    """The member that has the number, of several with one type."""
    builder = ctx.builder
    assert_is_one(ctx, number, [known for known, _ in members], span)
    found = member_place(ctx, whole, record, members[0][1], span)
    address = found.address
    for known, index in members[1:]:
        test = builder.compare(CompareOperator.EQUAL, number, builder.constant(known, S64, span), span)
        other = member_place(ctx, whole, record, index, span).address
        chosen = builder.value(builder.type_of(address))
        builder.emit(Select(chosen, test, other, address, None, span))
        address = chosen
    return LValue(address, found.type, found.volatile, category=found.category, spelled=found.spelled)


def call_member(ctx: LoweringContext, node: Node, function: Node, operands: Sequence[Operand]) -> Operand:
    """`(object.*pointer)(arguments)`."""
    span = ctx.span(node)
    object, pointer = _parts(ctx, function)
    record, type = _class_of(ctx, pointer)
    whole = None if record is None or object is None else _as(ctx, object, record, span)
    signature = None if type is None else type.member.type
    if record is None or whole is None or not isinstance(signature, cpp.FunctionType):
        return unknown_call(ctx, "call through a pointer to a member", (object, pointer, *operands), span)
    arms = [
        Arm((method_number(each),), partial(call_method, ctx, whole, record, (each,), (), operands, span))
        for each in methods(record)
        if signature_of(each) == signature
    ]
    if not 0 < len(arms) <= MAX_CANDIDATES or len(signature.parameters) != len(operands):
        returns = ir_type(signature.result)
        return unknown_call(ctx, "call through a pointer to a member", (whole, *operands), span, returns)
    value, chosen_by = load(ctx, pointer, span), ctx.span(function.field("field") or function)
    return call_one(ctx, value, arms, None, chosen_by, span, are_references=signature.result.is_reference)


def named_member(ctx: LoweringContext, name: Node, span: Span) -> ValueId | None:
    """`&Class::member`; None where the name is not that of a member, or of several."""
    found = member_address(ctx.scope, name)
    if found is None:
        return None
    return ctx.typed(ctx.builder.constant(found.number, ir_type(found.exact), span), found.exact)


def _parts(ctx: LoweringContext, node: Node) -> tuple[LValue | None, Operand]:
    """The object and the pointer to a member of it."""
    argument, named = node.field("argument"), node.field("field")
    if argument is None or named is None:
        return None, None
    found = place(ctx, argument)
    object = pointee(ctx, argument, found) if isinstance(found.type, PointerType) else found
    return object if isinstance(object, LValue) else None, lower(ctx, named)


def _class_of(ctx: LoweringContext, pointer: Operand) -> tuple[Record | None, MemberPointerType | None]:
    """Of whose members a pointer is one, and its type."""
    exact = ctx.exact_type(pointer)
    type = None if exact is None else exact.object.type
    if not isinstance(type, MemberPointerType) or not isinstance(type.owner.type, ClassType):
        return None, None
    record = ctx.program.records.get(type.owner.type.name)
    return (None if record is None or record.is_guess or record.has_unknown_base else record), type


def _as(ctx: LoweringContext, object: LValue, record: Record, span: Span) -> LValue | None:
    own = ctx.program.records.get(object.type.name) if isinstance(object.type, StructType) else None
    return None if own is None else upcast(ctx, object, own, record, span)


def _may_lead_to(type: MemberPointerType, member: RecordField) -> bool:
    """Whether the member has the type, or that without `const`."""
    exact = member.declared.exact
    return exact is not None and type.member in (exact, qualified(exact, constant=True))
