"""Overload resolution: which declaration does a call mean, with which template arguments?

Rules   A candidate must accept the number of arguments and convert every one.  The least total distance wins: 0 for the
        same type, 1 for promotion and for what is not known, 2 for other arithmetic conversions and bases, 4 for
        user-defined conversions.  A template costs a little more than a plain function; `__device__` wins a tie.
        A pointer deduced for a template parameter is generic, so that instances do not multiply by address space.
        A template whose requirements hold wins a tie against one without any.
        A tie that this does not settle, and a candidate whose requirements are not known, make rivals: the callee
        must not be guessed (`either.py`).  References to the same type are told apart by what the argument is: an
        object or a value, `const` or not.  Where that is not known (behind a pointer, in a template), they are rivals,
        as are methods that differ in `const`, unless their bodies are the same; the one for any other object comes
        first, since what it returns can be written to.
        Of two templates the more special one wins a tie: its parameters match those of the other, not the reverse.
Limits  Of SFINAE, `enable_if` alone is evaluated (`substitution.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from analysis.cpp.conversions import model as cpp
from analysis.cpp.templates.functions import FunctionTemplate, are_alike, is_more_specialised
from analysis.cpp.types.model import ArrayType as ArrayOf
from analysis.cpp.types.model import FunctionType, QualType
from analysis.ir.pace import paced
from analysis.ir.types import (
    ArrayType,
    IntegerType,
    MemorySpace,
    PointerType,
    Type,
    UnknownType,
)
from analysis.lower.binding import Argument, ArgumentType, binds_better, is_open, may_bind, refer_to_objects
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.constraint_order import is_function_more_constrained
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversion_distance import conversion_distance, without_space
from analysis.lower.cpp_types import ir_type
from analysis.lower.exact_arguments import named as exact_name
from analysis.lower.exact_deduction import NotDeduced, deduced_instance, deduced_types, exact_template
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
    ArgumentPack,
    Closure,
    ConstantName,
    Declarations,
    DeclaredType,
    FunctionDeclaration,
    FunctionInstance,
    PackPattern,
    ParameterDeclaration,
    Signature,
    TemplateArgument,
    TemplateValue,
    TypeName,
)
from analysis.lower.ranked_choice import NO_FUNCTION, Described, NoFunction, Object, ranked
from analysis.lower.requirements import is_callable, is_required
from analysis.lower.substitution import extents, is_substitution_failure
from analysis.lower.templates import deduce, deduce_argument, deduce_pack
from analysis.lower.types import spelled_argument
from analysis.lower.value_arguments import fits

MAX_INSTANCES = 48
"""A template with more instances than this is taken to recurse without end: further calls of it are opaque."""


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """`is_certain`: its requirements are known to hold; `rivals` are others that may be meant instead."""

    instance: FunctionInstance
    distance: float
    is_certain: bool = True
    rivals: tuple[FunctionInstance, ...] = ()
    conversions: float = 0.0
    """The distance of the arguments alone."""


def choose(
    ctx: LoweringContext,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    operands: Sequence[Operand],
    object: LValue | None = None,
) -> Choice | None:
    """The best candidate for these arguments, instantiated; `object` is what a method is called on.

    None where none fits.
    """
    arguments = [_argument(ctx, operand) for operand in operands]
    return _choose(ctx.program, declarations, explicit, arguments, _object(ctx, object))


def _argument(ctx: LoweringContext, operand: Operand) -> Argument:
    type = operand if isinstance(operand, Closure) else ctx.type_of(operand)
    exact = argument_of(ctx, operand)
    if isinstance(operand, LValue):
        is_lvalue = False if operand.is_temporary or operand.is_expiring else True if operand.is_lvalue else None
        return Argument(type, False, is_lvalue, operand.is_constant, exact)
    if isinstance(operand, int):
        is_lvalue = None if operand in ctx.named or operand in ctx.chosen or operand in ctx.objects else False
        return Argument(type, operand in ctx.zeros, is_lvalue, exact=exact)
    return Argument(type)


def _object(ctx: LoweringContext, object: LValue | None) -> Object | None:
    type, known = ctx.exact_type(object), None if object is None else argument_of(ctx, object)
    return None if type is None else Object(type, None if known is None else known.category)


def argument_of(ctx: LoweringContext, operand: Operand) -> cpp.Argument | None:
    """The argument as the standard sees it; None where its type is not known, or whether it is an object."""
    type = ctx.exact_type(operand)
    if type is None:
        return None
    if isinstance(operand, LValue):
        if operand.is_lvalue:
            bits = None if operand.bits is None else operand.bits.width
            return cpp.Argument(type, cpp.ValueCategory.LVALUE, bits=bits)
        if operand.is_expiring:
            return cpp.Argument(type, cpp.ValueCategory.XVALUE)
        return cpp.Argument(type, cpp.ValueCategory.PRVALUE) if operand.is_temporary else None
    assert isinstance(operand, int)
    chosen = ctx.chosen_between.get(operand)
    if chosen is not None:
        return chosen
    if operand in ctx.objects or isinstance(type.type, ArrayOf | FunctionType):
        return cpp.Argument(type, cpp.ValueCategory.LVALUE)
    if operand in ctx.named and type.is_constant:
        return cpp.Argument(type, cpp.ValueCategory.LVALUE)
    if operand in ctx.chosen:
        return None
    return cpp.Argument(type, cpp.ValueCategory.PRVALUE, operand in ctx.zeros)


def choose_by_types(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[ArgumentType],
    exact: Sequence[cpp.Argument | None] = (),
) -> Choice | None:
    """The best candidate for arguments of these types, of which `exact` says more where it is known."""
    known = exact or [None] * len(arguments)
    given = [Argument(type, exact=each) for type, each in zip(arguments, known, strict=True)]
    return _choose(program, declarations, explicit, given)


def choose_for(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Argument],
    object: Object | None,
) -> Choice | None:
    """The best candidate for arguments of which this is known; `object` is what a method is called on."""
    return _choose(program, declarations, explicit, arguments, object)


def choose_exactly(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[cpp.Argument],
    object: Object | None = None,
) -> FunctionInstance | NoFunction | None:
    """The function that a call with these arguments means by the standard's rules alone; None where that is open."""
    given = [Argument(ir_type(exact_name(each.type)), each.is_null, exact=each) for each in arguments]
    candidates = _candidates(program, declarations, explicit, given)
    if not candidates:
        return NO_FUNCTION
    decided = _ranked(program, candidates, given, object)
    return _specialised(program, declarations, decided).instance if isinstance(decided, Choice) else decided


def _choose(
    program: Declarations,
    declarations: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Argument],
    object: Object | None = None,
) -> Choice | None:
    candidates = _candidates(program, declarations, explicit, arguments)
    is_operator = bool(candidates) and candidates[0].instance.declaration.name.startswith("operator")
    if len(candidates) > 1 or is_operator:
        decided = _ranked(program, candidates, arguments, object)
        if isinstance(decided, Choice):
            return _specialised(program, declarations, decided)
        if decided is not None and is_operator:
            return None  # the built-in operator is meant
    fitting = [choice for one in candidates if (choice := _consider(program, one, arguments)) is not None]
    if fitting:
        nearest = [one for one in fitting if not any(_is_beaten(one, other, arguments) for other in fitting)]
        return _specialised(program, declarations, _best(nearest, arguments))
    decided = _ranked(program, candidates, arguments, object) if len(candidates) == 1 else None
    if isinstance(decided, Choice):
        return _specialised(program, declarations, decided)
    named = _specialisation(declarations, [spelled_argument(argument) for argument in explicit])
    return None if named is None else Choice(instantiate(named, {}), 0.0)


def _is_open(one: Choice, other: Choice, arguments: Sequence[Argument]) -> bool:
    is_tie = one.conversions == other.conversions
    return is_tie and is_open(one.instance.signature, other.instance.signature, arguments)


def _is_beaten(one: Choice, other: Choice, arguments: Sequence[Argument]) -> bool:
    return binds_better(other.instance.signature, one.instance.signature, arguments)


def _best(fitting: Sequence[Choice], arguments: Sequence[Argument]) -> Choice:
    """The first of the nearest candidates, certain unless another one may be meant."""
    best = min(fitting, key=lambda choice: choice.distance)
    for choice in fitting:
        if choice.distance == best.distance and _comes_before(choice.instance, best.instance):
            best = choice
    rivals = [
        choice.instance
        for choice in fitting
        if choice is not best
        and (
            choice.distance == best.distance
            or not (choice.is_certain and best.is_certain)
            or _is_open(choice, best, arguments)
        )
        and _differ(best.instance, choice.instance)
        and not (choice.is_certain and best.is_certain and _is_more_special(best.instance, choice.instance))
    ]
    return Choice(best.instance, best.distance, best.is_certain, tuple(rivals))


def _comes_before(one: FunctionInstance, other: FunctionInstance) -> bool:
    """Of two candidates that are equally near."""
    if one.declaration.has_this and is_for_constants(other.declaration) and not is_for_constants(one.declaration):
        return True
    return _is_more_special(one, other)


def _is_more_special(one: FunctionInstance, other: FunctionInstance) -> bool:
    """Partial ordering: the parameters of `one` are arguments that `other` takes, but not the other way round."""
    return _takes(other.declaration, one.declaration) and not _takes(one.declaration, other.declaration)


def _takes(one: FunctionDeclaration, other: FunctionDeclaration) -> bool:
    """Whether template `one` could be called with the parameters of `other` as they are declared."""
    patterns, actuals = generic_signature(one).parameters, generic_signature(other).parameters
    if not one.template_parameters or not other.template_parameters or len(patterns) != len(actuals):
        return False
    if any(parameter.is_pack for parameter in (*patterns, *actuals)):
        return False
    program = one.scope.program
    return all(
        deduce_argument(program, TypeName(pattern.declared), TypeName(actual.declared), {})
        for pattern, actual in zip(patterns, actuals, strict=True)
    )


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


def argument_types(ctx: LoweringContext, operands: Sequence[Operand]) -> list[ArgumentType]:
    return [operand if isinstance(operand, Closure) else ctx.type_of(operand) for operand in operands]


def exact_operands(ctx: LoweringContext, operands: Sequence[Operand]) -> list[cpp.Argument | None]:
    return [argument_of(ctx, operand) for operand in operands]


@final
@dataclass(frozen=True, slots=True)
class _Candidate:
    """A function that takes so many arguments; `is_certain`: what it requires is known to hold."""

    instance: FunctionInstance
    generic: Signature
    is_certain: bool
    penalty: float
    template: FunctionTemplate | None = None
    parameters: tuple[QualType | None, ...] | None = None
    """As `cpp.templates` deduces them; `template` is None where it cannot."""


def _ranked(
    program: Declarations, candidates: Sequence[_Candidate], arguments: Sequence[Argument], object: Object | None
) -> Choice | NoFunction | None:
    """What the standard's rules choose; None where too little is known for them."""
    if not all(candidate.is_certain for candidate in candidates):
        return None
    instances = [candidate.instance for candidate in candidates]

    def is_more_special(one: int, other: int) -> bool:
        templates = candidates[one].template, candidates[other].template
        if templates[0] is not None and templates[1] is not None:
            count, classes = len(arguments), RecordClasses(program)
            if is_more_specialised(classes, templates[0], templates[1], count):
                return True
            if is_more_specialised(classes, templates[1], templates[0], count):
                return False
            return are_alike(templates[0], templates[1]) and is_more_constrained(one, other)
        left, right = instances[one], instances[other]
        if _is_more_special(left, right) or _is_more_special(right, left):
            return _is_more_special(left, right)
        return is_more_constrained(one, other)

    def is_more_constrained(one: int, other: int) -> bool:
        return is_function_more_constrained(instances[one].declaration, instances[other].declaration)

    described = [Described(one.instance, one.parameters, one.generic.required) for one in candidates]
    found = ranked(program, described, _exactly(arguments), object, is_more_special)
    if found is None or isinstance(found, NoFunction):
        return found
    instance = for_groups(instances[found.index], [argument.type for argument in arguments])
    return Choice(instance, 0.0 if found.is_exact else 1.0)


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
    passed: Sequence[Argument],
) -> _Candidate | None:
    arguments = [argument.type for argument in passed]
    generic = generic_signature(declaration)
    if not generic.accepts(len(arguments)) or any(parameter.is_pack for parameter in generic.parameters[:-1]):
        return None
    template: FunctionTemplate | None = None
    parameters: tuple[QualType | None, ...] | None = None
    penalty = 0.25 if generic.parameters and generic.parameters[-1].is_pack else 0.0
    is_certain = True
    if declaration.template_parameters:
        if not _takes_explicit(declaration, explicit):
            return None
        penalty += 0.5
        named = bind_explicit(declaration, explicit)
        is_partial = len(named) < len(declaration.template_parameters) or _has_pack(declaration)
        written = set(named)
        template = exact_template(program, declaration, generic)
        exact = None if template is None else deduced_instance(program, template, explicit, _exactly(passed))
        if isinstance(exact, NotDeduced):
            return None
        if exact is not None:
            named |= deduced_types(program, exact)
            is_partial = is_partial and not all(each.name in named for each in declaration.template_parameters)
        if is_partial and not deduce_all(program, generic, arguments, named):
            return None
        refer_to_objects(declaration, generic, passed, named, written)
        if len(declaration.instances) >= MAX_INSTANCES:
            return None
        instance = instantiate(declaration, named)
        if is_substitution_failure(declaration, instance):
            return None
        if exact is not None:
            parameters = _parameters(instance, exact.parameters)
    else:
        instance = instantiate(declaration, {})
    if is_required(declaration):
        answer = is_callable(instance)
        if answer is False:
            return None
        is_certain = answer is True
        penalty -= 0.125
    if not declaration.item.is_device and not declaration.item.is_constexpr:
        penalty += 0.25
    return _Candidate(instance, generic, is_certain, penalty, template, parameters)


def _exactly(passed: Sequence[Argument]) -> list[cpp.Argument | None]:
    return [argument.exact for argument in passed]


def _parameters(instance: FunctionInstance, deduced: Sequence[QualType]) -> tuple[QualType | None, ...]:
    """The deduced types; what depends on more than deduction is as the instance declares it."""
    declared = [parameter.declared.exact for parameter in instance.signature.parameters]
    if len(declared) != len(deduced):
        return tuple(None if depends_on_more(one) else one for one in deduced)
    return tuple(other if depends_on_more(one) else one for one, other in zip(deduced, declared, strict=True))


def _consider(program: Declarations, candidate: _Candidate, passed: Sequence[Argument]) -> Choice | None:
    """How far the arguments are from the parameters; None where one does not convert."""
    instance, generic = candidate.instance, candidate.generic
    conversions = 0.0
    for number, (parameter, argument) in enumerate(zip(instance.signature.parameters, passed, strict=False)):
        pattern = generic.parameters[min(number, len(generic.parameters) - 1)].declared
        if not may_bind(instance.declaration, pattern, parameter.declared, argument):
            return None
        distance = conversion_distance(program, parameter.declared, argument.type)
        is_number = isinstance(argument.type, IntegerType) and argument.is_null is False
        if distance is None or (is_number and isinstance(parameter.declared.type, PointerType)):
            return None
        conversions += distance
    total = candidate.penalty + conversions
    groups = for_groups(instance, [argument.type for argument in passed])
    return Choice(groups, total, candidate.is_certain, conversions=conversions)


def _takes_explicit(declaration: FunctionDeclaration, explicit: Sequence[TemplateArgument]) -> bool:
    """Whether template arguments that are written out are types where types are declared, and not too many."""
    for index, argument in enumerate(explicit):
        if index >= len(declaration.template_parameters):
            return False
        parameter = declaration.template_parameters[index]
        if parameter.is_pack or isinstance(argument, PackPattern):
            return True
        is_value = isinstance(argument, ConstantName | TemplateValue)
        is_type = isinstance(argument, TypeName) and not isinstance(argument.declared.type, UnknownType)
        if is_type and not parameter.is_type:
            return False
        if is_value and parameter.is_type:
            return False
        if not fits(declaration.scope, parameter, argument):
            return False
    return True


def _has_pack(declaration: FunctionDeclaration) -> bool:
    return any(parameter.is_pack for parameter in declaration.template_parameters)


def deduce_all(
    program: Declarations, generic: Signature, arguments: Sequence[ArgumentType], named: dict[str, TemplateArgument]
) -> bool:
    """Adds to `named` what the arguments say about the template parameters; False where they cannot agree."""
    for index, (parameter, argument) in enumerate(zip(generic.parameters, arguments, strict=False)):
        if parameter.is_pack:
            return _deduce_pack(program, parameter, arguments[index:], named)
        if argument is None or isinstance(argument, Closure | UnknownType):
            continue
        found: dict[str, TemplateArgument] = {}
        if not deduce(program, parameter.declared.type, as_deduced(parameter, argument), found):
            return False
        for name, value in (found | extents(parameter, argument)).items():
            named.setdefault(name, value)
    return True


def as_deduced(parameter: ParameterDeclaration, argument: Type) -> Type:
    if isinstance(argument, ArrayType) and not parameter.declared.is_reference:
        argument = PointerType(argument.element, MemorySpace.GENERIC)
    return without_space(argument)


def _deduce_pack(
    program: Declarations,
    parameter: ParameterDeclaration,
    arguments: Sequence[ArgumentType],
    named: dict[str, TemplateArgument],
) -> bool:
    """The packs in the type of a function parameter pack; what is written explicitly comes first."""
    actuals: list[TemplateArgument] = []
    for argument in arguments:
        if argument is None:
            return False
        is_closure = isinstance(argument, Closure)
        type = UnknownType("lambda") if is_closure else as_deduced(parameter, argument)
        actuals.append(TypeName(DeclaredType(type)))
    found: dict[str, TemplateArgument] = {}
    if not deduce_pack(program, PackPattern(TypeName(DeclaredType(parameter.declared.type))), actuals, found):
        return False
    for name, value in found.items():
        written = named.get(name)
        first = written.elements if isinstance(written, ArgumentPack) else ()
        named[name] = (
            ArgumentPack((*first, *value.elements[len(first) :])) if isinstance(value, ArgumentPack) else value
        )
    return True
