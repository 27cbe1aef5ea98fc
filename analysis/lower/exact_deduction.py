"""Which parameters does an instance of a function template have for a call, where all C++ types are known?

Rules   `cpp.templates` deduces.  What it is not told leaves the answer open: a type that is not known, a parameter that
        names a class template with the template's parameters, a template template parameter.
        A parameter with a default that is not deduced has some argument that nothing else is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.cpp.conversions.model import Argument
from analysis.cpp.templates.functions import FunctionTemplate, instance_for
from analysis.cpp.templates.parameters import TemplateParameter
from analysis.cpp.templates.substitution import names_in
from analysis.cpp.types.model import (
    ArrayType,
    ClassType,
    DependentType,
    DependentValue,
    FunctionType,
    OpaqueType,
    PointerType,
    QualType,
    ReferenceType,
    TemplateArgument,
    ValueArgument,
)
from analysis.ir.types import StructType
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.cpp_types import of_library
from analysis.lower.library.properties import is_dependent
from analysis.lower.names import ConstantName, Declarations, FunctionDeclaration, Signature, TypeName
from analysis.lower.names import TemplateArgument as Written

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
        if exact is None or _names_instance(program, exact):
            return None
        parameters.append(exact)
    template: list[TemplateParameter] = []
    for one in declaration.template_parameters:
        if one.node.kind == "template_template_parameter_declaration":
            return None
        default: TemplateArgument | None = None
        if one.default is not None:
            default = QualType(OpaqueType(_DEFAULT)) if one.is_type else DependentValue(_DEFAULT)
        template.append(
            TemplateParameter(one.name, DependentType if one.is_type else DependentValue, one.is_pack, default)
        )
    expands = bool(generic.parameters) and generic.parameters[-1].is_pack
    return FunctionTemplate(
        declaration, tuple(template), tuple(parameters), generic.required, expands, generic.is_variadic
    )


def deduced_parameters(
    program: Declarations,
    template: FunctionTemplate,
    explicit: Sequence[Written],
    arguments: Sequence[Argument | None],
) -> tuple[QualType, ...] | NotDeduced | None:
    """The parameters of the instance that a call means; those that stay dependent depend on more than deduction."""
    known = [argument for argument in arguments if argument is not None]
    if len(known) < len(arguments):
        return None
    written: list[TemplateArgument] = []
    for one in explicit:
        argument = _exact_argument(one)
        if argument is None:
            return None
        written.append(argument)
    instance = instance_for(RecordClasses(program), template, written, known)
    return NOT_DEDUCED if instance is None else instance.parameters


def is_open(parameter: QualType) -> bool:
    return bool(names_in(parameter))


def _exact_argument(argument: Written) -> TemplateArgument | None:
    if isinstance(argument, TypeName):
        return argument.declared.exact
    if isinstance(argument, ConstantName):
        type = argument.exact or of_library(argument.type)
        return None if type is None else ValueArgument(argument.value, type)
    return None


def _names_instance(program: Declarations, type: QualType) -> bool:
    """Whether a class in the type is an instance with template parameters as its arguments."""
    match type.type:
        case ClassType(name=name):
            return is_dependent(program, StructType(name))
        case PointerType(pointee=inner) | ReferenceType(referred=inner) | ArrayType(element=inner):
            return _names_instance(program, inner)
        case FunctionType():
            return True
        case _:
            return False
