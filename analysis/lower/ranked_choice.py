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
from analysis.lower.exact_arguments import structured, structured_argument
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
class Described:
    """A candidate: `parameters` are as deduced for the call, None where the instance's signature says them."""

    instance: FunctionInstance
    parameters: tuple[QualType | None, ...] | None
    required: int


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
    described: Sequence[Described],
    arguments: Sequence[Argument | None],
    object: Object | None,
    is_more_special: IsMoreSpecial,
) -> Ranked | NoFunction | None:
    """Which of the candidates the call means, by its number; `object` is what a method is called on."""
    known = [each for argument in arguments if (each := structured_argument(program, argument)) is not None]
    if len(known) < len(arguments):
        return None
    if object is not None:
        type = structured(program, object.type)
        object = None if type is None else Object(type, object.category)
    around = _object_of([one.instance for one in described], object)
    if around is None:
        return None
    candidates: list[Candidate] = []
    for index, one in enumerate(described):
        candidate = _candidate(program, index, one, around)
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


def _candidate(
    program: Declarations, index: int, described: Described, object: tuple[Argument, ...]
) -> Candidate | None:
    instance = described.instance
    signature, declaration = instance.signature, instance.declaration
    reference = _reference_of(declaration)
    parameters: list[QualType] = []
    for argument in object:
        own = qualified(QualType(argument.type.type), constant=is_for_constants(declaration))
        parameters.append(reference_to(own, is_rvalue=reference == "&&"))
    own_parameters = described.parameters
    if own_parameters is None:
        if any(parameter.is_pack for parameter in signature.parameters):
            return None
        own_parameters = tuple(parameter.declared.exact for parameter in signature.parameters)
    for exact in own_parameters:
        known = None if exact is None else structured(program, exact)
        if known is None:
            return None
        parameters.append(known)
    required = len(object) + described.required
    is_template = bool(declaration.template_parameters)
    takes_any_object = bool(object) and reference is None
    return Candidate(index, tuple(parameters), required, signature.is_variadic, is_template, takes_any_object)
