"""Which members a pointer to a member may lead to, and what `&Class::member` is.

Rules   Such a pointer holds a number that is made of the member's name, whoever asks.  The type of `&C::m` names the
        class that declares `m`, which may be a base of `C`.
Source  C++20 standard, [expr.unary.op], [conv.mem].
"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import ClassType, MemberPointerType, QualType
from analysis.ir.ids import FunctionId
from analysis.lower.function_types import function_type
from analysis.lower.function_values import number_of
from analysis.lower.functions import instantiate, is_for_constants
from analysis.lower.lookup import find
from analysis.lower.names import FunctionDeclaration, FunctionSet, MemberAddress, MemberName, Record, Scope
from analysis.lower.records import methods_named
from analysis.syntax.tree import Node


def member_address(scope: Scope, name: Node) -> MemberAddress | None:
    """`&Class::member`; None where the name is not that of a member, or of several."""
    entity = find(scope, name) if name.kind == "qualified_identifier" else None
    if isinstance(entity, MemberName):
        index = entity.record.field_index(entity.name)
        numbers = {place: number for number, place in data_members(entity.record)}
        exact = None if index is None else entity.record.fields[index].declared.exact
        if index is None or exact is None or index not in numbers:
            return None
        return _address(_declaring(entity.record, entity.name), entity.name, numbers[index], exact)
    if isinstance(entity, FunctionSet) and len(entity.declarations) == 1 and entity.declarations[0].has_this:
        method = entity.declarations[0]
        signature = signature_of(method)
        if signature is not None and method.owner is not None:
            return _address(method.owner, method.name, method_number(method), QualType(signature))
    return None


def _declaring(record: Record, name: str) -> Record:
    """The class, a base perhaps, that declares the member of that name."""
    if (record.field_index(name) or 0) < record.own_fields:
        for base, _ in record.bases:
            if base.field_index(name) is not None:
                return _declaring(base, name)
    return record


def _address(owner: Record, name: str, number: int, member: QualType) -> MemberAddress:
    type = QualType(MemberPointerType(QualType(ClassType(owner.name)), member))
    return MemberAddress(f"&{owner.name}::{name}", number, type)


def data_members(record: Record) -> Iterator[tuple[int, int]]:
    """Numbers and places of the members that a pointer may lead to; those of bases first."""
    for base, first in record.bases:
        yield from ((number, first + index) for number, index in data_members(base))
    for index in range(record.own_fields, len(record.fields)):
        member = record.fields[index]
        if member.name and member.width is None and not member.declared.is_reference and not member.is_class_number:
            yield number_of(FunctionId(f"member {record.name}::{member.name}")), index


def methods(record: Record) -> Iterator[FunctionDeclaration]:
    """Those that a pointer may lead to, its own first."""
    for one in _with_bases(record):
        for name in sorted(one.method_nodes):
            found = (each for each in methods_named(one, name) if each.owner is one and each.has_this)
            yield from (each for each in found if not (each.is_constructor or each.is_destructor))


def _with_bases(record: Record) -> Iterator[Record]:
    yield record
    for base, _ in record.bases:
        yield from _with_bases(base)


def signature_of(method: FunctionDeclaration) -> cpp.FunctionType | None:
    """The method's type; None where it is not known."""
    known = function_type(method)
    type = None if known is None else known.type
    if not isinstance(type, cpp.FunctionType):
        return None
    return cpp.FunctionType(type.result, type.parameters, type.is_variadic, is_for_constants(method))


def method_number(method: FunctionDeclaration) -> int:
    """What a pointer to the method holds."""
    return number_of(instantiate(method, {}).id)
