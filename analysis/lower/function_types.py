"""The C++ type of a declared function, as its name has it in an expression."""

from __future__ import annotations

from analysis.cpp.conversions.standard import decayed
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType
from analysis.lower.functions import generic_signature
from analysis.lower.names import FunctionDeclaration, FunctionSet, Signature


def function_type(declaration: FunctionDeclaration) -> QualType | None:
    """The type of a function that is no template; None where one of its types is not known."""
    return None if declaration.template_parameters else signature_type(generic_signature(declaration))


def signature_type(signature: Signature) -> QualType | None:
    """The type of a function with that signature."""
    returned = signature.returns.exact
    parameters: list[QualType] = []
    for parameter in signature.parameters:
        exact = parameter.declared.exact
        if exact is None or parameter.is_pack:
            return None
        parameters.append(exact if exact.is_reference else decayed(exact).unqualified)
    if returned is None:
        return None
    return QualType(cpp.FunctionType(returned, tuple(parameters), signature.is_variadic))


def named_function(functions: FunctionSet) -> QualType | None:
    """The type of the one function that a name means; None where there are several."""
    return function_type(functions.declarations[0]) if len(functions.declarations) == 1 else None
