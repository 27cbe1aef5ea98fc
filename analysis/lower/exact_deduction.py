"""Which parameters does an instance of a function template have for a call, where all C++ types are known?

Rules   `cpp.templates` deduces.  What it is not told leaves the answer open: a type that is not known, a parameter that
        is an instance of a template template parameter.
        A parameter with a default that is not deduced has some argument that nothing else is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.cpp.conversions.model import Argument
from analysis.cpp.templates.functions import FunctionTemplate, Instance, instance_for
from analysis.cpp.templates.parameters import TemplateParameter
from analysis.cpp.templates.substitution import names_in
from analysis.cpp.types.model import (
    DependentType,
    DependentValue,
    OpaqueType,
    Pack,
    QualType,
    TemplateArgument,
    TemplateName,
)
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.exact_arguments import exact_argument, named, structured, structured_argument, template_named
from analysis.lower.names import (
    ArgumentPack,
    Declarations,
    FunctionDeclaration,
    Signature,
    TypeName,
    declared_as,
)
from analysis.lower.names import TemplateArgument as Written
from analysis.lower.names import TemplateParameter as Parameter

_DEFAULT: Final = "the default argument"


@final
class NotDeduced:
    """There is no such instance."""


NOT_DEDUCED: Final = NotDeduced()


def exact_template(
    program: Declarations, declaration: FunctionDeclaration, generic: Signature
) -> FunctionTemplate | None:
    """The template in C++ types; None where not all of it is known."""
    parameters: list[QualType] = []
    for parameter in generic.parameters:
        exact = parameter.declared.exact
        pattern = None if exact is None else structured(program, exact)
        if pattern is None:
            return None
        parameters.append(pattern)
    template = exact_parameters(declaration.template_parameters)
    expands = bool(generic.parameters) and generic.parameters[-1].is_pack
    return FunctionTemplate(declaration, template, tuple(parameters), generic.required, expands, generic.is_variadic)


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
    program: Declarations,
    template: FunctionTemplate,
    explicit: Sequence[Written],
    arguments: Sequence[Argument | None],
) -> Instance | NotDeduced | None:
    """The instance that a call means; parameters that stay dependent depend on more than deduction."""
    known = [each for argument in arguments if (each := structured_argument(program, argument)) is not None]
    if len(known) < len(arguments):
        return None
    written: list[TemplateArgument] = []
    for one in explicit:
        argument = exact_argument(program, one)
        if argument is None:
            return None
        written.append(argument)
    instance = instance_for(RecordClasses(program), template, written, known)
    return NOT_DEDUCED if instance is None else instance


def deduced_types(program: Declarations, instance: Instance) -> dict[str, Written]:
    """What the type parameters are bound to, as scopes declare it, where deduction alone says it."""
    found = {name: _as_written(program, argument) for name, argument in instance.arguments.items()}
    return {name: written for name, written in found.items() if written is not None}


def _as_written(program: Declarations, argument: TemplateArgument) -> Written | None:
    match argument:
        case QualType(type=OpaqueType()):
            return None
        case QualType():
            return None if is_open(argument) else TypeName(declared_as(named(argument)))
        case TemplateName(name=name, is_parameter=False):
            return template_named(program, name)
        case Pack(elements=elements):
            found = [each for one in elements if (each := _as_written(program, one)) is not None]
            return ArgumentPack(tuple(found)) if len(found) == len(elements) else None
        case _:
            return None


def is_open(parameter: QualType) -> bool:
    return bool(names_in(parameter))
