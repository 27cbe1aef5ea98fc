"""Which parameters does an instance of a function template have for a call?

Rules   `cpp.templates` deduces.  A type that is not known fits each parameter and gives no argument.
        A parameter with a default that is not deduced has some argument that nothing else is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from analysis.cpp.conversions.model import Argument
from analysis.cpp.templates.functions import FunctionTemplate, Instance, instance_for
from analysis.cpp.templates.parameters import TemplateParameter
from analysis.cpp.templates.substitution import names_in
from analysis.cpp.types.model import (
    CLOSURE,
    DependentType,
    DependentValue,
    DeviceType,
    OpaqueType,
    Pack,
    QualType,
    TemplateArgument,
    TemplateName,
)
from analysis.ir.types import UnknownType
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.exact_arguments import as_written, exact_argument, structured_argument, structured_or_opaque
from analysis.lower.names import (
    ArgumentPack,
    Declarations,
    DeclaredType,
    FunctionDeclaration,
    ParameterDeclaration,
    Signature,
    TypeName,
)
from analysis.lower.names import TemplateArgument as Written
from analysis.lower.names import TemplateParameter as Parameter

_DEFAULT: Final = "the default argument"
_WRITTEN: Final = "the written argument"
_UNKNOWN: Final = TypeName(DeclaredType(UnknownType("element")))
"""Of a pack, an element that is not known, as the class of a lambda expression."""
_NOT_DEDUCED: Final = "what is not deduced"


@final
class NotDeduced:
    """There is no such instance."""


NOT_DEDUCED: Final = NotDeduced()


def exact_template(program: Declarations, declaration: FunctionDeclaration, generic: Signature) -> FunctionTemplate:
    """The template in C++ types."""
    return template_of(program, declaration, declaration.template_parameters, generic)


def template_of(
    program: Declarations, function: object, parameters: Sequence[Parameter], generic: Signature
) -> FunctionTemplate:
    """The template with these parameters and that signature, in which they stand for themselves."""
    patterns = tuple(_pattern(program, parameter) for parameter in generic.parameters)
    expands = bool(generic.parameters) and generic.parameters[-1].is_pack
    template = exact_parameters(parameters)
    return FunctionTemplate(function, template, patterns, generic.required, expands, generic.is_variadic)


def _pattern(program: Declarations, parameter: ParameterDeclaration) -> QualType:
    pattern = structured_or_opaque(program, parameter.declared)
    return QualType(DependentType(_NOT_DEDUCED)) if _is_not_deduced(parameter, pattern) else pattern


def _is_not_deduced(parameter: ParameterDeclaration, pattern: QualType) -> bool:
    """Whether the type is a member of a class that depends on a parameter ([temp.deduct.type]/5)."""
    type = parameter.node.field("type")
    while type is not None and type.kind == "dependent_type":
        type = next((child for child in type.children if child.kind != "typename"), None)
    while type is not None and type.kind == "qualified_identifier":
        scope = type.field("scope")
        if scope is not None and scope.kind == "template_type":
            return is_open(pattern)
        type = type.field("name")
    return False


def exact_parameters(parameters: Sequence[Parameter]) -> tuple[TemplateParameter, ...]:
    """The template parameters; of a default it is only known that there is one."""
    found: list[TemplateParameter] = []
    for one in parameters:
        if one.node.kind == "template_template_parameter_declaration":
            found.append(TemplateParameter(one.name, TemplateName, one.is_pack))
            continue
        default: TemplateArgument | None = None
        if one.default is not None:
            default = QualType(OpaqueType(_DEFAULT)) if one.is_type else DependentValue(_DEFAULT)
        kind = DependentType if one.is_type else DependentValue
        found.append(TemplateParameter(one.name, kind, one.is_pack, default))
    return tuple(found)


def deduced_instance(
    program: Declarations, template: FunctionTemplate, explicit: Sequence[Written], arguments: Sequence[Argument]
) -> Instance | NotDeduced:
    """The instance that a call means; parameters that stay dependent depend on more than deduction."""
    known = [structured_argument(program, argument) for argument in arguments]
    written = [exact_argument(program, one) or _unknown(one) for one in explicit]
    instance = instance_for(RecordClasses(program), template, written, known)
    return NOT_DEDUCED if instance is None else instance


def _unknown(argument: Written) -> TemplateArgument:
    return QualType(OpaqueType(_WRITTEN)) if isinstance(argument, TypeName) else DependentValue(_WRITTEN)


def bound_arguments(program: Declarations, instance: Instance, written: Mapping[str, Written]) -> dict[str, Written]:
    """What the parameters are bound to, as scopes declare it: as it is written, else as it is deduced."""
    found: dict[str, Written] = {}
    for name, argument in instance.arguments.items():
        own = written.get(name)  # of a pack, the first elements
        bound = _as_written(program, argument) if own is None or isinstance(own, ArgumentPack) else own
        if bound is not None:
            found[name] = bound
    return found


def _is_unknown(argument: TemplateArgument) -> bool:
    match argument:
        case QualType(type=OpaqueType()):
            return True
        case DependentValue(name=name):
            return name in (_DEFAULT, _WRITTEN)
        case _:
            return False


def _as_written(program: Declarations, argument: TemplateArgument) -> Written | None:
    match argument:
        case _ if _is_unknown(argument):
            return None
        case QualType(type=DeviceType()) if argument.type == CLOSURE:
            return None
        case TemplateName(is_parameter=True):
            return None
        case Pack(elements=elements):
            found = [_as_written(program, one) or _UNKNOWN for one in elements]
            return ArgumentPack(tuple(found))
        case _:
            return as_written(program, argument)


def is_open(parameter: QualType) -> bool:
    return bool(names_in(parameter))
