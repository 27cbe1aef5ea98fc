"""Do template arguments satisfy what a template requires of them?

Rules   A concept is a variable template of type bool: whether it holds is its value for the arguments.
        A requirement that is false excludes the template.  One that is not known leaves it a candidate, but nobody may
        choose it, or another in its place (`overloads.py`, `specialisations.py`).
Source  C++ standard, "Template constraints".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from analysis.lower.constants import entity_constant, evaluate
from analysis.lower.functions import requirements_of
from analysis.lower.lookup import spelled_entity, template_arguments
from analysis.lower.names import (
    ArgumentPack,
    ConstantName,
    FunctionDeclaration,
    FunctionInstance,
    Scope,
    TemplateArgument,
    TemplateParameter,
    TypeName,
    TypeTemplate,
)
from analysis.syntax.tree import Node


def is_required(declaration: FunctionDeclaration) -> bool:
    """Whether the function requires anything of its template arguments."""
    return any(each.concept is not None for each in declaration.template_parameters) or bool(
        requirements_of(declaration)
    )


def is_callable(instance: FunctionInstance) -> bool | None:
    """Whether the arguments of the instance satisfy its function's requirements; None where that is not known."""
    declaration = instance.declaration
    return satisfied(instance.scope, requirements_of(declaration), declaration.template_parameters)


def satisfied(scope: Scope, requirements: Sequence[Node], parameters: Sequence[TemplateParameter]) -> bool | None:
    """Whether the arguments that `scope` binds satisfy all of these; None where that is not known."""
    constrained = [parameter for parameter in parameters if parameter.concept is not None]
    return all_hold([*(holds(scope, node) for node in requirements), *(_fits(scope, each) for each in constrained)])


def all_hold(answers: Iterable[bool | None]) -> bool | None:
    """One that is false decides; otherwise nothing is known unless all are."""
    known = list(answers)
    return False if False in known else None if None in known else True


def holds(scope: Scope, requirement: Node) -> bool | None:
    """The condition of a `requires` clause; None where its value is not known."""
    condition = next((child for child in requirement.children if child.kind not in _TOKENS), None)
    value = None if condition is None else evaluate(scope, condition)
    return None if value is None else bool(value.value)


def _fits(scope: Scope, parameter: TemplateParameter) -> bool | None:
    """`Number T`, `Number... T` and `Same<float> T`: the parameter is the first argument of the concept."""
    bound = scope.names.get(parameter.name)
    if isinstance(bound, ArgumentPack):
        return all_hold(concept_holds(scope, parameter.concept, element) for element in bound.elements)
    return concept_holds(scope, parameter.concept, bound) if isinstance(bound, TypeName | ConstantName) else None


def concept_holds(scope: Scope, named: Node | None, first: TemplateArgument) -> bool | None:
    """Whether `first`, with the arguments behind a concept's name, satisfies it; None where that is not known."""
    if named is None:
        return None
    concept = spelled_entity(scope, named.text.decode("utf-8", "replace"))
    if not isinstance(concept, TypeTemplate):
        return None
    inner = named.field("name") if named.kind == "qualified_identifier" else named
    others = template_arguments(scope, None if inner is None else inner.field("arguments"))
    value = entity_constant(scope.program.instantiate_type(concept, (first, *others)))
    return None if value is None else bool(value.value)


_TOKENS: Final = frozenset({"requires", "(", ")"})
"""The grammar puts the brackets around a condition into its field."""
