"""Function templates in overload resolution: the instance for a call, and which of two templates is more specialised.

Source  C++20 standard, [temp.arg.explicit], [temp.deduct.call], [temp.deduct.partial], [temp.func.order].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from analysis.cpp.conversions.model import Argument
from analysis.cpp.conversions.standard import Bases
from analysis.cpp.templates.deduction import Deduced, deduce_arguments, deduce_call, deduce_exactly, is_unknown
from analysis.cpp.templates.parameters import TemplateParameter, names_of, unique
from analysis.cpp.templates.substitution import SubstitutionFailure, expanded, names_in, substituted
from analysis.cpp.types.model import (
    ArrayType,
    DependentType,
    DependentValue,
    Expansion,
    OpaqueType,
    Pack,
    PointerType,
    QualType,
    ReferenceType,
    TemplateArgument,
    qualifiers_of,
)
from analysis.ir.record import record


@final
@record
class FunctionTemplate:
    """`parameters` and `returns` are patterns; the last parameter is repeated where it `expands` a pack.

    `returns` is None where the type is not known, or is of no matter.
    """

    function: object
    template: tuple[TemplateParameter, ...]
    parameters: tuple[QualType, ...]
    required: int
    expands: bool = False
    is_variadic: bool = False
    returns: QualType | None = None

    @property
    def names(self) -> frozenset[str]:
        return names_of(self.template)


@final
@record
class Instance:
    """A template with its arguments: `parameters` are those of the function that is called."""

    template: FunctionTemplate
    arguments: Mapping[str, TemplateArgument]
    parameters: tuple[QualType, ...]


def instance_for(
    classes: Bases, template: FunctionTemplate, explicit: Sequence[TemplateArgument], arguments: Sequence[Argument]
) -> Instance | None:
    """The instance that a call with these arguments may mean; None where deduction or substitution fails."""
    found: Deduced = {}
    is_open = _bind_explicit(template, explicit, found)
    if is_open is None:
        return None
    try:
        if not _deduced(classes, template, arguments, found, is_open=is_open):
            return None
        more = any(is_unknown(argument.type) for argument in arguments) or any(map(_is_opaque, template.parameters))
        if not _with_defaults(template, found, is_open=more):
            return None
        return Instance(template, found, _parameters(template, found))
    except SubstitutionFailure:
        return None


def _with_defaults(template: FunctionTemplate, found: Deduced, *, is_open: bool = False) -> bool:
    """Binds what was not deduced to its default argument; whether all parameters are bound then.

    `is_open` tells that a type which is not known may say more: the others are then bound to what is not known.
    """
    for parameter in template.template:
        if parameter.name not in found:
            bound = _default(parameter, found)
            if bound is None and is_open:
                bound = _unknown(parameter)
            if bound is None:
                return False
            found[parameter.name] = bound
    return True


def _bind_explicit(
    template: FunctionTemplate, explicit: Sequence[TemplateArgument], found: Deduced
) -> frozenset[str] | None:
    """Packs that are given only in part, to which deduction may add; None where the arguments do not fit."""
    for index, argument in enumerate(explicit):
        if index >= len(template.template):
            return None
        parameter = template.template[index]
        if parameter.is_pack:
            found[parameter.name] = Pack(tuple(explicit[index:]))
            return frozenset({parameter.name})
        if isinstance(argument, QualType) != (parameter.kind is DependentType):
            return None
        found[parameter.name] = argument
    return frozenset()


def _deduced(
    classes: Bases,
    template: FunctionTemplate,
    arguments: Sequence[Argument],
    found: Deduced,
    *,
    is_open: frozenset[str],
) -> bool:
    fixed = len(template.parameters) - template.expands
    explicit = {name: argument for name, argument in found.items() if not isinstance(argument, Pack)}
    for index, argument in enumerate(arguments[:fixed]):
        if not deduce_call(classes, template.names, substituted(template.parameters[index], explicit), argument, found):
            return False
    if not template.expands:
        return len(arguments) <= fixed or template.is_variadic
    return _deduced_pack(classes, template, arguments[fixed:], found, is_open=is_open)


def _deduced_pack(
    classes: Bases,
    template: FunctionTemplate,
    arguments: Sequence[Argument],
    found: Deduced,
    *,
    is_open: frozenset[str],
) -> bool:
    """Each argument that is left deduces one element of every pack in the pattern."""
    pattern = template.parameters[-1]
    packs = {parameter.name for parameter in template.template if parameter.is_pack} & names_in(pattern)
    columns: dict[str, list[TemplateArgument]] = {name: [] for name in packs}
    given = {name: bound.elements for name in packs if isinstance(bound := found.get(name), Pack)}
    for index, argument in enumerate(arguments):
        each = {name: bound for name, bound in found.items() if name not in packs}
        for name, elements in given.items():
            if index < len(elements):
                each[name] = elements[index]
        if not deduce_call(classes, template.names, substituted(pattern, each), argument, each):
            return False
        for name, column in columns.items():
            if name not in each and not is_unknown(argument.type):
                return False
            column.append(each.get(name, QualType(OpaqueType(name))))
        found.update({name: bound for name, bound in each.items() if name not in packs})
    for name, column in columns.items():
        if name in given and (
            len(column) < len(given[name]) or (name not in is_open and len(column) != len(given[name]))
        ):
            return False
        found[name] = Pack(tuple(column))
    return True


def _is_opaque(pattern: QualType) -> bool:
    """Whether the type of a parameter is not known: it may name any template parameter."""
    while isinstance(pattern.type, ReferenceType | PointerType | ArrayType):
        match pattern.type:
            case ReferenceType(referred=inner) | PointerType(pointee=inner) | ArrayType(element=inner):
                pattern = inner
    return isinstance(pattern.type, OpaqueType)


def _unknown(parameter: TemplateParameter) -> TemplateArgument | None:
    if parameter.kind is DependentType:
        return QualType(OpaqueType(parameter.name))
    return DependentValue(parameter.name) if parameter.kind is DependentValue else None


def _default(parameter: TemplateParameter, found: Deduced) -> TemplateArgument | None:
    if parameter.is_pack:
        return Pack(())
    if isinstance(parameter.default, QualType):
        return substituted(parameter.default, found)
    return parameter.default


def _parameters(template: FunctionTemplate, found: Deduced) -> tuple[QualType, ...]:
    """The parameters as a call sees them: arrays and functions are pointers, the outermost `const` does not count."""
    fixed = template.parameters[:-1] if template.expands else template.parameters
    made = [substituted(one, found) for one in fixed]
    if template.expands:
        made += [one for one in expanded(template.parameters[-1], found) if isinstance(one, QualType)]
    return tuple(made)


# -- explicit specialisations ------------------------------------------------------------------------------------------


def specialised(
    classes: Bases,
    templates: Sequence[FunctionTemplate],
    explicit: Sequence[TemplateArgument],
    parameters: Sequence[QualType],
    returns: QualType | None,
) -> Instance | None:
    """The instance that an explicit specialisation is ([temp.deduct.decl]); `returns` is None where it is not known."""
    found = [each for one in templates if (each := _declared(one, explicit, parameters, returns)) is not None]
    for one in found:
        others = [each.template for each in found if each is not one]
        if all(is_more_specialised(classes, one.template, other, len(parameters)) for other in others):
            return one
    return None


def _declared(
    template: FunctionTemplate,
    explicit: Sequence[TemplateArgument],
    parameters: Sequence[QualType],
    returns: QualType | None,
) -> Instance | None:
    """The instance of one template whose parameters are exactly these; None where there is none.

    The returned type is asked for what the parameters leave open: `template <class T> T zero();`.
    """
    found: Deduced = {}
    if _bind_explicit(template, explicit, found) is None:
        return None
    known = {name: argument for name, argument in found.items() if not isinstance(argument, Pack)}
    try:
        own = [substituted(one, known).unqualified for one in template.parameters]
        patterns: list[TemplateArgument] = [
            _forwarded(template, one, parameters[index]) if index < len(parameters) else one
            for index, one in enumerate(own)
        ]
        if template.expands:
            patterns[-1] = Expansion(own[-1])
        if not deduce_arguments(template.names, patterns, [one.unqualified for one in parameters], found):
            return None
        if returns is not None and template.returns is not None and not template.names <= found.keys():
            pattern = substituted(template.returns, known)
            if not deduce_arguments(template.names, [pattern.unqualified], [returns.unqualified], found):
                return None
        if not _with_defaults(template, found):
            return None
    except SubstitutionFailure:
        return None
    return Instance(template, found, tuple(parameters))


def _forwarded(template: FunctionTemplate, pattern: QualType, actual: QualType) -> QualType:
    """`T &&` is declared as `T &` where T is a reference ([temp.deduct.type]/10)."""
    match pattern.type, actual.type:
        case ReferenceType(referred=referred, is_rvalue=True), ReferenceType(is_rvalue=False):
            is_parameter = isinstance(referred.type, DependentType) and referred.type.name in template.names
            is_plain = not (referred.is_constant or referred.is_volatile)
            return referred if is_parameter and is_plain else pattern
        case _:
            return pattern


# -- partial ordering --------------------------------------------------------------------------------------------------


def is_more_specialised(classes: Bases, one: FunctionTemplate, other: FunctionTemplate, count: int) -> bool:
    """Whether the first template is more specialised for a call with `count` arguments."""
    forwards: Deduced = {}
    backwards: Deduced = {}
    is_at_least, other_is_at_least = True, True
    for index in range(count):
        left, right = _at(one, index), _at(other, index)
        if left is None or right is None:
            break
        first = _fits(other, right, one, left, index, forwards)
        second = _fits(one, left, other, right, index, backwards)
        if first and second:
            first, second = _by_references(left, right)
        is_at_least, other_is_at_least = is_at_least and first, other_is_at_least and second
    if is_at_least and other_is_at_least:
        return other.expands and not one.expands
    return is_at_least


def are_alike(one: FunctionTemplate, other: FunctionTemplate) -> bool:
    """Whether two templates differ in their constraints at most, by which they are ordered then ([temp.func.order])."""
    if [(each.kind, each.is_pack) for each in one.template] != [(each.kind, each.is_pack) for each in other.template]:
        return False
    return one.expands == other.expands and _by_place(one) == _by_place(other)


def _by_place(template: FunctionTemplate) -> list[QualType]:
    """The types of the parameters, with template parameters by their places instead of their names."""
    places = unique([TemplateParameter(str(at), each.kind) for at, each in enumerate(template.template)])
    bindings = dict(zip([each.name for each in template.template], places.values(), strict=True))
    return [substituted(one.unqualified, bindings) for one in template.parameters]


def _fits(
    template: FunctionTemplate,
    pattern: QualType,
    given: FunctionTemplate,
    argument: QualType,
    index: int,
    found: Deduced,
) -> bool:
    """Whether the parameter of `template` takes what `given` takes there, whatever its template parameters are."""
    if _is_expanded(given, index) and not _is_expanded(template, index):
        return False
    each: Deduced = {} if _is_expanded(template, index) else found
    actual = substituted(argument.object.unqualified, unique(given.template))
    return deduce_exactly(template.names, pattern.object.unqualified, actual, each)


def _by_references(one: QualType, other: QualType) -> tuple[bool, bool]:
    """Which of two that take the same are at least as specialised: `T &` beats `T &&`, `const T &` beats `T &`."""
    if not isinstance(one.type, ReferenceType) or not isinstance(other.type, ReferenceType):
        return True, True
    if one.type.is_rvalue != other.type.is_rvalue:
        return other.type.is_rvalue, one.type.is_rvalue
    left, right = one.object, other.object
    return _covers(left, right), _covers(right, left)


def _covers(one: QualType, other: QualType) -> bool:
    return all(has >= other_has for has, other_has in zip(qualifiers_of(one), qualifiers_of(other), strict=True))


def _at(template: FunctionTemplate, index: int) -> QualType | None:
    if index < len(template.parameters):
        return template.parameters[index]
    return template.parameters[-1] if template.expands else None


def _is_expanded(template: FunctionTemplate, index: int) -> bool:
    return template.expands and index >= len(template.parameters) - 1
