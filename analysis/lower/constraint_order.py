"""The constraints of a template in normal form, read from its text, and which of two templates is more constrained.

Rules   The parameters of a template stand for their places, so that those of two templates are comparable.  A concept
        is replaced by its expression, with its parameters bound to the arguments it is named with.
        `Number T` is `Number<T>`; of a pack it is a fold, which is atomic and the same as no other one.
        A concept of the library, whose text nobody shows, is atomic.
Source  C++20 standard, [temp.constr.decl], [temp.constr.normal], [temp.param].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.cpp.templates.constraints import (
    AtomicConstraint,
    Conjunction,
    Constraint,
    Disjunction,
    conjunction,
    is_more_constrained,
)
from analysis.ir.types import S32, TemplateType
from analysis.lower.functions import requirements_of
from analysis.lower.lookup import spelled_entity, template_arguments
from analysis.lower.names import (
    DeclaredType,
    Entity,
    FunctionDeclaration,
    Scope,
    TemplateArgument,
    TemplateParameter,
    TemplateValue,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.templates import bind, positional
from analysis.lower.types import spelled_argument
from analysis.syntax.tree import Node


def is_function_more_constrained(one: FunctionDeclaration, other: FunctionDeclaration) -> bool:
    """Whether what `one` requires of its template parameters implies what `other` does, and not the other way round."""
    return is_more_constrained(*(
        _required(each.scope, each.template_parameters, requirements_of(each)) for each in (one, other)
    ))  # fmt: skip


def is_class_more_constrained(one: TypeTemplateDeclaration, other: TypeTemplateDeclaration) -> bool:
    """The same of two partial specialisations."""
    return is_more_constrained(*(_required(each.scope, each.parameters, each.requirements) for each in (one, other)))


def _required(outer: Scope, parameters: Sequence[TemplateParameter], requirements: Sequence[Node]) -> Constraint | None:
    """What is required of the parameters, in the order of the text; None where nothing is."""
    scope = outer.inside()
    for index, parameter in enumerate(parameters):
        scope.declare(parameter.name, _place(index, parameter))
    names = tuple(parameter.name for parameter in parameters)
    found = [_introduced(scope, one, one.concept, names) for one in parameters if one.concept is not None]
    for requirement in requirements:
        found += [_condition(scope, node, names) for node in _operands(requirement)]
    return conjunction(found)


def _place(index: int, parameter: TemplateParameter) -> TypeName | TemplateValue:
    """The parameter by its place in the list."""
    if parameter.is_type:
        return TypeName(DeclaredType(TemplateType(f"parameter {index}")))
    return TemplateValue(f"parameter {index}", S32)


def _introduced(scope: Scope, parameter: TemplateParameter, concept: Node, names: Sequence[str]) -> Constraint:
    """What `Number T` requires of T."""
    first = scope.names.get(parameter.name)
    if parameter.is_pack or not isinstance(first, TypeName):
        return _atom(scope, parameter.node, names)
    return _named(scope, concept, names, (first,))


def _condition(scope: Scope, node: Node, names: Sequence[str]) -> Constraint:
    """The normal form of a constraint expression."""
    kind = node.kind
    if kind == "parenthesized_expression" and len(_operands(node)) == 1:
        return _condition(scope, _operands(node)[0], names)
    if kind in _JUNCTIONS:
        operator, operands = node.field("operator"), _operands(node)
        joined = None if operator is None else _JOINED.get(operator.text)
        if joined is not None and len(operands) == 2:
            return joined(*(_condition(scope, each, names) for each in operands))
    if kind in _CONCEPT_NAMES:
        return _named(scope, node, names, ())
    return _atom(scope, node, names)


def _operands(node: Node) -> list[Node]:
    """The expressions in it; the grammar puts brackets beside those that they enclose."""
    return [child for child in node.children if child.role != "operator" and child.kind not in _TOKENS]


def _named(scope: Scope, node: Node, names: Sequence[str], first: tuple[TemplateArgument, ...]) -> Constraint:
    """What a concept says of its arguments; any other name is atomic."""
    last = node.field("name") if node.kind == "qualified_identifier" else node
    listed = None if last is None else last.field("arguments")
    found = spelled_entity(scope, node.text.decode("utf-8", "replace"))
    arguments = (*first, *template_arguments(scope, listed))
    declaration = _concept(found)
    if declaration is None:
        if isinstance(found, TypeTemplate) and not found.declarations:
            return AtomicConstraint(found.name, tuple(map(spelled_argument, arguments)))
        return _atom(scope, node, names)
    inner = declaration.scope.inside()
    bind(inner, declaration.parameters, positional(declaration.parameters, arguments), defaults=True)
    own = tuple(parameter.name for parameter in declaration.parameters)
    return _condition(inner, declaration.node.children[-1], own)


def _concept(entity: Entity | None) -> TypeTemplateDeclaration | None:
    if not isinstance(entity, TypeTemplate) or len(entity.declarations) != 1:
        return None
    declaration = entity.declarations[0]
    return declaration if declaration.node.kind == "concept_definition" else None


def _atom(scope: Scope, node: Node, names: Sequence[str]) -> AtomicConstraint:
    used = {one.text.decode("utf-8", "replace") for one in node.walk() if one.kind in _IDENTIFIERS}
    bound = [scope.names.get(name) for name in names if name in used]
    return AtomicConstraint(node, tuple("" if each is None else _spelled(each) for each in bound))


def _spelled(entity: Entity) -> str:
    return spelled_argument(entity) if isinstance(entity, TemplateArgument) else ""


_TOKENS: Final = frozenset({"requires", "(", ")"})
_JUNCTIONS: Final = frozenset({"binary_expression", "constraint_conjunction", "constraint_disjunction"})
_JOINED: Final = {b"&&": Conjunction, b"and": Conjunction, b"||": Disjunction, b"or": Disjunction}
_CONCEPT_NAMES: Final = frozenset({"template_type", "template_function", "qualified_identifier"})
_IDENTIFIERS: Final = frozenset({"identifier", "type_identifier"})
