"""The implicit conversion sequence from an argument to a parameter: by value, by reference, by functions of classes.

Rules   A parameter of class type takes an object of the class or of a derived one as a standard conversion.
        Conversions by constructors and conversion functions never follow one another.
        Where a type is not known, there may be a sequence of any kind.
Source  C++20 standard, [over.best.ics.general], [over.ics.ref], [over.ics.user], [dcl.init.ref], [over.match.copy],
        [over.match.conv], [over.match.ref].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, final

from analysis.cpp.conversions.model import (
    Argument,
    Binding,
    Conversion,
    ConversionStep,
    StandardConversion,
    UncertainConversion,
    UserConversion,
    ValueCategory,
)
from analysis.cpp.conversions.ranking import best
from analysis.cpp.conversions.standard import Bases, distance_to_base, standard_conversion
from analysis.cpp.types.model import (
    THREAD_GROUP,
    ArrayType,
    ClassType,
    DependentType,
    DeviceType,
    FunctionType,
    OpaqueType,
    PlaceholderType,
    PointerType,
    QualType,
    ReferenceType,
    qualifiers_of,
)
from analysis.cpp.types.qualification import are_similar, can_add_qualifiers
from analysis.ir.record import record
from analysis.ir.types import GroupType


@final
@record
class ConvertingConstructor:
    """A constructor that is not explicit and can be called with one argument, of type `parameter`."""

    function: object
    parameter: QualType


@final
@record
class ConversionFunction:
    """A conversion function of a class `owner`; `is_constant` whether it takes constant objects.

    Of a template, `result` is what it gives where a certain type is wanted.
    """

    function: object
    result: QualType
    is_constant: bool
    owner: ClassType
    is_template: bool = False
    is_explicit: bool = False


class Classes(Bases, Protocol):
    """What conversions ask about classes."""

    def converting_constructors(self, type: ClassType) -> Sequence[ConvertingConstructor]: ...
    def conversion_functions(self, type: ClassType, wanted: QualType | None) -> Sequence[ConversionFunction]:
        """Those of the bases included, where they are not hidden; of templates, those that give what is `wanted`.

        Where nothing certain is wanted, the result of a template is opaque.
        """
        ...

    def is_complete(self, type: ClassType) -> bool:
        """Whether all members are known; of any other class every conversion is possible."""
        ...


def implicit_conversion(
    classes: Classes, argument: Argument, parameter: QualType, *, allows_user: bool = True
) -> Conversion | None:
    """The sequence that initialises a parameter with the argument; None where there is none."""
    uncertain = _uncertain(classes, argument, parameter)
    if uncertain is not None:
        return uncertain
    if not _is_complete(classes, argument.type) or not _is_complete(classes, parameter.object):
        allows_user = False
    if isinstance(parameter.type, ReferenceType):
        return _bound(classes, argument, parameter.type, allows_user=allows_user)
    return _value(classes, argument, parameter, allows_user=allows_user)


def direct_conversion(classes: Classes, argument: Argument, target: QualType) -> Conversion | None:
    """How a cast or a condition makes a value of an object: explicit functions count ([over.match.conv])."""
    own = argument.type.type
    if not isinstance(own, ClassType) or isinstance(target.type, ClassType | ReferenceType):
        return implicit_conversion(classes, argument, target)
    uncertain = _uncertain(classes, argument, target)
    if uncertain is not None:
        return uncertain
    return _chosen(classes, _by_functions(classes, argument, own, target.unqualified, is_direct=True))


def _uncertain(classes: Classes, argument: Argument, parameter: QualType) -> UncertainConversion | None:
    """Whether too little is known of one of the types to tell how one becomes the other."""
    if is_open(argument) or _is_vague(parameter.object):
        return UncertainConversion()
    is_known = _is_complete(classes, argument.type) and _is_complete(classes, parameter.object)
    return None if is_known or argument.type.type == parameter.object.type else UncertainConversion(is_inexact=True)


def is_open(argument: Argument) -> bool:
    """Whether nothing is known of how the argument is converted."""
    return argument.is_assumed or _is_vague(argument.type)


def _is_vague(type: QualType) -> bool:
    match type.type:
        case DependentType() | OpaqueType() | PlaceholderType():
            return True
        case PointerType(pointee=inner) | ArrayType(element=inner):
            return _is_vague(inner)
        case _:
            return False


def _is_complete(classes: Classes, type: QualType) -> bool:
    """Whether it is known how objects of the type are converted."""
    return not isinstance(type.type, ClassType) or classes.is_complete(type.type)


def _value(classes: Classes, argument: Argument, target: QualType, *, allows_user: bool) -> Conversion | None:
    found = standard_conversion(classes, argument, target)
    if found is not None or not allows_user:
        return found
    candidates: list[UserConversion] = []
    if isinstance(target.type, ClassType):
        candidates += _by_constructors(classes, argument, target.type, target.unqualified)
    if isinstance(argument.type.type, ClassType):
        candidates += _by_functions(classes, argument, argument.type.type, target.unqualified)
    return _chosen(classes, candidates)


def _by_constructors(classes: Classes, argument: Argument, own: ClassType, target: QualType) -> list[UserConversion]:
    found: list[UserConversion] = []
    for constructor in classes.converting_constructors(own):
        first = implicit_conversion(classes, argument, constructor.parameter, allows_user=False)
        if isinstance(first, StandardConversion):
            second = StandardConversion(QualType(own), ConversionStep.IDENTITY, target)
            found.append(UserConversion(constructor.function, first, second))
    return found


def _by_functions(
    classes: Classes, argument: Argument, own: ClassType, target: QualType, *, is_direct: bool = False
) -> list[UserConversion]:
    """Conversion functions whose result becomes the target by a standard conversion; of explicit ones, by none."""
    found: list[UserConversion] = []
    for function in classes.conversion_functions(own, target):
        first = object_conversion(classes, argument, QualType(function.owner, function.is_constant))
        second = standard_conversion(classes, _result(function.result), target)
        is_explicit = function.is_explicit and (
            not is_direct or second is None or second.step is not ConversionStep.IDENTITY
        )
        if first is not None and second is not None and not is_explicit:
            found.append(UserConversion(function.function, first, second, is_template=function.is_template))
    return found


def object_conversion(classes: Bases, argument: Argument, referred: QualType) -> StandardConversion | None:
    """The object's way to the implicit object parameter of a method without `&` or `&&`: any object of the class."""
    own, owner = argument.type.type, referred.type
    if (argument.type.is_constant or argument.type.is_volatile) and not referred.is_constant:
        return None
    if not isinstance(own, ClassType) or not isinstance(owner, ClassType):
        return None
    distance = distance_to_base(classes, own, owner)
    step = ConversionStep.IDENTITY if not distance else ConversionStep.TO_BASE
    binding = Binding(False, argument.is_rvalue, referred, is_implicit_object=True)
    return StandardConversion(argument.type, step, referred, binding)


def _result(result: QualType) -> Argument:
    """What a call of a function with that result is."""
    if not isinstance(result.type, ReferenceType):
        return Argument(result)
    category = ValueCategory.XVALUE if result.type.is_rvalue else ValueCategory.LVALUE
    return Argument(result.type.referred, category)


def _chosen(classes: Classes, candidates: list[UserConversion]) -> UserConversion | None:
    """The best of several; where none is, a conversion that is ambiguous."""
    if not candidates:
        return None
    found = best(classes, candidates)
    if found is not None:
        return found
    return UserConversion(None, None, None, candidates[0].binding)


# -- references ----------------------------------------------------------------------------------------------------


def _bound(classes: Classes, argument: Argument, parameter: ReferenceType, *, allows_user: bool) -> Conversion | None:
    target = parameter.referred
    binding = Binding(parameter.is_rvalue, argument.is_rvalue, target)
    if isinstance(target.type, FunctionType):
        fits = argument.type.type == target.type
        return StandardConversion(argument.type, ConversionStep.IDENTITY, target, binding) if fits else None
    related = _related(classes, argument.type, target)
    compatible = related is not None and _fits(argument.type, target, related)
    takes_rvalues = parameter.is_rvalue or qualifiers_of(target) == (True, False)
    direct = compatible and (parameter.is_rvalue if argument.is_rvalue else not parameter.is_rvalue)
    direct = direct or (compatible and argument.is_rvalue and takes_rvalues)
    if direct and argument.bits is not None and not takes_rvalues:
        return None
    if direct and related is not None:
        return StandardConversion(argument.type, related, target, binding)
    if related is None and allows_user and isinstance(argument.type.type, ClassType):
        found = _bound_by_functions(classes, argument, argument.type.type, parameter)
        if found is not None:
            return found
    if not takes_rvalues:
        return None
    if related is not None and (not compatible or parameter.is_rvalue):
        return None  # a temporary could be made, but the standard does not allow it here
    made = _value(classes, argument, target.unqualified, allows_user=allows_user)
    temporary = replace(binding, to_rvalue=True)
    match made:
        case StandardConversion() | UserConversion():
            return replace(made, binding=temporary)
        case _:
            return made


def _related(classes: Classes, source: QualType, target: QualType) -> ConversionStep | None:
    """How an object of the source is one of the target: similar, or a base of it; None where it is not."""
    if are_similar(source, target):
        return ConversionStep.IDENTITY
    match source.type, target.type:
        case ClassType() as derived, ClassType() as base:
            return ConversionStep.TO_BASE if distance_to_base(classes, derived, base) else None
        case DeviceType(object=GroupType()), _ if target.type == THREAD_GROUP:
            return ConversionStep.TO_BASE
        case _:
            return None


def _fits(source: QualType, target: QualType, related: ConversionStep) -> bool:
    """Reference compatibility: the target has at least the source's qualifiers."""
    if any(had and not has for had, has in zip(qualifiers_of(source), qualifiers_of(target), strict=True)):
        return False
    if related is ConversionStep.TO_BASE or source.type is target.type or source.type == target.type:
        return True
    return can_add_qualifiers(QualType(PointerType(source)), QualType(PointerType(target)))


def _bound_by_functions(
    classes: Classes, argument: Argument, own: ClassType, parameter: ReferenceType
) -> UserConversion | None:
    """Conversion functions whose result the reference is bound to directly ([over.match.ref])."""
    candidates: list[UserConversion] = []
    for function in classes.conversion_functions(own, parameter.referred):
        first = object_conversion(classes, argument, QualType(function.owner, function.is_constant))
        result = _result(function.result)
        related = _related(classes, result.type, parameter.referred)
        if function.is_explicit or first is None or related is None:
            continue
        if not _fits(result.type, parameter.referred, related):
            continue
        takes_rvalues = parameter.is_rvalue or parameter.referred.is_constant
        is_direct = result.is_rvalue == parameter.is_rvalue or (result.is_rvalue and takes_rvalues)
        if is_direct:
            binding = Binding(parameter.is_rvalue, result.is_rvalue, parameter.referred)
            second = StandardConversion(result.type, related, parameter.referred, binding)
            candidates.append(UserConversion(function.function, first, second, is_template=function.is_template))
    return _chosen(classes, candidates)
