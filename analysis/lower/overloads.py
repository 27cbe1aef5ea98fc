"""Overload resolution: which declaration does a call mean, with which template arguments?

Rules   The standard's rules choose (`analysis/cpp/overloads`), among the declarations that the call names and the
        instances that `analysis/cpp/templates` deduces.  The object of a method takes part as its first argument.
        What is not known (a type, whether something is an object, a requirement) decides nothing: the candidates that
        are left are rivals, and the callee must not be guessed (`either.py`), unless their bodies are the same.  A call
        that the standard finds ambiguous is open as well: somebody compiled the program, so there is something that is
        not seen here.  Of rivals, those that run on the device hide the others, and a method that may change its object
        comes first, since what it returns can be written to.
Limits  Of SFINAE, `enable_if` alone is evaluated (`substitution.py`).
Source  C++20 standard, [over.match].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from analysis.cpp.conversions.model import Argument, Conversion, Rank, StandardConversion, ValueCategory
from analysis.cpp.overloads.choice import Ambiguous, Candidate, Chosen, NoneViable, Undecided
from analysis.cpp.overloads.choice import choose as choose_candidate
from analysis.cpp.templates.functions import FunctionTemplate, are_alike, is_more_specialised
from analysis.cpp.types.model import (
    CLOSURE,
    ArrayType,
    ClassType,
    FunctionType,
    OpaqueType,
    QualType,
    qualified,
    reference_to,
)
from analysis.ir.ids import ValueId
from analysis.ir.pace import paced
from analysis.ir.types import UnknownType
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.closure_classes import closure_class
from analysis.lower.constraint_order import is_function_more_constrained
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.cpp_types import assumed, ir_type
from analysis.lower.exact_arguments import structured_argument, structured_or_opaque
from analysis.lower.exact_deduction import NotDeduced, bound_arguments, deduced_instance, exact_template
from analysis.lower.exact_deduction import is_open as depends_on_more
from analysis.lower.function_specialisations import specialisation_of
from analysis.lower.functions import (
    bind_explicit,
    for_groups,
    generic_signature,
    instantiate,
    is_for_constants,
    is_specialisation,
    specialised_for,
)
from analysis.lower.names import (
    Closure,
    ConstantName,
    Declarations,
    FunctionDeclaration,
    FunctionInstance,
    GlobalVariable,
    MemberAddress,
    PackPattern,
    TemplateArgument,
    TemplateValue,
    TypeName,
    VariableAddress,
)
from analysis.lower.requirements import is_callable, is_required
from analysis.lower.substitution import is_substitution_failure
from analysis.lower.types import spelled_argument
from analysis.lower.value_arguments import fits

MAX_INSTANCES = 48
"""A template with more instances than this is taken to recurse without end: further calls of it are opaque."""


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """`is_certain`: its requirements are known to hold; `rivals` are others that may be meant instead.

    `is_exact`: it is known that no argument is converted.
    """

    instance: FunctionInstance
    is_exact: bool
    is_certain: bool = True
    rivals: tuple[FunctionInstance, ...] = ()


@final
class NoFunction:
    """No function takes the arguments."""


NO_FUNCTION: Final = NoFunction()


def choose(
    ctx: LoweringContext,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    operands: Sequence[Operand],
    object: LValue | None = None,
) -> Choice | None:
    """The best candidate for these operands, instantiated; `object` is what a method is called on.

    None where none fits.
    """
    arguments = [argument_of(ctx, operand) for operand in operands]
    whole = None if object is None else argument_of(ctx, object)
    return choose_for(ctx.program, declarations, explicit, arguments, whole)


def argument_of(ctx: LoweringContext, operand: Operand) -> Argument:
    """The operand as the standard sees it."""
    if isinstance(operand, Closure):
        record = closure_class(ctx.program, operand)
        return Argument(QualType(CLOSURE) if record is None else QualType(ClassType(record.name)))
    if operand is None:
        return UNKNOWN
    known = known_argument(ctx, operand)
    if known is not None:
        return known
    type = ctx.exact_type(operand) or assumed(ctx.builder.types[operand] if isinstance(operand, int) else operand.type)
    is_null = isinstance(operand, int) and operand in ctx.zeros
    return Argument(type, ValueCategory.LVALUE, is_null, is_assumed=True)


def known_argument(ctx: LoweringContext, operand: LValue | ValueId) -> Argument | None:
    """The operand where its type is known, and whether it is an object; None for any other."""
    type = ctx.exact_type(operand)
    if type is None:
        return None
    if isinstance(operand, LValue):
        bits = None if operand.bits is None else operand.bits.width
        return None if operand.category is None else Argument(type, operand.category, bits=bits)
    chosen = ctx.chosen_between.get(operand)
    if chosen is not None:
        return chosen
    if operand in ctx.objects or isinstance(type.type, ArrayType | FunctionType):
        return Argument(type, ValueCategory.LVALUE)
    if operand in ctx.named and type.is_constant:
        return Argument(type, ValueCategory.LVALUE)
    if operand in ctx.chosen:
        return None
    return Argument(type, ValueCategory.PRVALUE, operand in ctx.zeros)


UNKNOWN: Final = Argument(QualType(OpaqueType("?")))
"""An argument of which nothing is known, as a list in braces."""


def choose_exactly(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Argument],
    object: Argument | None = None,
) -> FunctionInstance | NoFunction | None:
    """The function that a call with these arguments means by the standard's rules alone; None where that is open."""
    candidates = _candidates(program, declarations, explicit, arguments)
    if not candidates:
        return NO_FUNCTION
    found = _ranked(program, candidates, arguments, object)
    if isinstance(found, NoFunction):
        return found
    is_open = not found.is_decided or not found.best[0].is_certain
    return None if is_open else _choice(program, declarations, found, arguments).instance


def choose_for(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Argument],
    object: Argument | None = None,
) -> Choice | None:
    """The best candidate for these arguments; `object` is what a method is called on."""
    candidates = _candidates(program, declarations, explicit, arguments)
    found = _ranked(program, candidates, arguments, object) if candidates else NO_FUNCTION
    if not isinstance(found, NoFunction):
        return _choice(program, declarations, found, arguments)
    named = None if candidates else _specialisation(declarations, [spelled_argument(argument) for argument in explicit])
    return None if named is None else Choice(instantiate(named, {}), is_exact=True)


def _choice(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    found: _Ranked,
    arguments: Sequence[Argument],
) -> Choice:
    """The first of the best candidates, and those of the others that do something else."""
    stored = [ir_type(argument.type) for argument in arguments]
    best, *others = [for_groups(one.instance, stored) for one in found.best]
    rivals = tuple(other for other in others if _differ(best, other))
    choice = Choice(best, found.is_exact, found.best[0].is_certain, rivals)
    return _specialised(program, declarations, choice)


def _differ(one: FunctionInstance, other: FunctionInstance) -> bool:
    """Whether two candidates are neither the same text nor a method's `const` and other form with the same body."""
    if one.declaration.snippet.text == other.declaration.snippet.text and one.declaration.owner is None:
        return False
    parameters = [[each.declared for each in instance.signature.parameters] for instance in (one, other)]
    is_pair = one.declaration.owner is not None and one.declaration.owner is other.declaration.owner
    is_template = bool(one.declaration.template_parameters or other.declaration.template_parameters)
    bodies = [None if body is None else body.text for body in (one.declaration.body, other.declaration.body)]
    return not (is_pair and parameters[0] == parameters[1] and not is_template and bodies[0] == bodies[1])


def _specialised(program: Declarations, declarations: Sequence[FunctionDeclaration], choice: Choice) -> Choice:
    """The explicit specialisation for the arguments of the chosen template, where there is one."""
    if not choice.instance.declaration.template_parameters:
        return choice
    found = specialisation_of(program, declarations, choice.instance)
    possible = tuple(instantiate(each, {}) for each in found.possible)
    instance = choice.instance if found.function is None else instantiate(found.function, {})
    return replace(choice, instance=instance, rivals=(*choice.rivals, *possible))


def _specialisation(declarations: Sequence[FunctionDeclaration], bound: Sequence[str]) -> FunctionDeclaration | None:
    """The explicit specialisation for these arguments; trailing ones may be left to deduction."""
    for declaration in declarations if bound else ():
        wanted = specialised_for(declaration)
        if wanted and [spelled_argument(argument) for argument in wanted] == list(bound[: len(wanted)]):
            return declaration
    return None


# -- ranking -----------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class _Candidate:
    """A function that takes so many arguments; `is_certain`: what it requires is known to hold.

    `parameters` are as deduced for the call; `template` is None for a function that is none.
    """

    instance: FunctionInstance
    required: int
    is_certain: bool
    template: FunctionTemplate | None
    parameters: tuple[QualType, ...]


@final
@dataclass(frozen=True, slots=True)
class _Ranked:
    """The candidates that may be meant; `is_decided` where the rules leave one."""

    best: tuple[_Candidate, ...]
    is_decided: bool
    is_exact: bool


def _ranked(
    program: Declarations, candidates: Sequence[_Candidate], arguments: Sequence[Argument], object: Argument | None
) -> _Ranked | NoFunction:
    classes = RecordClasses(program)
    whole = _object(program, [one.instance.declaration for one in candidates], object)
    known = [*whole, *(structured_argument(program, argument) for argument in arguments)]

    def is_more_special(one: Candidate, other: Candidate) -> bool:
        left, right = candidates[_index(one)], candidates[_index(other)]
        if left.template is not None and right.template is not None:
            if is_more_specialised(classes, left.template, right.template, len(arguments)):
                return True
            if is_more_specialised(classes, right.template, left.template, len(arguments)):
                return False
            if not are_alike(left.template, right.template):
                return False
        return is_function_more_constrained(left.instance.declaration, right.instance.declaration)

    described = [_described(index, one, whole) for index, one in enumerate(candidates)]
    found = choose_candidate(classes, described, known, is_more_special)
    match found:
        case NoneViable():
            return NO_FUNCTION
        case Chosen(candidate=candidate, conversions=conversions):
            return _Ranked((candidates[_index(candidate)],), True, all(map(_is_exact, conversions)))
        case Ambiguous(candidates=left) | Undecided(candidates=left):
            best = [candidates[_index(one)] for one in left]
            on_device = [one for one in best if _runs_on_device(one.instance.declaration)] or best
            on_device.sort(key=lambda one: is_for_constants(one.instance.declaration))
            return _Ranked(tuple(on_device), len(on_device) == 1 and isinstance(found, Ambiguous), False)


def _index(candidate: Candidate) -> int:
    assert isinstance(candidate.function, int)
    return candidate.function


def _is_exact(conversion: Conversion) -> bool:
    return isinstance(conversion, StandardConversion) and conversion.rank is Rank.EXACT


def _runs_on_device(declaration: FunctionDeclaration) -> bool:
    return declaration.item.is_device or declaration.item.is_constexpr


def _object(
    program: Declarations, declarations: Sequence[FunctionDeclaration], object: Argument | None
) -> tuple[Argument, ...]:
    """The object as an argument; nothing where it cannot decide."""
    methods = [one for one in declarations if one.has_this and not one.is_constructor]
    kinds = {(is_for_constants(one), _reference_of(one)) for one in methods}
    if not methods or (len(kinds) == 1 and (object is None or not object.type.is_constant) and kinds.pop()[1] is None):
        return ()
    return (UNKNOWN if object is None else structured_argument(program, object),)


def _reference_of(declaration: FunctionDeclaration) -> str | None:
    """`&` or `&&` behind the parameters of a method."""
    found = declaration.declarator.child("ref_qualifier")
    return None if found is None else found.text.decode()


def _described(index: int, candidate: _Candidate, object: tuple[Argument, ...]) -> Candidate:
    declaration = candidate.instance.declaration
    reference = _reference_of(declaration)
    own = [
        reference_to(
            qualified(QualType(argument.type.type), constant=is_for_constants(declaration)), is_rvalue=reference == "&&"
        )
        for argument in object
    ]
    return Candidate(
        index,
        (*own, *candidate.parameters),
        len(object) + candidate.required,
        candidate.instance.signature.is_variadic,
        is_template=bool(declaration.template_parameters),
        takes_any_object=bool(object) and reference is None,
        ignores_object=bool(object) and not declaration.has_this,
        is_certain=candidate.is_certain,
    )


# -- candidates --------------------------------------------------------------------------------------------------------


def _candidates(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Argument],
) -> list[_Candidate]:
    candidates: list[_Candidate] = []
    for declaration in paced(dict.fromkeys(declarations), 50):  # several look-ups may have found one
        if not declaration.template_parameters and (explicit or is_specialisation(declaration)):
            continue
        candidate = _candidate(program, declaration, explicit, arguments)
        if candidate is not None:
            candidates.append(candidate)
    return candidates


def _candidate(
    program: Declarations,
    declaration: FunctionDeclaration,
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Argument],
) -> _Candidate | None:
    generic = generic_signature(declaration)
    if not generic.accepts(len(arguments)) or any(parameter.is_pack for parameter in generic.parameters[:-1]):
        return None
    if declaration.template_parameters:
        if not _takes_explicit(declaration, explicit) or len(declaration.instances) >= MAX_INSTANCES:
            return None
        template = exact_template(program, declaration, generic)
        deduced = deduced_instance(program, template, explicit, arguments)
        if isinstance(deduced, NotDeduced):
            return None
        instance = instantiate(declaration, bound_arguments(program, deduced, bind_explicit(declaration, explicit)))
        if is_substitution_failure(declaration, instance):
            return None
        parameters = _as_declared(program, instance, deduced.parameters)
    else:
        template, instance = None, instantiate(declaration, {})
        parameters = _declared(program, instance)
    answer = is_callable(instance) if is_required(declaration) else True
    if answer is False:
        return None
    return _Candidate(instance, generic.required, answer is True, template, parameters)


def _declared(program: Declarations, instance: FunctionInstance) -> tuple[QualType, ...]:
    return tuple(structured_or_opaque(program, each.declared) for each in instance.signature.parameters)


def _as_declared(
    program: Declarations, instance: FunctionInstance, deduced: Sequence[QualType]
) -> tuple[QualType, ...]:
    """The deduced types; what depends on more than deduction is as the instance declares it."""
    declared = _declared(program, instance)
    if len(declared) != len(deduced):
        return tuple(deduced)
    return tuple(other if depends_on_more(one) else one for one, other in zip(deduced, declared, strict=True))


_VALUES = ConstantName | TemplateValue | GlobalVariable | VariableAddress | MemberAddress


def _takes_explicit(declaration: FunctionDeclaration, explicit: Sequence[TemplateArgument]) -> bool:
    """Whether template arguments that are written out are types where types are declared, and not too many."""
    for index, argument in enumerate(explicit):
        if index >= len(declaration.template_parameters):
            return False
        parameter = declaration.template_parameters[index]
        if parameter.is_pack or isinstance(argument, PackPattern):
            return True
        is_value = isinstance(argument, _VALUES)
        is_type = isinstance(argument, TypeName) and not isinstance(argument.declared.type, UnknownType)
        if is_type and not parameter.is_type:
            return False
        if is_value and parameter.is_type:
            return False
        if not fits(declaration.scope, parameter, argument):
            return False
    return True
