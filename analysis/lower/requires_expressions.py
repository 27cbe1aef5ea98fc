"""Requires-expressions: `requires(T a) { a.size(); typename T::type; { a + a } -> Number; requires N > 2; }`.

Rules   One requirement that is not met makes it false, whatever is not known of the others.
Limits  What `noexcept` asks for is not known.
Source  C++ standard, "Requires expressions".
"""

from __future__ import annotations

from analysis.ir.types import BOOLEAN, UnknownType
from analysis.lower.expression_types import Invalid, certain_type, lacks_type
from analysis.lower.functions import pack_names, read_parameters, with_parameters
from analysis.lower.library.properties import is_dependent
from analysis.lower.names import ConstantName, Scope, TypeName, VariablePack
from analysis.lower.requirements import all_hold, concept_holds, holds
from analysis.lower.types import resolve_type
from analysis.syntax.tree import Node


def requirement_constant(scope: Scope, node: Node) -> ConstantName | None:
    """Whether the requirements are met; None where that is not known."""
    listed = node.field("requirements")
    if listed is None or listed.has_error:
        return None
    listed_parameters = node.field("parameters")
    parameters = read_parameters(scope, listed_parameters)[0]
    inner = with_parameters(scope, parameters)
    for name in pack_names(listed_parameters):
        if name not in inner.names and not any(each.is_pack for each in parameters):
            inner.declare(name, VariablePack(()))
    answers = [_is_met(inner, requirement) for requirement in listed.children if requirement.text != b";"]
    answer = all_hold(answers) if answers else None
    return None if answer is None else ConstantName(answer, BOOLEAN)


def _is_met(scope: Scope, node: Node) -> bool | None:
    match node.kind:
        case "simple_requirement" if len(node.children) == 1 and node.children[0].kind == "requires_clause":
            return holds(scope, node.children[0])
        case "simple_requirement" if len(node.children) == 1:
            return _is_valid(scope, node.children[0])
        case "type_requirement":
            return _names_type(scope, node)
        case "compound_requirement" if node.children:
            return _is_compound_met(scope, node)
        case _:
            return None


def _is_valid(scope: Scope, node: Node) -> bool | None:
    found = certain_type(scope, node)
    return None if found is None else not isinstance(found, Invalid)


def _names_type(scope: Scope, node: Node) -> bool | None:
    if lacks_type(scope, node):
        return False
    named = next((child for child in node.children if child.kind == "qualified_identifier"), None)
    found = UnknownType("") if named is None else resolve_type(scope, named).type
    return None if is_dependent(scope.program, found) else True


def _is_compound_met(scope: Scope, node: Node) -> bool | None:
    """`{ expression } noexcept -> Concept<...>`"""
    found = certain_type(scope, node.children[0])
    if found is None or isinstance(found, Invalid):
        return None if found is None else False
    answers: list[bool | None] = [True]
    if node.child("noexcept") is not None:
        answers.append(None)
    returns = node.child("trailing_return_type")
    if returns is not None:
        descriptor = returns.children[0] if returns.children else None
        concept = None if descriptor is None else descriptor.field("type")
        answers.append(concept_holds(scope, concept, TypeName(found)))
    return all_hold(answers)
