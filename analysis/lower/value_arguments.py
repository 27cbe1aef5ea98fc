"""Constants as template arguments, converted to what the parameter declares: `A<1>` is `A<true>` for `template <bool>`.

Rules   A constant takes the type of its parameter, where its value fits there; what `auto` declares has the constant's
        own type, which then tells instances apart (`A<1>` is not `A<1u>`).
        Of a name of several functions, the one that the parameter's type points to is meant.
Source  C++ standard, "Template non-type arguments", "Converted constant expressions".
"""

from __future__ import annotations

from dataclasses import replace

from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType
from analysis.lower.conversions import is_arithmetic, wrapped
from analysis.lower.cpp_types import of_library
from analysis.lower.names import (
    ArgumentPack,
    ConstantName,
    DeclaredType,
    FunctionDeclaration,
    FunctionSet,
    Scope,
    TemplateArgument,
    TemplateParameter,
    TemplateValue,
    is_inferred,
)
from analysis.lower.types import base_type, declare, parameter_types


def value_type(scope: Scope, parameter: TemplateParameter) -> DeclaredType:
    """What a value parameter declares, with the parameters in front as `scope` binds them."""
    declared = base_type(scope, parameter.node)
    declarator = parameter.node.field("declarator")
    return declared if declarator is None else declare(scope, declared, declarator).declared


def converted(scope: Scope, parameter: TemplateParameter, argument: TemplateArgument) -> TemplateArgument:
    """The argument of a value parameter as its instance has it; unchanged where its type is not known."""
    if parameter.is_type or not isinstance(argument, _CONVERTED):
        return argument
    declared = value_type(scope, parameter)
    if isinstance(argument, ArgumentPack):
        return ArgumentPack(tuple(_converted(declared, each) for each in argument.elements))
    return _converted(declared, argument)


_CONVERTED = (ConstantName, FunctionSet, ArgumentPack, TemplateValue)


def _converted(declared: DeclaredType, argument: TemplateArgument) -> TemplateArgument:
    if isinstance(argument, ConstantName):
        if is_inferred(declared.type):
            exact = argument.exact or of_library(argument.type)
            return replace(argument, exact=None if exact is None else exact.unqualified, is_typed=True)
        if not is_arithmetic(declared.type):
            return argument
        exact = declared.exact
        return ConstantName(
            wrapped(argument.value, declared.type), declared.type, None if exact is None else exact.unqualified
        )
    if isinstance(argument, TemplateValue) and is_arithmetic(declared.type):
        exact = declared.exact
        return TemplateValue(argument.name, declared.type, None if exact is None else exact.unqualified)
    if isinstance(argument, FunctionSet):
        wanted = _function(declared.exact)
        named = [one for one in argument.declarations if wanted is not None and _takes(one) == wanted.parameters]
        return FunctionSet(argument.name, tuple(named), argument.builtin) if len(named) == 1 else argument
    return argument


def _function(type: QualType | None) -> cpp.FunctionType | None:
    """The function that a pointer or a reference is to."""
    match None if type is None else type.type:
        case cpp.PointerType(pointee=inner) | cpp.ReferenceType(referred=inner):
            return inner.type if isinstance(inner.type, cpp.FunctionType) else None
        case _:
            return None


def _takes(function: FunctionDeclaration) -> tuple[QualType, ...] | None:
    listed = None if function.template_parameters else function.declarator.field("parameters")
    return None if listed is None else parameter_types(function.scope, listed)


def fits(scope: Scope, parameter: TemplateParameter, argument: TemplateArgument) -> bool:
    """Whether a constant may be the argument: not where its value would become another one."""
    if parameter.is_type or not isinstance(argument, ConstantName):
        return True
    declared = value_type(scope, parameter)
    if is_inferred(declared.type) or not is_arithmetic(declared.type):
        return True
    wanted, given = declared.exact, argument.exact
    if wanted is not None and isinstance(wanted.type, cpp.EnumerationType):
        return given is None or given.unqualified == wanted.unqualified
    if given is not None and isinstance(given.type, cpp.EnumerationType) and given.type.is_scoped:
        return False
    if isinstance(argument.value, float):
        return argument.type == declared.type
    return wrapped(argument.value, declared.type) == argument.value
