"""Template arguments put in the place of template parameters.

Rules   A parameter without an argument stands for itself.  Reference collapsing and the qualifiers of references and
        arrays follow the types.  What cannot be a type (a reference to void, an array of references) is a failure.
        Expansions become as many elements as their packs have; packs of different lengths are a failure.
Source  C++20 standard, [temp.deduct.general], [dcl.ref], [temp.variadic].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from analysis.cpp.types.model import (
    ArrayType,
    ClassType,
    DependentType,
    DependentValue,
    EntityArgument,
    Expansion,
    FunctionType,
    Fundamental,
    FundamentalType,
    MemberPointerType,
    Pack,
    PointerType,
    QualType,
    ReferenceType,
    TemplateArgument,
    TemplateName,
    Type,
    ValueArgument,
    qualified,
    reference_to,
)

Bindings: TypeAlias = Mapping[str, TemplateArgument]


_NONE: frozenset[str] = frozenset()


class SubstitutionFailure(Exception):
    """The types that would be made do not exist."""


def substituted(type: QualType, bindings: Bindings) -> QualType:
    """The type with its parameters replaced; raises SubstitutionFailure."""
    inner = type.type
    match inner:
        case DependentType(name=name):
            found = bindings.get(name)
            made = found if isinstance(found, QualType) else QualType(inner)
        case PointerType(pointee=pointee, space=space):
            pointee = substituted(pointee, bindings)
            if pointee.is_reference:
                raise SubstitutionFailure("a pointer to a reference")
            made = QualType(PointerType(pointee, space))
        case ReferenceType(referred=referred, is_rvalue=is_rvalue):
            referred = substituted(referred, bindings)
            if _is_void(referred):
                raise SubstitutionFailure("a reference to void")
            made = reference_to(referred, is_rvalue=is_rvalue)
        case _:
            made = QualType(_rebuilt(inner, bindings))
    return qualified(made, constant=type.is_constant, volatile=type.is_volatile)


def _rebuilt(type: Type, bindings: Bindings) -> Type:
    match type:
        case ArrayType(element=element, length=length):
            element = substituted(element, bindings)
            if element.is_reference or _is_void(element) or isinstance(element.type, FunctionType):
                raise SubstitutionFailure("an array of what is no object")
            return ArrayType(element, _length(length, bindings))
        case FunctionType(result=result):
            result = substituted(result, bindings)
            if isinstance(result.type, ArrayType | FunctionType):
                raise SubstitutionFailure("a function that returns an array or a function")
            return _function(type, result, bindings)
        case MemberPointerType(owner=owner, member=member):
            owner = substituted(owner, bindings)
            if not isinstance(owner.type, ClassType | DependentType):
                raise SubstitutionFailure("a pointer to a member of what is no class")
            return MemberPointerType(owner, substituted(member, bindings))
        case ClassType(name=name, arguments=arguments, is_parameter=is_parameter) if arguments or is_parameter:
            template = bindings.get(name) if is_parameter else None
            made = tuple(substituted_arguments(arguments, bindings))
            if isinstance(template, TemplateName):
                return ClassType(template.name, made, template.is_parameter)
            return ClassType(name, made, is_parameter)
        case _:
            return type


def _function(type: FunctionType, result: QualType, bindings: Bindings) -> FunctionType:
    """The function with its parameters replaced; those that a pack repeats have the types of parameters again."""
    made = list(substituted_arguments(parameters_of(type), bindings))
    expands = bool(made) and isinstance(made[-1], Expansion)
    parameters = [each.pattern if isinstance(each, Expansion) else each for each in made]
    found = tuple(each for each in parameters if isinstance(each, QualType))
    return FunctionType(result, found, type.is_variadic, type.is_constant, expands)


def parameters_of(type: FunctionType) -> list[TemplateArgument]:
    """The parameters as a list in which a pack may be expanded."""
    if not type.expands:
        return list(type.parameters)
    return [*type.parameters[:-1], Expansion(type.parameters[-1])]


def _length(length: int | str | None, bindings: Bindings) -> int | str | None:
    found = bindings.get(length) if isinstance(length, str) else None
    if isinstance(found, DependentValue):
        return found.name
    if not isinstance(found, ValueArgument):
        return length
    if found.value <= 0:
        raise SubstitutionFailure("an array without elements")
    return int(found.value)


def _is_void(type: QualType) -> bool:
    return isinstance(type.type, FundamentalType) and type.type.kind is Fundamental.VOID


def substituted_arguments(arguments: Sequence[TemplateArgument], bindings: Bindings) -> Iterator[TemplateArgument]:
    for argument in arguments:
        match argument:
            case QualType():
                yield substituted(argument, bindings)
            case DependentValue(name=name) | TemplateName(name=name):
                found = bindings.get(name, argument)
                yield found
            case ValueArgument() | EntityArgument():
                yield argument
            case Pack(elements=elements):
                yield from substituted_arguments(elements, bindings)
            case Expansion(pattern=pattern):
                yield from expanded(pattern, bindings)


def expanded(pattern: TemplateArgument, bindings: Bindings) -> Iterator[TemplateArgument]:
    """The pattern once for each element of the packs that it names; itself, to be expanded, where they are open."""
    packs = {name: bound for name in names_in(pattern) if isinstance(bound := bindings.get(name), Pack)}
    if not packs:
        yield Expansion(next(substituted_arguments([pattern], bindings)))
        return
    lengths = {len(pack.elements) for pack in packs.values()}
    if len(lengths) != 1:
        raise SubstitutionFailure("packs of different lengths")
    for index in range(lengths.pop()):
        inner = {**bindings, **{name: pack.elements[index] for name, pack in packs.items()}}
        yield from substituted_arguments([pattern], inner)


def names_in(argument: TemplateArgument) -> frozenset[str]:
    """The template parameters that an argument names."""
    match argument:
        case QualType():
            return _names_in_type(argument.type)
        case DependentValue(name=name):
            return frozenset({name})
        case TemplateName(name=name, is_parameter=is_parameter):
            return frozenset({name}) if is_parameter else _NONE
        case ValueArgument() | EntityArgument():
            return _NONE
        case Pack(elements=elements):
            return _NONE.union(*map(names_in, elements))
        case Expansion(pattern=pattern):
            return names_in(pattern)


def _names_in_type(type: Type) -> frozenset[str]:
    match type:
        case DependentType(name=name):
            return frozenset({name})
        case PointerType(pointee=inner) | ReferenceType(referred=inner):
            return names_in(inner)
        case ArrayType(element=element, length=length):
            return names_in(element) | (frozenset({length}) if isinstance(length, str) else _NONE)
        case MemberPointerType(owner=owner, member=member):
            return names_in(owner) | names_in(member)
        case FunctionType(result=result, parameters=parameters):
            return names_in(result).union(*map(names_in, parameters))
        case ClassType(name=name, arguments=arguments, is_parameter=is_parameter):
            own = frozenset({name}) if is_parameter else _NONE
            return own.union(*map(names_in, arguments))
        case _:
            return _NONE
