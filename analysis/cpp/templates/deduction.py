"""Template argument deduction: what do the arguments of a call say about the parameters of a template?

Rules   A parameter is deduced from each place that names it, and all must agree.  What stands before `::`, and an
        expression with a parameter, deduces nothing.
        A pattern's `const` is what an argument must have; the parameter takes what is left of it.
        A type that is not known fits each pattern, and says nothing that is not a parameter alone.
Source  C++20 standard, [temp.deduct.call], [temp.deduct.type].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from analysis.cpp.conversions.model import Argument, ValueCategory
from analysis.cpp.conversions.standard import Bases, decayed, distance_to_base
from analysis.cpp.templates.substitution import SubstitutionFailure, names_in, parameters_of, substituted
from analysis.cpp.types.model import (
    SIZE,
    ArrayType,
    ClassType,
    DependentType,
    DependentValue,
    EntityArgument,
    Expansion,
    FunctionType,
    MemberPointerType,
    OpaqueType,
    Pack,
    PlaceholderType,
    PointerType,
    QualType,
    ReferenceType,
    TemplateArgument,
    TemplateName,
    ValueArgument,
    qualified,
    qualifiers_of,
    reference_to,
)
from analysis.cpp.types.qualification import can_add_qualifiers

Deduced: TypeAlias = dict[str, TemplateArgument]


def deduce_call(classes: Bases, names: frozenset[str], parameter: QualType, argument: Argument, found: Deduced) -> bool:
    """Adds what one argument of a call says about the parameters `names`; False where the template does not fit."""
    pattern, actual = _adjusted(parameter, argument, names)
    if not names_in(pattern) & names:
        return True
    whole = dict(found)
    if deduce(names, pattern, actual, whole) and _is_allowed(classes, names, parameter, pattern, actual, whole):
        found.update(whole)
        return True
    for other in _alternatives(classes, pattern, actual):
        whole = dict(found)
        if deduce(names, pattern, other, whole):
            found.update(whole)
            return True
    return is_unknown(argument.type)


def is_unknown(type: QualType) -> bool:
    return isinstance(type.type, DependentType | OpaqueType | PlaceholderType)


def _adjusted(parameter: QualType, argument: Argument, names: frozenset[str]) -> tuple[QualType, QualType]:
    """The pattern and the type to match it with ([temp.deduct.call]/2, 3)."""
    if not isinstance(parameter.type, ReferenceType):
        actual = decayed(argument.type)
        return parameter.unqualified, actual.unqualified
    pattern, actual = parameter.type.referred, argument.type
    is_forwarding = parameter.type.is_rvalue and isinstance(pattern.type, DependentType) and pattern.type.name in names
    is_forwarding = is_forwarding and not (pattern.is_constant or pattern.is_volatile)
    if is_forwarding and argument.category is ValueCategory.LVALUE:
        actual = reference_to(actual)
    return pattern, actual


def _is_allowed(
    classes: Bases, names: frozenset[str], parameter: QualType, pattern: QualType, actual: QualType, found: Deduced
) -> bool:
    """Whether the deduced type is the argument's, but for what [temp.deduct.call]/4 allows."""
    try:
        made = substituted(pattern, found)
    except SubstitutionFailure:
        return False
    if names_in(made) & names or made == actual:
        return True
    if isinstance(parameter.type, ReferenceType):
        constant, volatile = qualifiers_of(made)
        if qualified(actual, constant=constant, volatile=volatile) == made:
            return True
        return can_add_qualifiers(QualType(PointerType(actual)), QualType(PointerType(made))) or _is_pointer_pair(
            actual, made
        )
    return can_add_qualifiers(actual, made) or _is_base_pair(classes, actual, made)


def _is_pointer_pair(actual: QualType, made: QualType) -> bool:
    return isinstance(actual.type, PointerType) and can_add_qualifiers(actual, made)


def _is_base_pair(classes: Bases, actual: QualType, made: QualType) -> bool:
    match actual.type, made.type:
        case ClassType() as derived, ClassType() as base:
            return distance_to_base(classes, derived, base) is not None
        case _:
            return False


def _alternatives(classes: Bases, pattern: QualType, actual: QualType) -> list[QualType]:
    """Bases of the argument's class that may fit `A<T>`, or pointers to them; of several, none."""
    match pattern.type, actual.type:
        case ClassType(arguments=arguments), ClassType() as derived if arguments:
            return [qualified(QualType(base), constant=actual.is_constant) for base in _all_bases(classes, derived)]
        case PointerType(pointee=inner), PointerType(pointee=to) if isinstance(inner.type, ClassType):
            if not inner.type.arguments or not isinstance(to.type, ClassType):
                return []
            bases = _all_bases(classes, to.type)
            return [QualType(PointerType(qualified(QualType(base), constant=to.is_constant))) for base in bases]
        case _:
            return []


def _all_bases(classes: Bases, type: ClassType) -> list[ClassType]:
    found: list[ClassType] = []
    for base in classes.bases(type):
        found += [base, *_all_bases(classes, base)]
    return found


def deduce(names: frozenset[str], pattern: QualType, actual: QualType, found: Deduced) -> bool:
    """Matches a pattern with a type; qualifiers that the pattern lacks go to the parameter, or are too many below."""
    match pattern.type:
        case DependentType(name=name) if name in names:
            if pattern.is_constant or pattern.is_volatile:
                if isinstance(actual.type, FunctionType | ReferenceType):
                    return False  # neither is ever qualified
                actual = _without(actual, pattern)
            return _bind(found, name, actual)
        case _:
            pass
    return _deduce_inner(names, pattern, actual, found)


def _without(actual: QualType, pattern: QualType) -> QualType:
    if isinstance(actual.type, ArrayType):
        return QualType(ArrayType(_without(actual.type.element, pattern), actual.type.length))
    constant = actual.is_constant and not pattern.is_constant
    return QualType(actual.type, constant, actual.is_volatile and not pattern.is_volatile)


def _bind(found: Deduced, name: str, argument: TemplateArgument) -> bool:
    before = found.setdefault(name, argument)
    if isinstance(before, ValueArgument) and isinstance(argument, ValueArgument):
        if before.type == SIZE:  # of an array's bound, whatever type the parameter has
            found[name] = argument
        return _same_values(before, argument)
    return before == argument


def _same_values(one: ValueArgument, other: ValueArgument) -> bool:
    """Types are those of the parameter, but where it is `auto`."""
    return one.value == other.value and (one.type == other.type or not (one.is_typed or other.is_typed))


def _deduce_inner(names: frozenset[str], pattern: QualType, actual: QualType, found: Deduced) -> bool:
    match pattern.type, actual.type:
        case PointerType(pointee=left), PointerType(pointee=right):
            return deduce(names, left, right, found)
        case ReferenceType(referred=left, is_rvalue=one), ReferenceType(referred=right, is_rvalue=other):
            return one == other and deduce(names, left, right, found) and _same_qualifiers(names, left, right)
        case ArrayType(element=left, length=length), ArrayType(element=right, length=actual_length):
            return _deduce_length(names, length, actual_length, found) and deduce(names, left, right, found)
        case MemberPointerType(owner=owner, member=member), MemberPointerType(owner=other, member=actual_member):
            return deduce(names, owner, other, found) and deduce(names, member, actual_member, found)
        case FunctionType() as one, FunctionType() as other:
            return _deduce_function(names, one, other, found)
        case ClassType(name=name, arguments=arguments), ClassType(name=other, arguments=given) if arguments:
            if name in names:
                if not given or not _bind(found, name, TemplateName(other)):
                    return False
            elif name != other:
                return False
            return deduce_arguments(names, arguments, given, found)
        case DependentType(), _:
            return True  # depends on a parameter in a way from which nothing is deduced
        case one, other:
            return one == other


def _same_qualifiers(names: frozenset[str], pattern: QualType, actual: QualType) -> bool:
    if isinstance(pattern.type, DependentType) and pattern.type.name in names:
        return True
    return qualifiers_of(pattern) == qualifiers_of(actual)


def _deduce_length(names: frozenset[str], pattern: int | str | None, actual: int | str | None, found: Deduced) -> bool:
    if isinstance(pattern, str) and pattern in names:
        if actual is None:
            return False
        return _bind(found, pattern, DependentValue(actual) if isinstance(actual, str) else ValueArgument(actual, SIZE))
    return pattern == actual


def _deduce_function(names: frozenset[str], pattern: FunctionType, actual: FunctionType, found: Deduced) -> bool:
    if pattern.is_variadic != actual.is_variadic or pattern.is_constant != actual.is_constant:
        return False
    own, given = parameters_of(pattern), parameters_of(actual)
    return deduce(names, pattern.result, actual.result, found) and deduce_arguments(names, own, given, found)


def deduce_arguments(
    names: frozenset[str], patterns: Sequence[TemplateArgument], actuals: Sequence[TemplateArgument], found: Deduced
) -> bool:
    """Matches the arguments of a class template; an expansion at the end takes all that are left."""
    for index, pattern in enumerate(patterns):
        if isinstance(pattern, Expansion):
            return _deduce_pack(names, pattern, actuals[index:], found)
        if index < len(actuals) and isinstance(actuals[index], Expansion):
            return False
        if index >= len(actuals) or not deduce_argument(names, pattern, actuals[index], found):
            return False
    return len(patterns) == len(actuals)


def _deduce_pack(
    names: frozenset[str], pattern: Expansion, actuals: Sequence[TemplateArgument], found: Deduced
) -> bool:
    columns: dict[str, list[TemplateArgument]] = {name: [] for name in names_in(pattern) & names}
    for actual in actuals:
        each: Deduced = {}
        inner = actual.pattern if isinstance(actual, Expansion) else actual
        if not deduce_argument(names, pattern.pattern, inner, each):
            return False
        for name, column in columns.items():
            if name in each:
                column.append(each[name])
    return all(_bind(found, name, Pack(tuple(column))) for name, column in columns.items())


def deduce_argument(names: frozenset[str], pattern: TemplateArgument, actual: TemplateArgument, found: Deduced) -> bool:
    """Matches one template argument; types must be the same, qualifiers included."""
    match pattern, actual:
        case QualType(), QualType():
            return deduce_exactly(names, pattern, actual, found)
        case DependentValue(name=name), ValueArgument() | EntityArgument() | DependentValue() if name in names:
            return _bind(found, name, actual)
        case DependentValue(), _:
            return True
        case TemplateName(name=name), TemplateName() if name in names:
            return _bind(found, name, actual)
        case ValueArgument() as one, ValueArgument() as other:
            return _same_values(one, other)
        case _:
            return pattern == actual


def deduce_exactly(names: frozenset[str], pattern: QualType, actual: QualType, found: Deduced) -> bool:
    """As `deduce`, where the type that is made must be the actual one."""
    is_parameter = isinstance(pattern.type, DependentType) and pattern.type.name in names
    if is_parameter:
        if any(wants and not has for wants, has in zip(qualifiers_of(pattern), qualifiers_of(actual), strict=True)):
            return False
    elif not isinstance(pattern.type, ArrayType) and not _same_qualifiers(names, pattern, actual):
        return False
    if not deduce(names, pattern, actual, found):
        return False
    try:
        made = substituted(pattern, found)
    except SubstitutionFailure:
        return False
    is_open = bool(names_in(made) - names_in(actual))  # what is not deduced is compared when all is known
    return is_open or made == actual
