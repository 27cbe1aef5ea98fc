"""The choice among functions by the standard's rules, where the C++ types of all arguments and parameters are known.

Rules   What is not known (a type, a requirement, whether the object is `const`) leaves the choice open: None.
        A call that the standard finds ambiguous is open as well: somebody compiled the program, so there is something
        that is not seen here.
        The object of a method takes part as its first argument.
Source  C++20 standard, [over.match]; `analysis/cpp/overloads`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, final

from analysis.cpp.conversions.model import Argument, Conversion, Rank, StandardConversion, ValueCategory
from analysis.cpp.overloads.choice import Candidate, Chosen, NoneViable, choose
from analysis.cpp.types.model import QualType, qualified, reference_to
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.functions import is_for_constants
from analysis.lower.names import Declarations, FunctionDeclaration, FunctionInstance


@final
@dataclass(frozen=True, slots=True)
class Ranked:
    """The function that is meant; `is_exact`: no argument is converted."""

    index: int
    is_exact: bool


@final
@dataclass(frozen=True, slots=True)
class Object:
    """What a method is called on; `category` is None where it is not known."""

    type: QualType
    category: ValueCategory | None


@final
class NoFunction:
    """No function takes the arguments."""


NO_FUNCTION: Final = NoFunction()


IsMoreSpecial = Callable[[int, int], bool]
"""Whether the first of two candidates, which are templates, is the more specialised or more constrained one."""


def ranked(
    program: Declarations,
    instances: Sequence[FunctionInstance],
    arguments: Sequence[Argument | None],
    object: Object | None,
    is_more_special: IsMoreSpecial,
) -> Ranked | NoFunction | None:
    """Which of the instances the call means, by its number; `object` is what a method is called on."""
    known = [argument for argument in arguments if argument is not None]
    if len(known) < len(arguments):
        return None
    around = _object_of(instances, object)
    if around is None:
        return None
    candidates: list[Candidate] = []
    for index, instance in enumerate(instances):
        candidate = _candidate(index, instance, around)
        if candidate is None:
            return None
        candidates.append(candidate)

    def compared(one: Candidate, other: Candidate) -> bool:
        left, right = one.function, other.function
        return isinstance(left, int) and isinstance(right, int) and is_more_special(left, right)

    choice = choose(RecordClasses(program), candidates, [*around, *known], compared)
    if isinstance(choice, NoneViable):
        return NO_FUNCTION
    if not isinstance(choice, Chosen) or not isinstance(choice.candidate.function, int):
        return None
    return Ranked(choice.candidate.function, all(map(_is_exact, choice.conversions)))


def _is_exact(conversion: Conversion) -> bool:
    return isinstance(conversion, StandardConversion) and conversion.rank is Rank.EXACT


def _object_of(instances: Sequence[FunctionInstance], object: Object | None) -> tuple[Argument, ...] | None:
    """The object as an argument; nothing where it cannot decide, None where it could but is not known."""
    declarations = [instance.declaration for instance in instances]
    methods = [one for one in declarations if one.has_this and not one.is_constructor]
    if not methods:
        return ()
    kinds = {(is_for_constants(one), _reference_of(one)) for one in methods}
    if len(kinds) == 1 and (object is None or not object.type.is_constant) and kinds.pop()[1] is None:
        return ()
    if object is None or len(methods) < len(declarations):
        return None
    if object.category is None:
        return None if any(map(_reference_of, methods)) else (Argument(object.type, ValueCategory.LVALUE),)
    return (Argument(object.type, object.category),)


def _reference_of(declaration: FunctionDeclaration) -> str | None:
    """`&` or `&&` behind the parameters of a method."""
    found = declaration.declarator.child("ref_qualifier")
    return None if found is None else found.text.decode()


def _candidate(index: int, instance: FunctionInstance, object: tuple[Argument, ...]) -> Candidate | None:
    signature = instance.signature
    parameters: list[QualType] = []
    reference = _reference_of(instance.declaration)
    for argument in object:
        own = qualified(QualType(argument.type.type), constant=is_for_constants(instance.declaration))
        parameters.append(reference_to(own, is_rvalue=reference == "&&"))
    for parameter in signature.parameters:
        exact = parameter.declared.exact
        if exact is None or parameter.is_pack:
            return None
        parameters.append(exact)
    required = len(object) + signature.required
    is_template = bool(instance.declaration.template_parameters)
    takes_any_object = bool(object) and reference is None
    return Candidate(index, tuple(parameters), required, signature.is_variadic, is_template, takes_any_object)
