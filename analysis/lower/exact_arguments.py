"""Template arguments in C++ types, as `analysis/cpp/templates` takes them, and back.

Rules   A record is found by its name, in which the arguments are spelled: `Box<int>`.  What deduces and compares needs
        the template and its arguments as data: `structured` says which these are, `named` what the record is called.
        None stands for what has no C++ type that is known: an integer that may be an enumeration, a lambda.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from analysis.cpp.conversions.model import Argument
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType
from analysis.cpp.types.qualification import layers
from analysis.cpp.types.spelling import spelled
from analysis.ir import types as ir
from analysis.lower.constant_values import ConstantObject
from analysis.lower.cpp_types import assumed, ir_type
from analysis.lower.names import (
    ArgumentPack,
    ConstantName,
    Declarations,
    DeclaredType,
    FunctionSet,
    GlobalVariable,
    MemberAddress,
    PackPattern,
    Record,
    TemplateArgument,
    TemplateValue,
    TypeName,
    TypeTemplate,
    VariableAddress,
    declared_as,
)
from analysis.lower.types import spelled_argument

_ENTITIES = ConstantObject | FunctionSet | GlobalVariable | VariableAddress | MemberAddress


def exact_argument(program: Declarations, argument: TemplateArgument) -> cpp.TemplateArgument | None:
    match argument:
        case TypeName(declared=declared):
            return None if declared.exact is None else structured(program, declared.exact)
        case ConstantName(value=value, type=type, exact=exact):
            return cpp.ValueArgument(value, (exact or assumed(type)).unqualified, argument.is_typed)
        case TemplateValue(name=name):
            return cpp.DependentValue(name)
        case TypeTemplate(name=name):
            return cpp.TemplateName(name)
        case ArgumentPack(elements=elements):
            found = exact_arguments(program, elements)
            return None if found is None else cpp.Pack(found)
        case PackPattern(element=element):
            pattern = exact_argument(program, element)
            return None if pattern is None else cpp.Expansion(pattern)
        case ConstantObject() | FunctionSet() | GlobalVariable() | VariableAddress() | MemberAddress():
            return cpp.EntityArgument(argument, spelled_argument(argument))
        case _:
            assert_never(argument)


def exact_arguments(
    program: Declarations, arguments: Sequence[TemplateArgument]
) -> tuple[cpp.TemplateArgument, ...] | None:
    found: list[cpp.TemplateArgument] = []
    for argument in arguments:
        exact = exact_argument(program, argument)
        if exact is None:
            return None
        found.append(exact)
    return tuple(found)


def structured(program: Declarations, type: QualType) -> QualType | None:
    """The type with the classes in it as templates with arguments."""
    if isinstance(type.type, cpp.FundamentalType):
        return type
    inner = _structured(program, type.type)
    return None if inner is None else QualType(inner, type.is_constant, type.is_volatile)


def structured_argument(program: Declarations, argument: Argument) -> Argument:
    """The argument of a call by its structured type; not known where that of a base of its class is not."""
    if isinstance(argument.type.type, cpp.FundamentalType):
        return argument
    known = structured(program, argument.type)
    if known is None or not _has_known_bases(program, layers(argument.type)[1].type):
        return replace(argument, type=_opaque(argument.type))
    return replace(argument, type=known)


def structured_or_opaque(program: Declarations, declared: DeclaredType) -> QualType:
    """What a parameter declares, a type that is not known included."""
    exact = declared.exact
    known = None if exact is None else structured(program, exact)
    return known if known is not None else _opaque(exact or assumed(declared.type))


def _opaque(type: QualType) -> QualType:
    return QualType(cpp.OpaqueType(spelled(type)))


def _has_known_bases(program: Declarations, type: cpp.Type) -> bool:
    record = program.records.get(record_name(type)) if isinstance(type, cpp.ClassType) else None
    bases = [] if record is None else [cpp.ClassType(base.name) for base, _ in record.bases]
    return all(structured_class(program, base) is not None and _has_known_bases(program, base) for base in bases)


def _structured(program: Declarations, type: cpp.Type) -> cpp.Type | None:
    match type:
        case cpp.ClassType(arguments=arguments):
            return type if arguments else structured_class(program, type)
        case cpp.PointerType(pointee=pointee, space=space):
            pointee = structured(program, pointee)
            return None if pointee is None else cpp.PointerType(pointee, space)
        case cpp.ReferenceType(referred=referred, is_rvalue=is_rvalue):
            referred = structured(program, referred)
            return None if referred is None else cpp.ReferenceType(referred, is_rvalue)
        case cpp.ArrayType(element=element, length=length):
            element = structured(program, element)
            return None if element is None else cpp.ArrayType(element, length)
        case cpp.MemberPointerType(owner=owner, member=member):
            owner, member = structured(program, owner), structured(program, member)
            return None if owner is None or member is None else cpp.MemberPointerType(owner, member)
        case cpp.FunctionType(result=result, parameters=parameters):
            result = structured(program, result)
            found = [each for one in parameters if (each := structured(program, one)) is not None]
            if result is None or len(found) < len(parameters):
                return None
            return cpp.FunctionType(result, tuple(found), type.is_variadic, type.is_constant, type.expands)
        case _:
            return type


def structured_class(program: Declarations, type: cpp.ClassType) -> cpp.ClassType | None:
    """The class as an instance of its template; None where the arguments are not known."""
    record = program.records.get(type.name)
    if record is None or record.template is None:
        return type
    arguments = exact_arguments(program, record.arguments)
    return None if arguments is None else cpp.ClassType(_template_name(record), arguments)


def _template_name(record: Record) -> str:
    """The qualified name of the template that the record is an instance of."""
    listed = ", ".join(spelled_argument(argument) for argument in record.arguments)
    return record.name.removesuffix(f"<{listed}>")


def record_name(type: cpp.ClassType) -> str:
    return spelled(QualType(type)) if type.arguments else type.name


def named(type: QualType) -> QualType:
    """The type with the classes in it by the names of their records."""
    inner = type.type
    match inner:
        case cpp.ClassType():
            made: cpp.Type = cpp.ClassType(record_name(inner))
        case cpp.PointerType(pointee=pointee, space=space):
            made = cpp.PointerType(named(pointee), space)
        case cpp.ReferenceType(referred=referred, is_rvalue=is_rvalue):
            made = cpp.ReferenceType(named(referred), is_rvalue)
        case cpp.ArrayType(element=element, length=length):
            made = cpp.ArrayType(named(element), length)
        case cpp.MemberPointerType(owner=owner, member=member):
            made = cpp.MemberPointerType(named(owner), named(member))
        case cpp.FunctionType(result=result, parameters=parameters):
            found = tuple(map(named, parameters))
            made = cpp.FunctionType(named(result), found, inner.is_variadic, inner.is_constant, inner.expands)
        case _:
            made = inner
    return QualType(made, type.is_constant, type.is_volatile)


def as_written(
    program: Declarations, argument: cpp.TemplateArgument, templates: Mapping[str, TypeTemplate] | None = None
) -> TemplateArgument | None:
    """The argument as scopes declare it; `templates` are some that it may name."""
    match argument:
        case QualType():
            return TypeName(declared_as(named(argument)))
        case cpp.ValueArgument(value=value, type=type, is_typed=is_typed):
            return ConstantName(value, ir_type(type), type, is_typed)
        case cpp.EntityArgument(entity=entity):
            is_argument = isinstance(entity, _ENTITIES)
            return entity if is_argument else None
        case cpp.DependentValue(name=name):
            return TemplateValue(name, ir.S32)
        case cpp.TemplateName(name=name):
            return (templates or {}).get(name) or template_named(program, name)
        case cpp.Pack(elements=elements):
            found = [each for one in elements if (each := as_written(program, one, templates)) is not None]
            return ArgumentPack(tuple(found)) if len(found) == len(elements) else None
        case cpp.Expansion(pattern=pattern):
            element = as_written(program, pattern, templates)
            return None if element is None else PackPattern(element)
        case _:
            assert_never(argument)


def template_named(program: Declarations, name: str) -> TypeTemplate | None:
    """The class template of that qualified name; None where it is a member of a class."""
    *path, last = name.split("::")
    entity = program.find_in_namespace(tuple(path), last)
    return entity if isinstance(entity, TypeTemplate) else None
