"""What template arguments do to the declaration of a function: is it one?

Rules   A function whose types or template parameters name the type of an `enable_if` whose condition is false is no
        candidate.
Source  C++ standard, "Deducing template arguments from a function call".
"""

from __future__ import annotations

from analysis.lower.library.templates import is_excluded
from analysis.lower.names import (
    ConstantName,
    DeclaredType,
    FunctionDeclaration,
    FunctionInstance,
    Scope,
    TypeName,
)
from analysis.lower.types import resolve_type
from analysis.syntax.node_building import new_node
from analysis.syntax.tree import Node


def is_substitution_failure(declaration: FunctionDeclaration, instance: FunctionInstance) -> bool:
    """Whether these arguments leave no such function."""
    signature = instance.signature
    if is_excluded(signature.returns) or any(is_excluded(each.declared) for each in signature.parameters):
        return True
    for parameter in declaration.template_parameters:
        if parameter.is_type:
            bound = instance.scope.names.get(parameter.name)
            if isinstance(bound, TypeName) and is_excluded(bound.declared):
                return True
        else:
            type = parameter.node.field("type")
            if type is not None and type.kind in _COMPOSED and is_excluded(_named(instance.scope, type)):
                return True
            if not isinstance(instance.scope.names.get(parameter.name), ConstantName) and parameter.default is not None:
                named = [node for node in parameter.default.walk() if node.kind == "dependent_type"]
                if any(is_excluded(resolve_type(instance.scope, node)) for node in named):
                    return True
    return False


def _named(scope: Scope, type: Node) -> DeclaredType:
    """The type, also where `typename` is left out, as C++20 allows here."""
    if type.kind == "qualified_identifier":
        type = new_node("dependent_type", type.start, type.end, type, [type])
    return resolve_type(scope, type)


_COMPOSED = frozenset({"template_type", "qualified_identifier", "dependent_type"})
