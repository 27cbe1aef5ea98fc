"""Pointers to members: `&Class::member`, `object.*pointer`, `(object.*pointer)(x)`.

Rules   Such a pointer holds the number of a member.  It may be each member of its class, or of a base, that has just
        the type; whichever it is, `object.*pointer` is that member, and a call runs that method (or what overrides it).
        `pointer->*member` reads as `object.*member` does: what stands in front is a pointer then (`normalise.py`).
Limits  A pointer that was cast from a derived class, where the member is one of that, counts as set to no member.
        As a template argument, `&Class::member` is not known.
Source  C++20 standard, [expr.mptr.oper], [expr.unary.op].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import ClassType, MemberPointerType, QualType
from analysis.ir.ids import FunctionId, ValueId
from analysis.ir.instructions import Select
from analysis.ir.operators import CompareOperator
from analysis.ir.source import Span
from analysis.ir.types import FUNCTION_POINTER, S64, PointerType, StructType
from analysis.lower.calls import call_method, unknown_call
from analysis.lower.chosen_calls import Arm, assert_is_one, call_one
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.cpp_types import ir_type
from analysis.lower.expressions.dispatch import handles, load, lower, place, unsupported
from analysis.lower.expressions.members import field_expression, member_place, pointee, upcast
from analysis.lower.expressions.names import entity_operand
from analysis.lower.function_types import function_type
from analysis.lower.function_values import MAX_CANDIDATES, number_of
from analysis.lower.functions import instantiate, is_for_constants
from analysis.lower.lookup import find
from analysis.lower.names import FunctionDeclaration, FunctionSet, MemberName, Record
from analysis.lower.records import methods_named
from analysis.syntax.tree import Node

TO_MEMBER: Final = ".*"


@handles("field_expression")
def _field_expression(ctx: LoweringContext, node: Node) -> Operand:
    sign = node.field("operator")
    if sign is None or sign.kind != TO_MEMBER:
        return field_expression(ctx, node)
    object, pointer = _parts(ctx, node)
    span = ctx.span(node)
    record, type = _class_of(ctx, pointer)
    whole = None if record is None or object is None else _as(ctx, object, record, span)
    if record is None or type is None or whole is None:
        return unsupported(ctx, node, "a pointer to a member of an unknown type")
    value = load(ctx, pointer, span)
    members = [(number, index) for number, index in _data(record) if record.fields[index].declared.exact == type.member]
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
    return LValue(address, found.type, found.volatile, is_lvalue=whole.is_lvalue, spelled=found.spelled)


def call_member(ctx: LoweringContext, node: Node, function: Node, operands: Sequence[Operand]) -> Operand:
    """`(object.*pointer)(arguments)`."""
    span = ctx.span(node)
    object, pointer = _parts(ctx, function)
    record, type = _class_of(ctx, pointer)
    whole = None if record is None or object is None else _as(ctx, object, record, span)
    signature = None if type is None else type.member.type
    if record is None or whole is None or not isinstance(signature, cpp.FunctionType):
        return unknown_call(ctx, "call through a pointer to a member", (object, pointer, *operands), span)
    methods = [each for each in _methods(record) if _signature(each) == signature]
    arms = [
        Arm((_number(each),), partial(call_method, ctx, whole, record, (each,), (), operands, span)) for each in methods
    ]
    if not 0 < len(arms) <= MAX_CANDIDATES or len(signature.parameters) != len(operands):
        returns = ir_type(signature.result)
        return unknown_call(ctx, "call through a pointer to a member", (whole, *operands), span, returns)
    value, chosen_by = load(ctx, pointer, span), ctx.span(function.field("field") or function)
    return call_one(ctx, value, arms, None, chosen_by, span, are_references=signature.result.is_reference)


def named_member(ctx: LoweringContext, name: Node, span: Span) -> ValueId | None:
    """`&Class::member`; None where the name is not that of a member, or of several."""
    entity = find(ctx.scope, name) if name.kind == "qualified_identifier" else None
    if isinstance(entity, MemberName):
        index = entity.record.field_index(entity.name)
        numbers = {place: number for number, place in _data(entity.record)}
        exact = None if index is None else entity.record.fields[index].declared.exact
        if index is None or exact is None or index not in numbers:
            return None
        owner = next(one for one in _with_bases(entity.record) if one.field_index(entity.name) is not None)
        return _constant(ctx, numbers[index], owner, exact, span)
    if isinstance(entity, FunctionSet) and len(entity.declarations) == 1 and entity.declarations[0].has_this:
        method = entity.declarations[0]
        signature = _signature(method)
        if signature is not None and method.owner is not None:
            return _constant(ctx, _number(method), method.owner, QualType(signature), span)
    return None


def _constant(ctx: LoweringContext, number: int, owner: Record, member: QualType, span: Span) -> ValueId:
    pointer = ctx.builder.constant(number, FUNCTION_POINTER, span)
    return ctx.typed(pointer, QualType(MemberPointerType(QualType(ClassType(owner.name)), member)))


def _parts(ctx: LoweringContext, node: Node) -> tuple[LValue | None, Operand]:
    """The object and the pointer to a member of it."""
    argument, named = node.field("argument"), node.field("field")
    if argument is None or named is None:
        return None, None
    found = place(ctx, argument)
    object = pointee(ctx, argument, found) if isinstance(found.type, PointerType) else found
    entity = ctx.scope.find(named.text.decode("utf-8", "replace"))
    pointer = lower(ctx, named) if entity is None else entity_operand(ctx, entity, named)
    return object if isinstance(object, LValue) else None, pointer


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


def _data(record: Record) -> Iterator[tuple[int, int]]:
    """Numbers and places of the members that a pointer may lead to; those of bases first."""
    for base, first in record.bases:
        yield from ((number, first + index) for number, index in _data(base))
    for index in range(record.own_fields, len(record.fields)):
        member = record.fields[index]
        if member.name and member.width is None and not member.declared.is_reference and not member.is_class_number:
            yield number_of(FunctionId(f"member {record.name}::{member.name}")), index


def _methods(record: Record) -> Iterator[FunctionDeclaration]:
    for one in _with_bases(record):
        for name in sorted(one.method_nodes):
            found = (each for each in methods_named(one, name) if each.owner is one and each.has_this)
            yield from (each for each in found if not (each.is_constructor or each.is_destructor))


def _with_bases(record: Record) -> Iterator[Record]:
    yield record
    for base, _ in record.bases:
        yield from _with_bases(base)


def _signature(method: FunctionDeclaration) -> cpp.FunctionType | None:
    known = function_type(method)
    type = None if known is None else known.type
    if not isinstance(type, cpp.FunctionType):
        return None
    return cpp.FunctionType(type.result, type.parameters, type.is_variadic, is_for_constants(method))


def _number(method: FunctionDeclaration) -> int:
    return number_of(instantiate(method, {}).id)
