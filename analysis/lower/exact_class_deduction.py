"""Class template argument deduction by the standard's rules.

Rules   Each constructor of the primary template, each deduction guide, the copy of an instance and the members of an
        aggregate make a function template; overload resolution among them says which instance the class's name means.
        Of two that are equally good and equally special, a guide comes first, then the copy, then a constructor that is
        no template itself.
        What is not known (a type, a requirement, a member that is an array) decides nothing; where it could, there is
        no answer.
Source  C++20 standard, [over.match.class.deduct], [over.match.best].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, final

from analysis.cpp.conversions.model import Argument
from analysis.cpp.conversions.standard import decayed
from analysis.cpp.overloads.choice import Candidate, Chosen, choose
from analysis.cpp.templates.functions import FunctionTemplate, Instance, instance_for, is_more_specialised
from analysis.cpp.templates.parameters import TemplateParameter
from analysis.cpp.templates.substitution import names_in
from analysis.cpp.types.model import ArrayType as ArrayOf
from analysis.cpp.types.model import ClassType, DependentType, DependentValue, OpaqueType, QualType
from analysis.cpp.types.model import TemplateArgument as ExactArgument
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.exact_arguments import as_written, structured_argument, structured_class, structured_or_opaque
from analysis.lower.exact_deduction import bound_arguments, exact_parameters, exact_template
from analysis.lower.functions import generic_signature, instantiate
from analysis.lower.names import (
    Declarations,
    FunctionDeclaration,
    Record,
    TemplateArgument,
    TypeTemplateDeclaration,
)
from analysis.lower.records import constructors_of
from analysis.lower.requirements import is_callable, is_required


class Origin(IntEnum):
    """What a candidate is made from, by what is preferred."""

    CONSTRUCTOR_TEMPLATE = 0
    CONSTRUCTOR = 1
    COPY = 2
    GUIDE = 3


@final
@dataclass(frozen=True, slots=True)
class Deduced:
    """`guide` is None where the arguments are those of the class's own parameters."""

    guide: FunctionDeclaration | None
    arguments: dict[str, TemplateArgument]


@final
@dataclass(frozen=True, slots=True)
class _Function:
    template: FunctionTemplate
    origin: Origin
    declaration: FunctionDeclaration | None = None

    @property
    def guide(self) -> FunctionDeclaration | None:
        return self.declaration if self.origin is Origin.GUIDE else None


def deduce_class(
    program: Declarations,
    primary: TypeTemplateDeclaration,
    generic: Record,
    guides: Sequence[FunctionDeclaration],
    arguments: Sequence[Argument],
) -> Deduced | None:
    """What these arguments mean; None where that is open, and where nothing takes them."""
    known = [structured_argument(program, argument) for argument in arguments]
    functions = _functions(program, primary, generic, guides, len(arguments))
    if functions is None:
        return None
    classes = RecordClasses(program)
    instances = [instance_for(classes, each.template, (), known) for each in functions]
    candidates: list[Candidate] = []
    for index, (function, instance) in enumerate(zip(functions, instances, strict=True)):
        holds = None if instance is None else _holds(program, function, instance)
        if instance is None or holds is False:
            continue
        template = function.template
        candidates.append(
            Candidate(
                index,
                tuple(_UNKNOWN if names_in(one) else one for one in instance.parameters),
                template.required,
                template.is_variadic,
                bool(template.template),
                is_certain=holds is True,
            )
        )

    def is_more_special(one: Candidate, other: Candidate) -> bool:
        left, right = functions[_index(one)], functions[_index(other)]
        if is_more_specialised(classes, left.template, right.template, len(known)):
            return True
        if is_more_specialised(classes, right.template, left.template, len(known)):
            return False
        return left.origin > right.origin

    choice = choose(classes, candidates, known, is_more_special)
    if not isinstance(choice, Chosen):
        return None
    index = _index(choice.candidate)
    instance = instances[index]
    found = None if instance is None else _written(program, instance)
    return None if found is None else Deduced(functions[index].guide, found)


def _holds(program: Declarations, function: _Function, instance: Instance) -> bool | None:
    """Whether what the function requires holds; of a constructor that is not known."""
    declaration = function.declaration
    if declaration is None or not is_required(declaration):
        return True
    found = bound_arguments(program, instance, {})
    return is_callable(instantiate(declaration, found)) if function.guide is not None else None


_UNKNOWN: Final = QualType(OpaqueType("?"))
"""The type of a parameter that depends on more than is deduced."""


def _index(candidate: Candidate) -> int:
    assert isinstance(candidate.function, int)
    return candidate.function


def _written(program: Declarations, instance: Instance) -> dict[str, TemplateArgument] | None:
    """The arguments that were deduced; the others have their defaults."""
    found: dict[str, TemplateArgument] = {}
    for name, argument in instance.arguments.items():
        if _is_default(argument):
            continue
        written = as_written(program, argument)
        if written is None:
            return None
        found[name] = written
    return found


def _is_default(argument: ExactArgument) -> bool:
    return isinstance(argument, DependentValue) or (
        isinstance(argument, QualType) and isinstance(argument.type, OpaqueType)
    )


def _functions(
    program: Declarations,
    primary: TypeTemplateDeclaration,
    generic: Record,
    guides: Sequence[FunctionDeclaration],
    count: int,
) -> list[_Function] | None:
    """The functions that are made of the class and its guides; None where not all of one is known."""
    own = exact_parameters(primary.parameters)
    whole = structured_class(program, ClassType(generic.name))
    bases = _pack_of_bases(generic, own)
    if whole is None or (generic.has_unknown_base and bases is None) or generic.inherited:
        return None
    found: list[_Function | None] = [_of(program, guide, (), Origin.GUIDE) for guide in guides]
    constructors = list(dict.fromkeys(constructors_of(generic)))
    for constructor in constructors:
        is_template = bool(constructor.template_parameters)
        origin = Origin.CONSTRUCTOR_TEMPLATE if is_template else Origin.CONSTRUCTOR
        found.append(_of(program, constructor, own, origin))
    copy = FunctionTemplate(generic, own, (QualType(whole),), 1)
    found.append(_Function(copy, Origin.COPY))
    if not constructors and bases is not None:
        found.append(_Function(FunctionTemplate(generic, own, (bases,), 0, expands=True), Origin.CONSTRUCTOR))
    elif not constructors:
        found.append(_of_members(program, generic, own, count))
    return [each for each in found if each is not None] if None not in found else None


def _pack_of_bases(generic: Record, own: Sequence[TemplateParameter]) -> QualType | None:
    """The pack that is all an aggregate consists of: `struct Over : F... {}` takes a value for each of its bases."""
    clause = generic.node.child("base_class_clause")
    if clause is None or generic.fields or not clause.text.rstrip().endswith(b"..."):
        return None
    named = [child for child in clause.children if child.kind not in ("access_specifier", "public")]
    name = named[0].text.decode("utf-8", "replace") if len(named) == 1 else ""
    is_pack = any(one.name == name and one.is_pack for one in own)
    return QualType(DependentType(name)) if is_pack else None


def _of(
    program: Declarations, declaration: FunctionDeclaration, own: tuple[TemplateParameter, ...], origin: Origin
) -> _Function:
    function = exact_template(program, declaration, generic_signature(declaration))
    return _Function(replace(function, template=(*own, *function.template)), origin, declaration)


def _as_parameter(member: QualType) -> QualType | None:
    """A member's type as that of a parameter; None for an array of a known length, whose braces may be left out."""
    if not isinstance(member.type, ArrayOf):
        return member
    return decayed(member) if isinstance(member.type.length, str) else None


def _of_members(
    program: Declarations, generic: Record, own: tuple[TemplateParameter, ...], count: int
) -> _Function | None:
    """The members of an aggregate are its parameters; one without any argument takes nothing."""
    members = [each for each in generic.fields if each.name or each.width is None]
    if generic.bases or len(members) < count:
        return _Function(FunctionTemplate(generic, own, (), 0), Origin.CONSTRUCTOR) if not generic.bases else None
    patterns: list[QualType] = []
    for member in members[:count]:
        pattern = _as_parameter(structured_or_opaque(program, member.declared))
        if pattern is None:
            return None
        patterns.append(pattern)
    return _Function(FunctionTemplate(generic, own, tuple(patterns), count), Origin.CONSTRUCTOR)
