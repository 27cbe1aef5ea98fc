"""What template arguments do to the declaration of a function: is it one, and how long are the arrays it takes?

Rules   A function whose types or template parameters name the type of an `enable_if` whose condition is false is no
        candidate.  `T (&items)[N]` gives `N` the length of the argument.
Source  C++ standard, "Deducing template arguments from a function call".
"""

from __future__ import annotations

from analysis.ir.types import U64, ArrayType, Type
from analysis.lower.library.templates import is_excluded
from analysis.lower.names import (
    ConstantName,
    DeclaredType,
    FunctionDeclaration,
    FunctionInstance,
    ParameterDeclaration,
    Scope,
    TemplateArgument,
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
    return False


def _named(scope: Scope, type: Node) -> DeclaredType:
    """The type, also where `typename` is left out, as C++20 allows here."""
    if type.kind == "qualified_identifier":
        type = new_node("dependent_type", type.start, type.end, type, [type])
    return resolve_type(scope, type)


def extents(parameter: ParameterDeclaration, argument: Type) -> dict[str, TemplateArgument]:
    """The template parameters that the length of an array gives a value."""
    found: dict[str, TemplateArgument] = {}
    sizes = _sizes(parameter.node)
    while isinstance(argument, ArrayType) and sizes:
        size = sizes.pop(0)
        if size is not None and argument.length is not None:
            found[size] = ConstantName(argument.length, U64)
        argument = argument.element
    return found


def _sizes(node: Node) -> list[str | None]:
    """The names between the brackets of an array, outermost first; None for what is no name."""
    sizes: list[str | None] = []
    declarator = node.field("declarator")
    while declarator is not None:
        if declarator.kind in ("array_declarator", "abstract_array_declarator"):
            size = declarator.field("size")
            is_name = size is not None and size.kind == "identifier"
            sizes.insert(0, size.text.decode("utf-8", "replace") if size is not None and is_name else None)
        inner = declarator.field("declarator")
        if inner is None and declarator.children:
            inner = declarator.children[-1] if declarator.children[-1].kind.endswith("declarator") else None
        declarator = inner
    return sizes


_COMPOSED = frozenset({"template_type", "qualified_identifier", "dependent_type"})
