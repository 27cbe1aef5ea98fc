"""Which declaration of a class or variable template is meant: the primary one, or a specialisation?

Rules   The primary template's defaults are filled in first, since a specialisation is matched with all arguments.
        A specialisation matches where its pattern, with the parameters that the arguments give it, is those arguments:
        so `same<A, A>` asks for equal types, and an `enable_if` of a false condition never matches.
        Where that depends on something unknown, the primary template stands in, as a guess.
Limits  Of several partial specialisations that match, the last one is taken.
Source  C++ standard, "Matching of partial specializations".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from analysis.ir.types import StructType, TemplateType, UnknownType
from analysis.lower.constant_values import ConstantObject
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
from analysis.lower.templates import bind, deduce_arguments, flattened, positional
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
    whole = arguments
    if partial and primary is not None and len(arguments) < len(primary.parameters):
        scope = primary.scope.inside()
        named = positional(primary.parameters, arguments)
        whole = flattened(bind(scope, primary.parameters, named, defaults=True))
    best: Chosen | None = None
    is_certain = True
    for declaration in partial:
        match = _match(program, declaration, whole)
        if match is None:
            continue
        if not match.is_certain:
            is_certain = False
        elif best is None or best.declaration.parameters:
            best = match
    if best is not None and (is_certain or not best.declaration.parameters):
        return best
    if primary is None:
        return best
    return Chosen(primary, positional(primary.parameters, arguments), whole, is_certain)


def _primary(template: TypeTemplate) -> TypeTemplateDeclaration | None:
    found: TypeTemplateDeclaration | None = None
    for declaration in template.declarations:
        if declaration.pattern is None and (found is None or declaration.item.is_definition):
            found = declaration
    return found


def _match(
    program: Declarations, declaration: TypeTemplateDeclaration, arguments: tuple[TemplateArgument, ...]
) -> Chosen | None:
    scope = declaration.scope.inside()
    bind(scope, declaration.parameters, {}, defaults=False)
    pattern = template_arguments(scope, declaration.pattern)
    named: dict[str, TemplateArgument] = {}
    if not deduce_arguments(program, pattern, arguments, named):
        return None
    if not declaration.parameters:
        return Chosen(declaration, named, arguments, True)
    inner = declaration.scope.inside()
    bind(inner, declaration.parameters, named, defaults=False)
    again = flattened(template_arguments(inner, declaration.pattern))
    answer = satisfied(inner, declaration.requirements, declaration.parameters)
    if answer is False:
        return None
    is_certain = answer is True and not (_asks_what_exists(declaration) and any(map(_is_qualified, arguments)))
    if len(again) != len(arguments):
        is_certain = is_certain and any(isinstance(each, PackPattern) for each in again)
    for given, wanted in zip(arguments, again, strict=False):
        answer = _is_equal(program, wanted, given)
        if answer is False:
            return None
        is_certain = is_certain and answer is True
    return Chosen(declaration, named, arguments, is_certain)


def _asks_what_exists(declaration: TypeTemplateDeclaration) -> bool:
    return declaration.pattern is not None and b"void_t" in declaration.pattern.text


def _is_qualified(argument: TemplateArgument) -> bool:
    """A `const` or a reference, which deduction drops: what a constant object lacks would be taken to be there."""
    declared = argument.declared if isinstance(argument, TypeName) else None
    return declared is not None and (declared.is_constant or declared.is_volatile or declared.is_reference)


def _is_equal(program: Declarations, wanted: TemplateArgument, given: TemplateArgument) -> bool | None:
    """Whether two arguments are the same; None where that depends on something unknown."""
    if isinstance(wanted, TypeName) and is_excluded(wanted.declared):
        return False
    if spelled_argument(wanted) == spelled_argument(given):
        return True
    if isinstance(wanted, ConstantName) and isinstance(given, ConstantName):
        return wanted.value == given.value
    if isinstance(wanted, ConstantObject) and isinstance(given, ConstantObject):
        return wanted == given if wanted.is_known and given.is_known else None
    if isinstance(wanted, TypeName) and isinstance(given, TypeName):
        types = wanted.declared.type, given.declared.type
        if any(isinstance(type, TemplateType | UnknownType) for type in types):
            return None
        if any(isinstance(type, StructType) and is_dependent(program, type) for type in types):
            return None
        return False
    return None
