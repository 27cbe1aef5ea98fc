"""Template arguments of a class from an initialiser: `Pair p{1.0f, 2.0f};`, `return Pair(a, b);`.

Question  Which instance of a class template does its bare name mean, for arguments of these types?
Rules     An object of an instance of the template is copied.  Otherwise the deduction guides of the text, the
          constructors, and the members of an aggregate are candidates; what one of them deduces twice must agree.
          Where all C++ types are known, `exact_class_deduction.py` chooses.  Elsewhere the least distance of overload
          resolution wins, then the more specialised, then a guide.
          None where nothing fits, or where what remains does not agree: then the class is generic.
Limits    Alias templates, designated and nested lists, `initializer_list` constructors are not deduced from.
          Arguments that are lambdas give no type.
Source    C++ standard, "Class template argument deduction".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from analysis.cpp.conversions import model as cpp
from analysis.ir.types import ArrayType, StructType, Type, UnknownType
from analysis.lower.builtins import builtin_type
from analysis.lower.conversion_distance import conversion_distance, without_space
from analysis.lower.deduction_guides import read_guides
from analysis.lower.exact_class_deduction import deduce_class
from analysis.lower.functions import generic_signature, instantiate
from analysis.lower.library.source import guide_items, is_library, is_written, written_template
from analysis.lower.lookup import find
from analysis.lower.names import (
    Closure,
    Declarations,
    Entity,
    FunctionDeclaration,
    ParameterDeclaration,
    Record,
    Scope,
    TemplateArgument,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.overloads import (
    ArgumentType,
    Choice,
    as_deduced,
    choose_by_types,
)
from analysis.lower.records import constructors_of
from analysis.lower.substitution import extents
from analysis.lower.templates import bind, deduce, flattened, stands_for_itself
from analysis.lower.type_instances import generic_instance
from analysis.syntax.tree import Node

_NAMES: Final = frozenset({"type_identifier", "identifier", "qualified_identifier"})
_CLASSES: Final = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_TABLED: Final = frozenset({"std::pair", "std::tuple", "std::complex"})
"""Class templates that the tables declare, whose arguments are the types of their members."""


@final
@dataclass(frozen=True, slots=True)
class _Candidate:
    type: StructType
    distance: float
    parameters: tuple[Type, ...]
    is_guide: bool
    is_certain: bool = True
    """Whether what it requires is known to hold."""


def deducible(scope: Scope, node: Node | None) -> TypeTemplate | None:
    """The class template whose bare name `node` is; None for every other type."""
    if node is None or node.kind not in _NAMES or node.text.endswith(b">"):
        return None
    entity = find(scope, node)
    if isinstance(entity, TypeName) and isinstance(entity.declared.type, StructType):
        name = entity.declared.type.name
        return TypeTemplate(name, ()) if name in _TABLED else None
    if not isinstance(entity, TypeTemplate):
        return None
    if not entity.declarations:
        return written_template(scope.program, entity.name) if is_written(entity.name) else None
    return entity if all(each.node.kind in _CLASSES for each in entity.declarations) else None


def deduced_class(
    program: Declarations,
    template: TypeTemplate,
    arguments: Sequence[ArgumentType],
    exact: Sequence[cpp.Argument | None],
) -> Type | None:
    """The instance of `template` that these arguments initialise; `exact` says what is known of each in C++ types."""
    if len(arguments) == 1 and _is_instance(program, arguments[0], template.name):
        only = arguments[0]
        return only if isinstance(only, StructType) else None
    if not template.declarations:
        return _tabled(template.name, arguments)
    found = _exactly_deduced(program, template, exact)
    if found is not None:
        return found
    best: list[_Candidate] = []
    candidates = list(_candidates(program, template, arguments))
    if len({each.type for each in candidates}) > 1 and not all(each.is_certain for each in candidates):
        return None
    for candidate in candidates:
        if not best or candidate.distance < best[0].distance:
            best = [candidate]
        elif candidate.distance == best[0].distance:
            best.append(candidate)
    best = [each for each in best if not any(_is_better(program, other, each) for other in best)]
    return best[0].type if len({each.type for each in best}) == 1 else None


def _exactly_deduced(
    program: Declarations, template: TypeTemplate, arguments: Sequence[cpp.Argument | None]
) -> Type | None:
    """By the rules of the standard; None where too little is known for them."""
    primary = next((each for each in template.declarations if each.pattern is None), None)
    generic = None if primary is None else _record(program, generic_instance(program, template))
    if primary is None or generic is None:
        return None
    guides = _guides(program, template.name, primary)
    found = deduce_class(program, primary, generic, guides, arguments)
    if found is None:
        return None
    if found.guide is None:
        record = _instance(program, template, primary, found.arguments)
        return None if record is None else record.type
    type = instantiate(found.guide, found.arguments).signature.returns.type
    return type if isinstance(type, StructType) and _is_closed(program, type) else None


def _is_instance(program: Declarations, type: ArgumentType, name: str) -> bool:
    if not isinstance(type, StructType):
        return False
    record = program.records.get(type.name)
    return type.name.startswith(f"{name}<") if record is None else record.template == name


def _tabled(name: str, arguments: Sequence[ArgumentType]) -> Type | None:
    """`std::pair`, `std::tuple`, `std::complex`: references and arrays decay."""
    types: list[Type] = []
    for argument in arguments:
        if argument is None or isinstance(argument, Closure | ArrayType | UnknownType):
            return None
        types.append(without_space(argument))
    if name == "std::complex":
        types = types[:1] if len(types) in (1, 2) and len(set(types)) == 1 else []
    is_allowed = bool(types) and (name != "std::pair" or len(types) == 2)
    found = builtin_type(name, tuple(types)) if is_allowed else None
    return found if isinstance(found, StructType) else None


def _candidates(
    program: Declarations, template: TypeTemplate, arguments: Sequence[ArgumentType]
) -> Iterator[_Candidate]:
    primary = next((each for each in template.declarations if each.pattern is None), None)
    if primary is None:
        return
    for guide in _guides(program, template.name, primary):
        yield from _by_guide(program, guide, arguments)
    generic = _record(program, generic_instance(program, template))
    if generic is None:
        return
    constructors = constructors_of(generic)
    for constructor in constructors:
        parameters = generic_signature(constructor).parameters
        yield from _by_constructor(program, template, primary, parameters, arguments)
    if not constructors and not generic.bases and not generic.has_unknown_base:
        yield from _by_members(program, template, primary, generic, arguments)


def _guides(program: Declarations, name: str, primary: TypeTemplateDeclaration) -> list[FunctionDeclaration]:
    if is_library(primary.item):
        return read_guides(program, guide_items(name))
    found = [item for item in program.unit.lookup(name) if item.namespace == primary.item.namespace]
    return read_guides(program, found)


def _by_guide(
    program: Declarations, guide: FunctionDeclaration, arguments: Sequence[ArgumentType]
) -> Iterator[_Candidate]:
    generic = generic_signature(guide)
    if _deduced(program, generic.parameters, arguments) is None:
        return
    choice = choose_by_types(program, [guide], (), arguments)
    type = None if choice is None else choice.instance.signature.returns.type
    if choice is not None and isinstance(type, StructType) and _is_closed(program, type):
        patterns = tuple(each.declared.type for each in generic.parameters)
        distance = _distance(program, choice, arguments)
        yield _Candidate(type, distance, patterns, is_guide=True, is_certain=choice.is_certain)


def _by_constructor(
    program: Declarations,
    template: TypeTemplate,
    primary: TypeTemplateDeclaration,
    parameters: Sequence[ParameterDeclaration],
    arguments: Sequence[ArgumentType],
) -> Iterator[_Candidate]:
    found = _deduced(program, parameters, arguments)
    record = None if found is None else _instance(program, template, primary, found)
    if record is None:
        return
    choice = choose_by_types(program, constructors_of(record), (), arguments)
    if choice is not None:
        patterns = tuple(each.declared.type for each in parameters)
        yield _Candidate(record.type, _distance(program, choice, arguments, is_template=True), patterns, is_guide=False)


def _distance(
    program: Declarations, choice: Choice, arguments: Sequence[ArgumentType], *, is_template: bool = False
) -> float:
    """How far the arguments are from the parameters; where a function runs does not matter here."""
    instance = choice.instance
    given = zip(instance.signature.parameters, arguments, strict=False)
    total = sum(conversion_distance(program, parameter.declared, each) or 0.0 for parameter, each in given)
    is_template = is_template or bool(instance.declaration.template_parameters)
    return total + (_FOR_A_TEMPLATE if is_template else 0.0)


def _by_members(
    program: Declarations,
    template: TypeTemplate,
    primary: TypeTemplateDeclaration,
    generic: Record,
    arguments: Sequence[ArgumentType],
) -> Iterator[_Candidate]:
    """An aggregate: its members, in order, are what it is made from."""
    members = [each for each in generic.fields if each.name or each.width is None][: len(arguments)]
    if len(members) < len(arguments) or any(isinstance(each.declared.type, ArrayType) for each in members):
        return  # too many, or braces that may be left out
    found: dict[str, TemplateArgument] = {}
    for member, argument in zip(members, arguments, strict=True):
        if argument is None or isinstance(argument, Closure | ArrayType):
            return
        if not _agree(program, found, member.declared.type, without_space(argument)):
            return
    record = _instance(program, template, primary, found)
    if record is None:
        return
    total = _FOR_A_TEMPLATE
    for member, argument in zip(record.fields, arguments, strict=False):
        distance = conversion_distance(program, member.declared, argument)
        if distance is None:
            return
        total += distance
    yield _Candidate(record.type, total, tuple(each.declared.type for each in members), is_guide=False)


def _deduced(
    program: Declarations, parameters: Sequence[ParameterDeclaration], arguments: Sequence[ArgumentType]
) -> dict[str, TemplateArgument] | None:
    """What the arguments make of the template parameters that the function's parameters name."""
    is_open = bool(parameters) and parameters[-1].is_pack
    required = sum(1 for each in parameters if each.default is None and not each.is_pack)
    if len(arguments) < required or (len(arguments) > len(parameters) and not is_open):
        return None
    found: dict[str, TemplateArgument] = {}
    for parameter, argument in zip(parameters, arguments, strict=False):
        if parameter.is_pack:
            break
        if argument is None or isinstance(argument, Closure | UnknownType):
            continue
        if not _agree(program, found, parameter.declared.type, as_deduced(parameter, argument)):
            return None
        for name, value in extents(parameter, argument).items():
            if found.setdefault(name, value) != value:
                return None
    return found


def _agree(program: Declarations, found: dict[str, TemplateArgument], pattern: Type, actual: Type) -> bool:
    """Adds what one argument gives; False where it does not match, or gives something else than another did."""
    each: dict[str, TemplateArgument] = {}
    if not deduce(program, pattern, actual, each):
        return False
    return all(found.setdefault(name, value) == value for name, value in each.items())


def _instance(
    program: Declarations,
    template: TypeTemplate,
    primary: TypeTemplateDeclaration,
    found: dict[str, TemplateArgument],
) -> Record | None:
    """The class for these arguments; None where a parameter has neither one nor a default."""
    for parameter in primary.parameters:
        if parameter.name not in found and (parameter.default is None or parameter.is_pack):
            return None
    bound = bind(primary.scope.inside(), primary.parameters, found, defaults=True)
    for parameter, argument in zip(primary.parameters, bound, strict=True):
        if parameter.name not in found and stands_for_itself(parameter, argument):
            return None  # a default that is not known
    record = _record(program, program.instantiate_type(template, flattened(bound)))
    return None if record is None or record.is_guess else record


def _record(program: Declarations, entity: Entity | None) -> Record | None:
    type = entity.declared.type if isinstance(entity, TypeName) else None
    return program.records.get(type.name) if isinstance(type, StructType) else None


def _is_closed(program: Declarations, type: StructType) -> bool:
    record = program.records.get(type.name)
    return record is not None and not record.is_guess


def _is_better(program: Declarations, one: _Candidate, other: _Candidate) -> bool:
    """Whether `one` is preferred where both fit equally well."""
    forward, backward = _is_as_special(program, one, other), _is_as_special(program, other, one)
    return forward if forward != backward else one.is_guide and not other.is_guide


def _is_as_special(program: Declarations, one: _Candidate, other: _Candidate) -> bool:
    """Whether whatever fits `one` fits `other` too."""
    pairs = zip(other.parameters, one.parameters, strict=False)
    return all(deduce(program, pattern, actual, {}) for pattern, actual in pairs)


_FOR_A_TEMPLATE: Final = 0.5
"""What `overloads.py` adds for a template, which every one of these candidates is."""
