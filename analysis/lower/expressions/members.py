"""Member access: `object.member`, `pointer->member`, members of `this`, `threadIdx.x`.

Rules   An object stays an object: its member is one too (`FieldAddress`).  A value's member is extracted.
        A data member of a template's type is a part of the object, whatever it is: the object seen as another type.
Limits  A member of a type that is not visible is opaque.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.expressions.parts import element_type, member_type
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType
from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import (
    FUNCTION_POINTERS,
    S32,
    S64,
    U8,
    ArrayType,
    PointerType,
    StructLayout,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
)
from analysis.lower.bit_fields import bit_field, read_bits
from analysis.lower.builtins import builtin_layout, static_member
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.cpp_types import of_library
from analysis.lower.expressions.dispatch import load, lower, unsupported
from analysis.lower.expressions.places import global_place, variable_place
from analysis.lower.lookup import constant_part
from analysis.lower.names import BuiltinName, ConstantName, GlobalVariable, LocalVariable, Record, RecordField
from analysis.lower.types import spelled
from analysis.lower.virtual_calls import most_derived, whole_class
from analysis.syntax.tree import Node

_VECTOR_FIELDS = {"x": 0, "y": 1, "z": 2, "w": 3}


def field_expression(ctx: LoweringContext, node: Node) -> Operand:
    """`object.member` and `pointer->member`."""
    argument, operator, name_node = node.three("argument", "operator", "field")
    if argument is None or name_node is None:
        return unsupported(ctx, node)
    name = name_node.text.decode("utf-8", "replace")
    if argument.kind == "identifier":
        entity = ctx.scope.find(argument.text.decode("utf-8", "replace"))
        if isinstance(entity, LocalVariable) and entity.object is None:
            found = variable_place(ctx, entity, ctx.span(argument))
            return member(ctx, _behind(ctx, operator, argument, found), name, node)
        if isinstance(entity, BuiltinName):
            value = entity.builtin.member(ctx.builder, name, ctx.span(node))
            if value is not None:
                return ctx.typed(value, of_library(ctx.builder.types[value]))
    constant = constant_part(ctx.scope, node)
    if constant is not None:
        value = ctx.builder.constant(constant.value, constant.type, ctx.span(node))
        return ctx.typed(value, constant.exact)
    return member(ctx, _behind(ctx, operator, argument, lower(ctx, argument)), name, node)


def receiver(ctx: LoweringContext, node: Node, argument: Node) -> Operand:
    """The object before `.`, or what the pointer before `->` points to."""
    return _behind(ctx, node.field("operator"), argument, lower(ctx, argument))


def _behind(ctx: LoweringContext, operator: Node | None, argument: Node, operand: Operand) -> Operand:
    if operator is None or operator.kind != "->":
        return operand
    return pointee(ctx, argument, operand)


def pointee(ctx: LoweringContext, node: Node, pointer: Operand) -> Operand:
    """The object that the pointer `node` leads to."""
    span = ctx.span(node)
    found = dereference(ctx, load(ctx, pointer, span), span)
    if node.kind != "this" or ctx.this is None or not isinstance(found, LValue):
        return found
    return replace(found, most_derived=ctx.this.most_derived)


def dereference(ctx: LoweringContext, pointer: ValueId, span: Span) -> Operand:
    """The object at `pointer`; opaque where that is no pointer."""
    type = ctx.builder.types[pointer]
    if isinstance(type, PointerType):
        return pointed_place(ctx, pointer, type, pointer)
    if isinstance(type, TemplateType | UnknownType):
        return ctx.builder.opaque(f"object behind a {spelled(type)}", (pointer,), UnknownType("object"), span)
    return ctx.builder.opaque(f"dereference of a {spelled(type)}", (pointer,), UnknownType("object"), span)


def pointed_place(ctx: LoweringContext, pointer: ValueId, type: PointerType, address: ValueId) -> LValue:
    """The object at `address`, to which the `pointer` of that type, or one beside it, leads."""
    exact = ctx.exact_type(pointer)
    pointee = None if exact is None else element_type(exact)
    return LValue(address, type.element, type.volatile, category=ValueCategory.LVALUE, spelled=pointee)


def member(ctx: LoweringContext, base: Operand, name: str, node: Node) -> Operand:
    """Member `name` of an object or value."""
    type = ctx.type_of(base)
    span = ctx.span(node)
    if isinstance(type, VectorType):
        index = _VECTOR_FIELDS.get(name, 4)
        if index < type.length:
            return element(ctx, base, index, type.element, span)
    elif isinstance(type, StructType):
        record = ctx.program.records.get(type.name)
        if record is not None:
            found = record_member(ctx, base, record, name, span)
            if found is not None:
                return found
            entity = record.member(name)
            if isinstance(entity, ConstantName):
                return ctx.typed(ctx.builder.constant(entity.value, entity.type, span), entity.exact)
            if isinstance(entity, GlobalVariable):
                return global_place(ctx, entity.declaration, node)
        else:
            constant = static_member(type, name)
            if constant is not None:
                return ctx.builder.constant(constant, S32, span)
            layout = builtin_layout(type)
            if layout is not None:
                return _layout_member(ctx, base, layout, name, node)
    elif isinstance(type, TemplateType):
        return _dependent_member(ctx, base, TemplateType(f"{type.name}::{name}"), span)
    shown = "nothing" if type is None else spelled(type)
    arguments = () if base is None or type is None else (load(ctx, base, span),)
    if isinstance(base, LValue):
        arguments = (base.address,)
    return ctx.builder.opaque(f"member {name} of {shown}", arguments, UnknownType(f"{shown}::{name}"), span)


def _dependent_member(ctx: LoweringContext, base: Operand, type: TemplateType, span: Span) -> Operand:
    builder = ctx.builder
    if isinstance(base, LValue):
        pointer = PointerType(type, builder.space_of(base.address), base.volatile)
        return LValue(builder.bitcast(base.address, pointer, span), type, base.volatile)
    return builder.convert(load(ctx, base, span), type, span)


def record_member(ctx: LoweringContext, base: Operand, record: Record, name: str, span: Span) -> Operand:
    """A data member by name, also one inside an anonymous struct or union; None where there is none."""
    index = record.field_index(name)
    if index is not None:
        return field_at(ctx, base, record, index, span)
    for number, anonymous in enumerate(record.fields):
        type = anonymous.declared.type
        inner = ctx.program.records.get(type.name) if anonymous.name == "" and isinstance(type, StructType) else None
        if inner is not None:
            found = record_member(ctx, field_at(ctx, base, record, number, span), inner, name, span)
            if found is not None:
                return found
    return None


def field_at(ctx: LoweringContext, base: Operand, record: Record, index: int, span: Span) -> Operand:
    """Member number `index`; through a member of reference type, what it refers to."""
    declared = record.fields[index].declared
    if isinstance(base, LValue):
        found: Operand = member_place(ctx, base, record, index, span)
    else:
        found = _value_member(ctx, base, record, index, span)
    if not declared.is_reference:
        return found
    exact = declared.exact
    return LValue(
        load(ctx, found, span),
        declared.type,
        declared.is_volatile,
        category=ValueCategory.LVALUE,
        spelled=None if exact is None else exact.object,
    )


def member_place(ctx: LoweringContext, whole: LValue, record: Record, index: int, span: Span) -> LValue:
    """Member number `index` of an object; of a member of reference type, the pointer that is stored."""
    own = record.fields[index]
    declared = own.declared
    is_volatile = whole.volatile or declared.is_volatile
    field = bit_field(ctx, record, index)
    return LValue(
        ctx.builder.field_address(whole.address, index, declared.stored if field is None else field.type, span),
        declared.stored,
        is_volatile,
        bits=None if field is None else field.bits,
        category=whole.part_category,
        whole=whole.temporary,
        spelled=_member_type(ctx, whole, own),
        most_derived=whole_class(ctx.program, declared.stored),
    )


def _member_type(ctx: LoweringContext, whole: LValue, member: RecordField) -> QualType | None:
    """The C++ type of what is stored for a member of that object; None for a reference, which is stored otherwise."""
    around, declared = ctx.exact_type(whole), member.declared
    if around is not None:
        exact = member.type_in(around)
    elif declared.is_constant or member.is_mutable or declared.type in FUNCTION_POINTERS:
        exact = declared.exact  # whichever qualifiers the object has
    else:
        return None
    return None if exact is None or exact.is_reference else exact


def _value_member(ctx: LoweringContext, base: Operand, record: Record, index: int, span: Span) -> ValueId:
    builder, stored = ctx.builder, record.fields[index].declared.stored
    field = bit_field(ctx, record, index)
    if field is None or field.bits is None:
        exact = record.fields[index].declared.exact
        value = builder.extract(load(ctx, base, span), index, stored, span)
        return ctx.typed(value, None if exact is None or exact.is_reference else exact)
    return read_bits(builder, builder.extract(load(ctx, base, span), index, field.type, span), stored, field.bits, span)


def element(
    ctx: LoweringContext, base: Operand, index: int, type: Type, span: Span, *, is_volatile: bool = False
) -> Operand:
    """Member `index`, of `type`, of a struct or vector."""
    builder = ctx.builder
    exact = of_library(type)
    if isinstance(base, LValue):
        around = ctx.exact_type(base)
        known = None if exact is None or around is None else member_type(around, exact)
        address = builder.field_address(base.address, index, type, span)
        return LValue(address, type, base.volatile or is_volatile, category=base.part_category, spelled=known)
    return ctx.typed(builder.extract(load(ctx, base, span), index, type, span), exact)


def element_place(ctx: LoweringContext, array: LValue, element: Type, index: ValueId, span: Span) -> LValue:
    """An element, of that type, of an array object."""
    exact = ctx.exact_type(array)
    return LValue(
        ctx.builder.element_address(array.address, index, element, span),
        element,
        array.volatile,
        category=array.part_category,
        whole=array.temporary,
        spelled=None if exact is None else element_type(exact),
        most_derived=whole_class(ctx.program, element),
    )


def elements_of(ctx: LoweringContext, whole: LValue, elements: ArrayType, span: Span) -> LValue:
    """The array that a `std::array` holds."""
    record = ctx.program.records.get(whole.type.name) if isinstance(whole.type, StructType) else None
    assert record is not None, "only a class has elements of that type"
    return replace(member_place(ctx, whole, record, 0, span), type=elements)


def _layout_member(ctx: LoweringContext, base: Operand, layout: StructLayout, name: str, node: Node) -> Operand:
    span = ctx.span(node)
    for index, found in enumerate(layout.fields):
        if found.name == name:
            return element(ctx, base, index, found.type, span)
    return ctx.builder.opaque(f"member {name} of {layout.name}", (load(ctx, base, span),), UnknownType(name), span)


def this_object(ctx: LoweringContext, record: Record, span: Span) -> LValue | None:
    """`*this`, seen as `record` (the class itself or a base of it)."""
    if ctx.this is None or ctx.owner is None:
        return None
    builder = ctx.builder
    is_constant, type = ctx.this.is_constant, QualType(cpp.ClassType(ctx.owner.name))
    whole = LValue(
        builder.load(builder.symbol_address(ctx.this.symbol, span), ctx.this.declared.type, span),
        ctx.owner.type,
        category=ValueCategory.LVALUE,
        spelled=None if is_constant is None else cpp.qualified(type, constant=is_constant),
        most_derived=ctx.this.most_derived,
    )
    return upcast(ctx, whole, ctx.owner, record, span)


def upcast(ctx: LoweringContext, base: LValue, derived: Record, wanted: Record, span: Span) -> LValue | None:
    """An object of `derived` seen as its base class `wanted`."""
    if derived is wanted:
        return base
    own = ctx.exact_type(base)
    for parent, first in derived.bases:
        address = base.address
        distance = _distance(ctx, derived, parent, first)
        if distance and _begins_with_member(ctx, parent):
            address = ctx.builder.field_address(address, first, parent.fields[0].declared.stored, span)
        elif distance:
            bytes_ = ctx.builder.bitcast(address, PointerType(U8, ctx.builder.space_of(address)), span)
            number = ctx.builder.constant(distance, S64, span)
            address = ctx.builder.element_address(bytes_, number, U8, span)
        pointer = PointerType(parent.type, ctx.builder.space_of(address))
        part = LValue(
            ctx.builder.bitcast(address, pointer, span),
            parent.type,
            category=base.part_category,
            whole=base.temporary,
            spelled=None if own is None else member_type(own, QualType(cpp.ClassType(parent.name))),
            most_derived=most_derived(ctx.program, base),
        )
        found = upcast(ctx, part, parent, wanted, span)
        if found is not None:
            return found
    return None


def _distance(ctx: LoweringContext, derived: Record, parent: Record, first: int) -> int:
    """How many bytes into `derived` its base lies whose members begin at number `first`."""
    layout, own = ctx.program.layouts.get(derived.name), ctx.program.layouts.get(parent.name)
    if layout is None or own is None or not own.fields or first >= len(layout.fields):
        return 0
    return layout.fields[first].offset - own.fields[0].offset


def _begins_with_member(ctx: LoweringContext, record: Record) -> bool:
    """Whether its first member lies at the beginning of the object."""
    layout = ctx.program.layouts.get(record.name)
    return layout is not None and bool(layout.fields) and layout.fields[0].offset == 0


def downcast(ctx: LoweringContext, base: LValue, derived: Record, span: Span) -> LValue:
    """An object that is known to be a `derived` one, or a part of one, and is seen as a base of it."""
    address = moved_in_class(ctx, base.address, base.type, derived.type, span)
    pointer = PointerType(derived.type, ctx.builder.space_of(address))
    return replace(base, address=ctx.builder.bitcast(address, pointer, span), type=derived.type, spelled=None)


def moved_in_class(ctx: LoweringContext, address: ValueId, actual: Type, wanted: Type, span: Span) -> ValueId:
    """The address of the `wanted` base of an `actual` object, or of the `wanted` object that an `actual` one begins.

    A base that does not come first lies some bytes further on; the address of anything else stays what it is.
    """
    if not isinstance(actual, StructType) or not isinstance(wanted, StructType) or actual == wanted:
        return address
    given, target = ctx.program.records.get(actual.name), ctx.program.records.get(wanted.name)
    if given is None or target is None:
        return address
    distance = _distance_of_base(ctx, given, target)
    if distance is None:
        back = _distance_of_base(ctx, target, given)
        distance = None if back is None else -back
    if not distance:
        return address
    builder = ctx.builder
    bytes_ = builder.bitcast(address, PointerType(U8, builder.space_of(address)), span)
    return builder.element_address(bytes_, builder.constant(distance, S64, span), U8, span)


def _distance_of_base(ctx: LoweringContext, derived: Record, base: Record) -> int | None:
    """How many bytes into `derived` its base lies; None where it is none."""
    if derived is base:
        return 0
    for parent, first in derived.bases:
        inner = _distance_of_base(ctx, parent, base)
        if inner is not None:
            return inner + _distance(ctx, derived, parent, first)
    return None


def member_of_this(ctx: LoweringContext, record: Record, name: str, node: Node) -> Operand:
    """A member's bare name inside a method."""
    span = ctx.span(node)
    found: Operand = None
    whole = this_object(ctx, record, span)
    if whole is not None:
        found = record_member(ctx, whole, record, name, span)
    return unsupported(ctx, node, f"member {name} without an object") if found is None else found
