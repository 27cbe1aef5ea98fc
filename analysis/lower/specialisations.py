"""Which declaration of a class or variable template is meant: the primary one, or a specialisation?

Rules   The primary template's defaults are filled in first, since a specialisation is matched with all arguments.
        A specialisation matches where its pattern, with the parameters that the arguments give it, is those arguments:
        so `same<A, A>` asks for equal types, and an `enable_if` of a false condition never matches.
        Of several that match, the most special one is meant: all others match its pattern.
        `analysis/cpp/templates` matches and orders the patterns.  What a pattern computes (`enable_if`, `N + 1`) is
        then compared with the arguments.
        Where that depends on something unknown, the primary template stands in, as a guess.
Limits  An argument with qualifiers whose C++ type is not known matches as a guess at best.
Source  C++ standard, "Matching of partial specializations", "Partial ordering of partial specializations".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from analysis.cpp.templates import deduction
from analysis.cpp.templates.parameters import TemplateParameter, names_of, unique_arguments
from analysis.cpp.templates.substitution import names_in
from analysis.cpp.types import model as cpp
from analysis.ir.types import StructType, TemplateType, UnknownType
from analysis.lower.constant_values import ConstantObject
from analysis.lower.constraint_order import is_class_more_constrained
from analysis.lower.exact_arguments import as_written, exact_argument
from analysis.lower.exact_deduction import exact_parameters
from analysis.lower.library.properties import is_dependent
from analysis.lower.library.templates import is_excluded
from analysis.lower.lookup import template_arguments
from analysis.lower.names import (
    ConstantName,
    Declarations,
    PackPattern,
    TemplateArgument,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.requirements import satisfied
from analysis.lower.templates import bind, flattened, positional
from analysis.lower.types import spelled_argument


@final
@dataclass(frozen=True, slots=True)
class Chosen:
    """A declaration, what its parameters are bound to, and all arguments of the template."""

    declaration: TypeTemplateDeclaration
    named: dict[str, TemplateArgument]
    arguments: tuple[TemplateArgument, ...]
    is_certain: bool


def choose(program: Declarations, template: TypeTemplate, arguments: tuple[TemplateArgument, ...]) -> Chosen | None:
    """The declaration that these arguments mean; None where there is neither a match nor a primary template."""
    primary = _primary(template)
    partial = [declaration for declaration in template.declarations if declaration.pattern is not None]
    whole = _completed(primary, arguments) if partial else arguments
    matches = [match for declaration in partial if (match := _match(program, primary, declaration, whole)) is not None]
    for match in matches:
        if match.is_certain and not match.declaration.parameters:
            return match  # an explicit specialisation, which is for these arguments alone
    matched = {match.declaration for match in matches}
    is_open = any(_may_match(program, primary, one, whole) for one in partial if one not in matched)
    is_open = is_open or not all(match.is_certain for match in matches)
    best = None if is_open else _most_special(program, primary, matches)
    if best is not None or primary is None:
        return best
    return Chosen(primary, positional(primary.parameters, arguments), whole, is_certain=not matches and not is_open)


def _may_match(
    program: Declarations,
    primary: TypeTemplateDeclaration | None,
    declaration: TypeTemplateDeclaration,
    arguments: tuple[TemplateArgument, ...],
) -> bool:
    """Whether a specialisation that does not match may be meant, since an argument is of a type that is not known."""
    unknown = [_is_unknown(program, each) for each in arguments]
    if not any(unknown):
        return False
    pattern = _exact_pattern(program, primary, declaration)
    if len(pattern.arguments) != len(arguments) or any(isinstance(each, cpp.Expansion) for each in pattern.arguments):
        return True
    names, found = names_of(pattern.template), dict[str, cpp.TemplateArgument]()
    pairs = zip(unknown, pattern.arguments, _exactly(program, arguments), strict=True)
    return all(is_open or deduction.deduce_argument(names, wanted, given, found) for is_open, wanted, given in pairs)


def _is_unknown(program: Declarations, argument: TemplateArgument) -> bool:
    if isinstance(argument, TypeName) and is_excluded(argument.declared):
        return False
    return isinstance(argument, TypeName | ConstantName) and exact_argument(program, argument) is None


def _completed(
    primary: TypeTemplateDeclaration | None, arguments: tuple[TemplateArgument, ...]
) -> tuple[TemplateArgument, ...]:
    """All arguments of the template, values converted to what its parameters declare."""
    if primary is None or (
        len(arguments) == len(primary.parameters) and all(parameter.is_type for parameter in primary.parameters)
    ):
        return arguments
    takes_pack = any(parameter.is_pack for parameter in primary.parameters)
    if not takes_pack and (
        len(arguments) > len(primary.parameters) or any(isinstance(each, PackPattern) for each in arguments)
    ):
        return arguments
    named = positional(primary.parameters, arguments)
    return flattened(bind(primary.scope.inside(), primary.parameters, named, defaults=True))


def _most_special(
    program: Declarations, primary: TypeTemplateDeclaration | None, matches: Sequence[Chosen]
) -> Chosen | None:
    """The match that is more special than every other one."""
    for match in matches:
        one = match.declaration
        others = [other.declaration for other in matches if other is not match]
        if all(_is_more_special(program, primary, one, other) for other in others):
            return match
    return None


def _is_more_special(
    program: Declarations,
    primary: TypeTemplateDeclaration | None,
    one: TypeTemplateDeclaration,
    other: TypeTemplateDeclaration,
) -> bool:
    """Whether the pattern of `one` is more special, or the same and more constrained."""
    if not _takes(program, primary, other, one):
        return False
    return not _takes(program, primary, one, other) or is_class_more_constrained(one, other)


def _takes(
    program: Declarations,
    primary: TypeTemplateDeclaration | None,
    one: TypeTemplateDeclaration,
    other: TypeTemplateDeclaration,
) -> bool:
    """Whether the pattern of `one` matches that of `other`, whose parameters stand for themselves."""
    general, special = _exact_pattern(program, primary, one), _exact_pattern(program, primary, other)
    given = unique_arguments(special.template, special.arguments)
    return deduction.deduce_arguments(names_of(general.template), general.arguments, given, {})


def _pattern(
    primary: TypeTemplateDeclaration | None, declaration: TypeTemplateDeclaration
) -> tuple[TemplateArgument, ...]:
    scope = declaration.scope.inside()
    bind(scope, declaration.parameters, {}, defaults=False)
    return _completed(primary, template_arguments(scope, declaration.pattern))


@final
@dataclass(frozen=True, slots=True)
class _ExactPattern:
    """The parameters and the pattern of a specialisation in C++ types."""

    template: tuple[TemplateParameter, ...]
    arguments: tuple[cpp.TemplateArgument, ...]


def _exact_pattern(
    program: Declarations, primary: TypeTemplateDeclaration | None, declaration: TypeTemplateDeclaration
) -> _ExactPattern:
    template = exact_parameters(declaration.parameters)
    arguments = _exactly(program, _pattern(primary, declaration))
    templates = {one.name for one in template if one.kind is cpp.TemplateName}
    return _ExactPattern(template, tuple(_as_template(each, templates) for each in arguments))


def _as_template(argument: cpp.TemplateArgument, templates: Collection[str]) -> cpp.TemplateArgument:
    """A template template parameter, which scopes declare as they declare types."""
    match argument:
        case cpp.QualType(type=cpp.DependentType(name=name)) if name in templates:
            return cpp.TemplateName(name, is_parameter=True)
        case cpp.Expansion(pattern=pattern):
            return cpp.Expansion(_as_template(pattern, templates))
        case _:
            return argument


def _primary(template: TypeTemplate) -> TypeTemplateDeclaration | None:
    found: TypeTemplateDeclaration | None = None
    for declaration in template.declarations:
        if declaration.pattern is None and (found is None or declaration.item.is_definition):
            found = declaration
    return found


def _match(
    program: Declarations,
    primary: TypeTemplateDeclaration | None,
    declaration: TypeTemplateDeclaration,
    arguments: tuple[TemplateArgument, ...],
) -> Chosen | None:
    named = _deduced(program, primary, declaration, arguments)
    if named is None:
        return None
    inner = declaration.scope.inside()
    bind(inner, declaration.parameters, named, defaults=False)
    again = _completed(primary, flattened(template_arguments(inner, declaration.pattern)))
    answer = satisfied(inner, declaration.requirements, declaration.parameters)
    if answer is False:
        return None
    is_certain = answer is True and not any(map(_is_vague, arguments))
    if len(again) != len(arguments):
        is_certain = is_certain and any(isinstance(each, PackPattern) for each in again)
    for given, wanted in zip(arguments, again, strict=False):
        answer = _is_equal(program, wanted, given)
        if answer is False:
            return None
        is_certain = is_certain and answer is True
    return Chosen(declaration, named, arguments, is_certain)


def _deduced(
    program: Declarations,
    primary: TypeTemplateDeclaration | None,
    declaration: TypeTemplateDeclaration,
    arguments: tuple[TemplateArgument, ...],
) -> dict[str, TemplateArgument] | None:
    """What the pattern's parameters are for these arguments, where it says that; None where the pattern is another."""
    pattern = _exact_pattern(program, primary, declaration)
    found: deduction.Deduced = {}
    names = names_of(pattern.template)
    if not deduction.deduce_arguments(names, pattern.arguments, _exactly(program, arguments), found):
        return None
    templates = {each.name: each for each in arguments if isinstance(each, TypeTemplate)}
    opaque = {spelled_argument(each): each for each in arguments if isinstance(each, TypeName)}
    written = {name: _as_written(program, argument, templates, opaque) for name, argument in found.items()}
    return {name: each for name, each in written.items() if each is not None}


def _as_written(
    program: Declarations,
    argument: cpp.TemplateArgument,
    templates: Mapping[str, TypeTemplate],
    opaque: Mapping[str, TypeName],
) -> TemplateArgument | None:
    if isinstance(argument, cpp.QualType) and isinstance(argument.type, cpp.OpaqueType):
        return opaque.get(argument.type.spelling)
    return as_written(program, argument, templates)


def _exactly(program: Declarations, arguments: Sequence[TemplateArgument]) -> list[cpp.TemplateArgument]:
    """The arguments in C++ types; one that is not known is opaque."""
    return [exact_argument(program, each) or cpp.QualType(cpp.OpaqueType(spelled_argument(each))) for each in arguments]


def _is_vague(argument: TemplateArgument) -> bool:
    """Whether it has qualifiers though its C++ type is not known: deduction cannot tell them apart."""
    declared = argument.declared if isinstance(argument, TypeName) else None
    is_qualified = declared is not None and (declared.is_constant or declared.is_volatile or declared.is_reference)
    return declared is not None and is_qualified and declared.exact is None


def _is_equal(program: Declarations, wanted: TemplateArgument, given: TemplateArgument) -> bool | None:
    """Whether two arguments are the same; None where that depends on something unknown."""
    if isinstance(wanted, TypeName) and is_excluded(wanted.declared):
        return False
    if spelled_argument(wanted) == spelled_argument(given):
        return True
    if _is_exact(wanted) and _is_exact(given):
        return False
    if isinstance(wanted, ConstantName) and isinstance(given, ConstantName):
        if wanted.value != given.value or wanted.type != given.type:
            return wanted.value == given.value and not (wanted.is_typed or given.is_typed)
        return None if wanted.is_typed or given.is_typed else True
    if isinstance(wanted, ConstantObject) and isinstance(given, ConstantObject):
        return wanted == given if wanted.is_known and given.is_known else None
    if isinstance(wanted, TypeName) and isinstance(given, TypeName):
        types = wanted.declared.type, given.declared.type
        if any(isinstance(type, TemplateType | UnknownType) for type in types):
            return None
        if any(isinstance(type, StructType) and is_dependent(program, type) for type in types):
            return None
        return False if types[0] != types[1] else None
    return None


def _is_exact(argument: TemplateArgument) -> bool:
    """Whether it is a type of which all is known, so that another spelling is another type."""
    if not isinstance(argument, TypeName) or isinstance(argument.declared.type, StructType):
        return False
    exact = argument.declared.exact
    return exact is not None and not names_in(exact)
