"""Which arguments of a call may be bound to a reference through which the call changes them?

Rules     A function that the program declares says so itself; of several with one name each may be meant.
          A variable that is called is a lambda or a function object: its parameters are not known.
          Built-in functions take values and addresses.
"""

from __future__ import annotations

from typing import Final

from analysis.lower.functions import generic_signature
from analysis.lower.lookup import functions_named
from analysis.lower.names import FunctionDeclaration, Scope
from analysis.syntax.tree import Node


def bound_arguments(scope: Scope, call: Node, variables: frozenset[str]) -> tuple[Node, ...]:
    """The arguments of the call that are not known to be passed by value; `variables` are those of the function."""
    callee, arguments = call.field("function"), call.field("arguments")
    if callee is None or arguments is None or not arguments.children:
        return ()
    objects = [(position, one) for position, one in enumerate(arguments.children) if one.kind in _OBJECTS]
    if callee.kind == "identifier" and callee.text.decode("utf-8", "replace") in variables:
        return tuple(one for _, one in objects)
    found = functions_named(scope, callee)
    if found is None:
        return ()
    declarations, _ = found
    return tuple(
        one for position, one in objects if any(_may_bind(declaration, position) for declaration in declarations)
    )


def _may_bind(declaration: FunctionDeclaration, position: int) -> bool:
    parameters = generic_signature(declaration).parameters
    if not parameters:
        return False
    parameter = parameters[min(position, len(parameters) - 1)]
    if position >= len(parameters) and not parameter.is_pack:
        return False
    return parameter.declared.is_reference and not parameter.declared.is_constant


_OBJECTS: Final = frozenset(
    {"identifier", "subscript_expression", "field_expression", "pointer_expression", "parenthesized_expression"}
    | {"conditional_expression", "comma_expression", "assignment_expression", "update_expression", "call_expression"}
)
"""What may denote an object; nothing else is bound to a reference that may change it."""
