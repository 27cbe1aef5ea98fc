"""Explicit specialisations of function templates: `template <> int f(float)`, with or without arguments.

Question  Is another function meant in place of the instance of a template that a call chose?
Rules     Overload resolution sees templates alone.  A specialisation is of the most special template in front of it
          that its parameters fit (`cpp.templates.functions.specialised`), for the arguments that these say.
          Where an argument of the instance is known by its storage alone, or a type in the specialisation is not
          known, either may be meant.
Source    C++ standard, "Explicit specialization", "Deducing template arguments from a function declaration".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from analysis.cpp.templates.functions import FunctionTemplate, Instance, specialised
from analysis.cpp.types.model import QualType
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.exact_arguments import as_written, exact_arguments, structured
from analysis.lower.exact_deduction import exact_template
from analysis.lower.functions import generic_signature, is_specialisation, specialised_for
from analysis.lower.names import (
    Declarations,
    FunctionDeclaration,
    FunctionInstance,
    Signature,
    TemplateArgument,
    TypeName,
    TypeTemplate,
)
from analysis.lower.templates import flattened
from analysis.lower.types import spelled_argument


@final
@dataclass(frozen=True, slots=True)
class Specialised:
    """`function` is meant in place of the instance; each of `possible` may be."""

    function: FunctionDeclaration | None
    possible: tuple[FunctionDeclaration, ...]


_NOT_SPECIALISED: Final = Specialised(None, ())


def specialisation_of(
    program: Declarations, declarations: Sequence[FunctionDeclaration], instance: FunctionInstance
) -> Specialised:
    """What the specialisations among `declarations` are to an instance of one of the templates among them."""
    template = instance.declaration
    candidates = [one for one in declarations if is_specialisation(one)] if template.template_parameters else []
    if not candidates:
        return _NOT_SPECIALISED
    named = [instance.scope.names.get(parameter.name) for parameter in template.template_parameters]
    bound = flattened([one for one in named if isinstance(one, TemplateArgument)])
    possible: list[FunctionDeclaration] = []
    for candidate in candidates:
        visible = _in_front(program, candidate, declarations)
        answer = template in visible and _is_for(program, candidate, visible, template, bound)
        if answer:
            return Specialised(candidate, ())
        if answer is None:
            possible.append(candidate)
    return Specialised(None, tuple(possible))


def _in_front(
    program: Declarations, candidate: FunctionDeclaration, declarations: Sequence[FunctionDeclaration]
) -> Sequence[FunctionDeclaration]:
    """The templates that a specialisation sees: those that are declared before it, by themselves or by their heads."""
    places = {id(item): place for place, item in enumerate(program.unit.lookup(candidate.name))}
    own = places.get(id(candidate.item))
    heads = [item for item in program.unit.lookup(candidate.name) if not item.is_definition and item.is_template]
    if own is None or heads or candidate.owner is not None:  # a member is declared by its class
        return declarations
    return [one for one in declarations if places.get(id(one.item), -1) <= own]


def _is_for(
    program: Declarations,
    candidate: FunctionDeclaration,
    declarations: Sequence[FunctionDeclaration],
    template: FunctionDeclaration,
    bound: Sequence[TemplateArgument],
) -> bool | None:
    """Whether the specialisation is what `template` means for these arguments; None where that is not known."""
    written = specialised_for(candidate) or ()
    found = _specialised(program, candidate, declarations, written)
    spelled = [spelled_argument(one) for one in bound]
    if found is None:  # by the written arguments alone; trailing ones may be left to deduction
        if written and [spelled_argument(one) for one in written] != spelled[: len(written)]:
            return False
        is_alone = len([one for one in declarations if one.template_parameters]) == 1
        return True if is_alone and len(written) >= len(spelled) else None
    if found.template.function is not template:
        return False
    templates = {each.name: each for each in bound if isinstance(each, TypeTemplate)}
    wanted = [as_written(program, found.arguments[each.name], templates) for each in found.template.template]
    known = flattened([each for each in wanted if each is not None])
    if len(known) != len(bound) or len([each for each in wanted if each is not None]) < len(wanted):
        return None if len(known) == len(bound) else False
    pairs = list(zip(known, bound, strict=True))
    if all(spelled_argument(one) == spelled_argument(other) for one, other in pairs):
        return True
    return None if all(_may_be(one, other) for one, other in pairs) else False


def _may_be(one: TemplateArgument, other: TemplateArgument) -> bool:
    """Whether an argument may be the other one, of which perhaps only the storage is known."""
    if spelled_argument(one) == spelled_argument(other):
        return True
    if not isinstance(one, TypeName) or not isinstance(other, TypeName) or other.declared.exact is not None:
        return False
    return one.declared.type == other.declared.type


def _specialised(
    program: Declarations,
    candidate: FunctionDeclaration,
    declarations: Sequence[FunctionDeclaration],
    written: Sequence[TemplateArgument],
) -> Instance | None:
    """The instance that a specialisation is; None where one of the types is not known, or no template fits."""
    parameters: list[QualType] = []
    signature = generic_signature(candidate)
    for parameter in signature.parameters:
        exact = parameter.declared.exact
        known = None if exact is None else structured(program, exact)
        if known is None:
            return None
        parameters.append(known)
    templates = [_with_returned_type(program, one) for one in declarations if one.template_parameters]
    explicit = exact_arguments(program, written)
    returns = _returned_type(program, signature)
    return None if explicit is None else specialised(RecordClasses(program), templates, explicit, parameters, returns)


def _with_returned_type(program: Declarations, template: FunctionDeclaration) -> FunctionTemplate:
    signature = generic_signature(template)
    return replace(exact_template(program, template, signature), returns=_returned_type(program, signature))


def _returned_type(program: Declarations, signature: Signature) -> QualType | None:
    exact = signature.returns.exact
    return None if exact is None else structured(program, exact)
