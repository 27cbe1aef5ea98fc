"""Calls of functions whose declarations are visible, of builtins, and of what is not known.

Rules   A call of a function with a body is a `Call`; its arguments have exactly the parameters' types.
        A call that passes a lambda is lowered in place, so that the lambda's body is seen; so is the standard library.
        Anything else is `Opaque` and may contain a barrier; the local variables passed to it may have been references,
        so they hold unknown values afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.types.model import ClassType, EnumerationType, QualType, qualified
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Call, DeviceLaunch
from analysis.ir.instructions import Opaque as OpaqueInstruction
from analysis.ir.source import Span
from analysis.ir.types import (
    S32,
    ArrayType,
    HandleType,
    MemorySpace,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VoidType,
)
from analysis.lower.builtins import BuiltinCall, BuiltinFunction, Literal, is_known_by_address, no_literal
from analysis.lower.builtins.atomic_objects import is_atomic_object
from analysis.lower.chosen_calls import Arm, call_one
from analysis.lower.class_numbers import class_of, number_of_class, set_class
from analysis.lower.closure_objects import call_closure_object
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.copies import (
    copies_by_code,
    copy_constructor,
    copy_runs_code,
    moves_parts,
    part_with_copy_constructor,
)
from analysis.lower.cpp_types import of_library
from analysis.lower.either import MOST, either
from analysis.lower.elision import only_return
from analysis.lower.expressions.arguments import converted_object, passed_argument
from analysis.lower.expressions.dispatch import captured, load, lower, temporary
from analysis.lower.expressions.members import downcast, element_place, member_place, upcast
from analysis.lower.functions import for_class, instantiate, is_deduced, is_for_constants
from analysis.lower.inlining import inline_closure, inline_instance, named_code, returned_operand
from analysis.lower.library.source import is_library
from analysis.lower.lifetimes import (
    ends_by_code,
    ends_somewhere,
    is_passed_by_address,
    result_begins,
    temporary_begins,
)
from analysis.lower.lookup import builtin_arguments
from analysis.lower.names import (
    Closure,
    FunctionDeclaration,
    FunctionInstance,
    PackPattern,
    ParameterDeclaration,
    Record,
    TemplateArgument,
    TemplateValue,
    TypeName,
)
from analysis.lower.overloads import Choice, choose
from analysis.lower.records import is_derived, methods_named, written_constructors
from analysis.lower.types import spelled
from analysis.lower.virtual_calls import final_overrider, is_dispatched, is_polymorphic, most_derived
from analysis.syntax.tree import Node


def call_functions(
    ctx: LoweringContext,
    name: str,
    declarations: Sequence[FunctionDeclaration],
    builtin: BuiltinFunction | None,
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Operand],
    span: Span,
    literal: Callable[[int], Literal] = no_literal,
) -> Operand:
    """A call by name of one of these functions."""
    choice = None
    if declarations or any(isinstance(argument, Closure) for argument in arguments):  # whose class is declared here
        choice = choose(ctx, declarations, explicit, arguments)
    if builtin is not None and (choice is None or not choice.is_exact or not _has_body(choice)):
        return call_builtin(ctx, builtin, arguments, explicit, span, literal=literal)
    if choice is None:
        return unknown_call(ctx, f"call of unknown function {name}", arguments, span)
    if not _has_body(choice):
        returns = choice.instance.signature.returns.stored
        return unknown_call(ctx, f"call of {name}, whose body is not visible", arguments, span, returns)
    return call_one_of(ctx, name, choice, None, arguments, span)


def call_method(
    ctx: LoweringContext,
    receiver: LValue | None,
    record: Record,
    methods: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Operand],
    span: Span,
    *,
    is_exact: bool = False,
) -> Operand:
    """A call of one of `methods` on `receiver`, an object of `record`; `is_exact`: of no class derived from it."""
    name = f"{record.name}::{methods[0].name}"
    choice = choose(ctx, methods, explicit, arguments, receiver)
    known = [] if receiver is None else [receiver]
    if choice is None:
        return unknown_call(ctx, f"call of unknown function {name}", (*known, *arguments), span)
    choice = _for_object(ctx, choice, receiver)
    declaration = choice.instance.declaration
    others = [each.declaration for each in choice.rivals]
    if any(each.owner is not declaration.owner or each.is_static or each.is_virtual for each in others):
        return unknown_call(ctx, f"ambiguous call of {name}", (*known, *arguments), span)
    if not is_exact and declaration.has_this and is_dispatched(record, declaration):
        found = _overriding(ctx, choice, receiver)
        if found is None and receiver is not None and not choice.rivals:
            return _dispatched(ctx, choice, record, receiver, arguments, span)
        if found is None:
            returns = choice.instance.signature.returns.stored
            return unknown_call(ctx, f"virtual call of {name}", (*known, *arguments), span, returns)
        arguments = _completed(ctx, choice.instance, arguments, span)
        choice, declaration = found, found.instance.declaration
    if not _has_body(choice):
        returns = choice.instance.signature.returns.stored
        return unknown_call(ctx, f"call of {name}, whose body is not visible", (*known, *arguments), span, returns)
    owner = declaration.owner
    if owner is not None and owner.is_guess and ctx.owner is not owner and not is_generic(owner):
        returns = choice.instance.signature.returns.stored
        construct = f"call of {name}, which a specialisation may define otherwise"
        return unknown_call(ctx, construct, (*known, *arguments), span, returns)
    if not declaration.has_this:
        return call_one_of(ctx, name, choice, None, arguments, span)
    if receiver is None or owner is None:
        return unknown_call(ctx, f"call of {name} without an object", arguments, span)
    seen = upcast(ctx, receiver, record, owner, span)
    if seen is None and is_derived(owner, record):
        seen = downcast(ctx, receiver, owner, span)
    return call_one_of(ctx, name, _for_class(ctx, choice, receiver), seen or receiver, arguments, span)


def _dispatched(
    ctx: LoweringContext,
    choice: Choice,
    record: Record,
    receiver: LValue,
    arguments: Sequence[Operand],
    span: Span,
) -> Operand:
    """A virtual call on an object of `record` or of a class derived from it, which the object says."""
    instance = choice.instance
    name = f"{record.name}::{instance.declaration.name}"
    arguments = _completed(ctx, instance, arguments, span)
    returns = instance.signature.returns
    unknown = partial(unknown_call, ctx, f"virtual call of {name}", (receiver, *arguments), span, returns.stored)
    ctx.asks_for_functions = True
    hierarchy = ctx.program.hierarchy(record)
    overriders: dict[FunctionDeclaration, list[Record]] = {}
    is_known = hierarchy.is_known
    for whole in hierarchy.classes:
        found = final_overrider(whole, instance.declaration)
        is_seen = found is not None and found.body is not None and (found.owner is None or not found.owner.is_guess)
        is_known = is_known and is_seen
        if found is not None and is_seen:
            overriders.setdefault(found, []).append(whole)
    number = class_of(ctx, receiver, record, span) if overriders else None
    if number is None:
        return unknown()
    arms = [
        Arm(
            tuple(map(number_of_class, classes)),
            partial(_call_overrider, ctx, choice, record, receiver, found, classes, arguments, span),
        )
        for found, classes in overriders.items()
    ]
    otherwise = None if is_known else unknown
    return call_one(ctx, number, arms, otherwise, span, span, are_references=returns.is_reference)


def _call_overrider(
    ctx: LoweringContext,
    choice: Choice,
    record: Record,
    receiver: LValue,
    function: FunctionDeclaration,
    classes: Sequence[Record],
    arguments: Sequence[Operand],
    span: Span,
) -> Operand:
    """The function that runs for objects of just these classes, on an object seen as a `record`."""
    owner = function.owner
    assert owner is not None, "a method"
    seen = upcast(ctx, receiver, record, owner, span)
    if seen is None:
        seen = downcast(ctx, receiver, owner, span)
    if len(classes) == 1:
        seen = replace(seen, most_derived=classes[0])
    known = _for_class(ctx, replace(choice, instance=instantiate(function, {})), seen)
    return call_instance(ctx, known.instance, seen, arguments, span)


def _overriding(ctx: LoweringContext, choice: Choice, receiver: LValue | None) -> Choice | None:
    """The function that a virtual call runs, by the class of the whole object; None where that is not known."""
    whole = most_derived(ctx.program, receiver)
    found = None if whole is None or choice.rivals else final_overrider(whole, choice.instance.declaration)
    return None if found is None else replace(choice, instance=instantiate(found, {}))


def _completed(
    ctx: LoweringContext, instance: FunctionInstance, arguments: Sequence[Operand], span: Span
) -> Sequence[Operand]:
    """The arguments with the default ones of that function, which is the one that the call names."""
    missing = instance.signature.parameters[len(arguments) :]
    with ctx.elsewhere(instance.scope, instance.declaration.snippet, span):
        return [*arguments, *(lower(ctx, each.default) for each in missing if each.default is not None)]


def _for_class(ctx: LoweringContext, choice: Choice, receiver: LValue) -> Choice:
    """The choice for objects of the receiver's class alone, where that is known and virtual calls may follow."""
    declaration = choice.instance.declaration
    owner, whole = declaration.owner, most_derived(ctx.program, receiver)
    is_made = declaration.is_constructor or declaration.is_destructor
    if owner is None or whole is None or whole.is_local or is_made or choice.rivals or not is_polymorphic(owner):
        return choice
    return replace(choice, instance=for_class(choice.instance, whole))


def is_generic(record: Record) -> bool:
    """Whether its arguments are parameters of a template that nobody instantiates: the primary template is the view."""
    types = [each.declared.type for each in record.arguments if isinstance(each, TypeName)]
    return any(isinstance(type, TemplateType) for type in types) or any(
        isinstance(each, TemplateValue | PackPattern) for each in record.arguments
    )


def _for_object(ctx: LoweringContext, choice: Choice, receiver: LValue | None) -> Choice:
    """Without the rivals that are not for an object like this, where it is a variable: then its `const` is known."""
    is_constant = None if receiver is None else ctx.is_constant(receiver)
    if not choice.rivals or is_constant is None:
        return choice
    instances = (choice.instance, *choice.rivals)
    fitting = [each for each in instances if is_for_constants(each.declaration) is is_constant]
    return replace(choice, instance=fitting[0], rivals=tuple(fitting[1:])) if fitting else choice


def call_one_of(
    ctx: LoweringContext, name: str, choice: Choice, this: LValue | None, arguments: Sequence[Operand], span: Span
) -> Operand:
    """A call of the chosen function, or of one of its rivals where there are any."""
    instances = (choice.instance, *choice.rivals)
    if not choice.rivals:
        return call_instance(ctx, choice.instance, this, arguments, span)
    if len(instances) > MOST or any(each.declaration.body is None for each in instances):
        known = () if this is None else (this,)
        return unknown_call(ctx, f"ambiguous call of {name}", (*known, *arguments), span)
    calls = [partial(call_instance, ctx, instance, this, arguments, span) for instance in instances]
    are_references = all(each.signature.returns.is_reference for each in instances)
    return either(ctx, name, calls, span, are_references=are_references)


def _has_body(choice: Choice) -> bool:
    return choice.instance.declaration.body is not None


def call_instance(
    ctx: LoweringContext, instance: FunctionInstance, this: LValue | None, arguments: Sequence[Operand], span: Span
) -> Operand:
    """A `Call` of a function with a body, default arguments filled in."""
    owner = instance.declaration.owner
    if owner is not None and owner.closure is not None and (this is not None or not owner.fields):
        return call_closure_object(ctx, owner, this, arguments, span)
    pairs = zip(instance.signature.parameters, arguments, strict=False)
    is_code = any(isinstance(argument, Closure) for argument in arguments) or _gives_lambda(instance)
    is_code = is_code or any(named_code(ctx, parameter, argument) is not None for parameter, argument in pairs)
    if is_code or is_library(instance.declaration.item):
        return inline_instance(ctx, instance, this, _as_parameters(ctx, instance, arguments, span), span)
    builder = ctx.builder
    passed: list[ValueId] = []
    if instance.this is not None and this is not None:
        passed.append(builder.bitcast(this.address, instance.this.type, span))
    for parameter, argument in zip(instance.signature.parameters, arguments, strict=False):
        passed.append(_passed(ctx, parameter, argument, span))
    missing = instance.signature.parameters[len(arguments) :]
    passed += [
        _default_argument(ctx, instance, parameter, parameter.default, span)
        for parameter in missing
        if parameter.default is not None
    ]
    returns = instance.signature.returns
    deduced = ctx.program.returned(instance.id) if is_deduced(returns) else None
    returned = returns.stored if deduced is None else deduced.type
    ctx.callees[instance.id] = None
    if isinstance(returned, VoidType):
        builder.emit(Call(None, instance.id, tuple(passed), span))
        return None
    result = builder.value(returned)
    builder.emit(Call(result, instance.id, tuple(passed), span))
    found = returned_operand(ctx, result, returns)
    if returns.is_reference:
        return found
    return result_begins(ctx, found if deduced is None else ctx.typed(result, deduced.exact), span)


def _gives_lambda(instance: FunctionInstance) -> bool:
    """Whether the function gives back a lambda: only its text says what that is."""
    if not is_deduced(instance.signature.returns) or instance.declaration.body is None:
        return False
    returned = only_return(instance.declaration.body)
    return returned is not None and any(child.kind == "lambda_expression" for child in returned.children)


def _as_parameters(
    ctx: LoweringContext, instance: FunctionInstance, arguments: Sequence[Operand], span: Span
) -> Sequence[Operand]:
    """The arguments of a body that is lowered in place; parameters that end by code are made here."""
    passed: list[Operand] = [*arguments]
    for index, (parameter, argument) in enumerate(zip(instance.signature.parameters, arguments, strict=False)):
        if not isinstance(argument, Closure) and is_passed_by_address(ctx, parameter.declared):
            passed[index] = parameter_object(ctx, parameter.declared.type, argument, span)
    return passed


def _passed(ctx: LoweringContext, parameter: ParameterDeclaration, argument: Operand, span: Span) -> ValueId:
    """An argument as the parameter takes it."""
    if not is_passed_by_address(ctx, parameter.declared):
        return passed_argument(ctx, parameter, _copied(ctx, parameter, argument, span), span)
    passed = parameter_object(ctx, parameter.declared.type, argument, span)
    return ctx.builder.bitcast(passed.address, PointerType(passed.type, MemorySpace.GENERIC), span)


def parameter_object(ctx: LoweringContext, type: Type, argument: Operand, span: Span) -> LValue:
    """The object that a parameter taken by value is: it ends with the full expression around the call."""
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    source = argument if record is None or not isinstance(argument, LValue) else _seen_as(ctx, argument, record, span)
    if record is None or not isinstance(source, LValue):
        return converted_object(ctx, argument, type, span)
    if source.is_temporary:
        return source
    symbol = ctx.builder.symbol("", SymbolKind.LOCAL, type, span)
    made = LValue(ctx.builder.symbol_address(symbol, span), type)
    copy_object(ctx, made, record, source, span)
    return temporary_begins(ctx, made, span)


def _seen_as(ctx: LoweringContext, object: LValue, record: Record, span: Span) -> LValue | None:
    """An object of `record`, or of a class derived from it, as a `record`."""
    own = ctx.program.records.get(object.type.name) if isinstance(object.type, StructType) else None
    return None if own is None else upcast(ctx, object, own, record, span)


def copy_object(ctx: LoweringContext, target: LValue, record: Record, source: LValue, span: Span) -> None:
    """Makes `target` a copy of another object of its class, as the class copies or moves."""
    if copy_constructor(record) is not None:
        call_method(ctx, target, record, written_constructors(record), (), (source,), span)
        return
    ctx.builder.store(target.address, load(ctx, source, span), span)
    set_class(ctx, target, record, span)
    if part_with_copy_constructor(record) is not None and not record.is_union:
        _copy_parts(ctx, target, record, source, span)


def _copy_parts(ctx: LoweringContext, target: LValue, record: Record, source: LValue, span: Span) -> None:
    """Copies or moves, in order, the bases and members that do so by code; the bytes of all others are copied."""
    is_moved = source.is_expiring and moves_parts(record)
    category = ValueCategory.XVALUE if is_moved else ValueCategory.LVALUE
    exact = qualified(ctx.exact_type(source) or QualType(ClassType(record.name)), constant=not is_moved)
    known = replace(source, category=category, spelled=exact, variable=None)
    for base, _ in record.bases:
        part, other = upcast(ctx, target, record, base, span), upcast(ctx, known, record, base, span)
        if part is not None and other is not None and copy_runs_code(base):
            copy_object(ctx, part, base, other, span)
    for index in range(record.own_fields, len(record.fields)):
        declared = record.fields[index].declared
        if not declared.is_reference and not record.fields[index].is_class_number:
            part, other = (member_place(ctx, whole, record, index, span) for whole in (target, known))
            _copy_member(ctx, part, other, span)


def _copy_member(ctx: LoweringContext, target: LValue, source: LValue, span: Span) -> None:
    type = target.type
    if isinstance(type, ArrayType):
        if not copies_by_code(ctx.program, type):
            return
        if type.length is None or type.length > MAX_COPIED:
            unknown_call(ctx, f"copy of a large {spelled(type)}", (target, source), span)
            return
        for index in range(type.length):
            number = ctx.builder.constant(index, S32, span)
            address = ctx.builder.element_address(target.address, number, type.element, span)
            element = element_place(ctx, source, type.element, number, span)
            _copy_member(ctx, LValue(address, type.element), element, span)
        return
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is not None and copy_runs_code(record):
        copy_object(ctx, target, record, source, span)


def _copied(ctx: LoweringContext, parameter: ParameterDeclaration, argument: Operand, span: Span) -> Operand:
    """The copy of an object for a parameter that takes it by value; itself where copying runs no code."""
    type = parameter.declared.type
    if parameter.declared.is_reference or not isinstance(type, StructType) or not isinstance(argument, LValue):
        return argument
    record = ctx.program.records.get(type.name)
    if record is None or argument.is_temporary or argument.type != type or not copy_runs_code(record):
        return argument
    symbol = ctx.builder.symbol("", SymbolKind.LOCAL, type, span)
    copy = LValue(ctx.builder.symbol_address(symbol, span), type, category=ValueCategory.PRVALUE)
    copy_object(ctx, copy, record, argument, span)
    return copy


def _default_argument(
    ctx: LoweringContext, instance: FunctionInstance, parameter: ParameterDeclaration, default: Node, span: Span
) -> ValueId:
    with ctx.elsewhere(instance.scope, instance.declaration.snippet, span):
        operand = lower(ctx, default)
        return _passed(ctx, parameter, operand, span)


def call_builtin(
    ctx: LoweringContext,
    builtin: BuiltinFunction,
    arguments: Sequence[Operand],
    explicit: tuple[TemplateArgument, ...],
    span: Span,
    *,
    receiver: Operand = None,
    literal: Callable[[int], Literal] = no_literal,
) -> Operand:
    """A function or method that the tables know."""
    for index, argument in enumerate(arguments):
        if isinstance(argument, Closure) and not builtin.takes_function(index):
            return unknown_call(ctx, f"call of {builtin.name} with a lambda", arguments, span)
    addresses = tuple(argument.address if isinstance(argument, LValue) else None for argument in arguments)
    values: list[ValueId] = []
    for index, (argument, address) in enumerate(zip(arguments, addresses, strict=True)):
        is_used_by_address = address is not None and builtin.takes_address(index, len(arguments))
        values.append(address if is_used_by_address and address is not None else _value_of(ctx, argument, span))
    call = BuiltinCall(
        ctx.builder,
        builtin.name,
        tuple(values),
        addresses,
        builtin_arguments(explicit),
        None if receiver is None else _value_of(ctx, receiver, span, is_receiver=True),
        receiver.address if isinstance(receiver, LValue) else None,
        span,
        ctx.warp_size,
        literal,
        lambda index, values: _apply(ctx, arguments[index], values, span),
    )
    result = builtin.lower(call)
    if isinstance(result, int) and ends_by_code(ctx, ctx.builder.types[result]):  # a copy, or the object itself
        ends_somewhere(ctx, temporary(ctx, result, span).address, ctx.builder.types[result], span)
    if isinstance(result, int) and result not in ctx.exact and not any(map(partial(_is_enumeration, ctx), arguments)):
        ctx.typed(result, of_library(ctx.builder.types[result]))
    return result


def _is_enumeration(ctx: LoweringContext, argument: Operand) -> bool:
    exact = ctx.exact_type(argument)
    return exact is not None and isinstance(exact.type, EnumerationType)


def _value_of(ctx: LoweringContext, argument: Operand, span: Span, *, is_receiver: bool = False) -> ValueId:
    """The value of an argument; what is known by its address or its text alone is not read.

    A method of an atomic object says itself how it uses the object; as an argument, the object is read.
    """
    if isinstance(argument, Closure):
        return ctx.builder.undefined(LAMBDA, span)
    by_address = is_receiver and is_atomic_object(ctx.type_of(argument))
    if isinstance(argument, LValue) and (by_address or is_known_by_address(argument.type)):
        return ctx.builder.undefined(argument.type, span)
    return load(ctx, argument, span)


def _apply(ctx: LoweringContext, function: Operand, values: tuple[ValueId, ...], span: Span) -> ValueId | None:
    """A call of an argument of a builtin: its value, None where it is not a function object of the file's own."""
    result: Operand = None
    type = ctx.type_of(function)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if isinstance(function, Closure):
        result = inline_closure(ctx, function, values, span)
    elif record is not None:
        methods = methods_named(record, "operator()")
        place = function if isinstance(function, LValue) else temporary(ctx, load(ctx, function, span), span)
        result = call_method(ctx, place, record, methods, (), values, span) if methods else None
    elif isinstance(function, int) and (named := ctx.functions.get(function)) is not None:
        result = call_functions(ctx, named.name, named.declarations, None, (), values, span)
    return None if result is None or isinstance(result, Closure) else load(ctx, result, span)


MAX_COPIED: Final = 64
"""Of an array whose elements copy by code."""
LAMBDA: Final = HandleType("lambda")


def launch_kernel(
    ctx: LoweringContext, configuration: Sequence[Operand], arguments: Sequence[Operand], span: Span
) -> None:
    """A launch from the device; a kernel takes its arguments by value, so local variables passed to it keep theirs."""
    values = tuple(load(ctx, operand, span) for operand in (*configuration, *arguments))
    ctx.builder.emit(DeviceLaunch(values, span))


def unknown_call(
    ctx: LoweringContext, construct: str, arguments: Sequence[Operand], span: Span, returns: Type | None = None
) -> Operand:
    """A call that is not understood; afterwards nothing is known about the local variables passed to it."""
    builder = ctx.builder
    values: list[ValueId] = []
    for argument in arguments:
        if isinstance(argument, Closure):
            values += captured(ctx, argument)
            continue
        if isinstance(argument, LValue) and argument.variable is None and not isinstance(argument.type, ArrayType):
            values.append(argument.address)
        values.append(load(ctx, argument, span))
    if isinstance(returns, VoidType):
        builder.emit(OpaqueInstruction(None, construct, tuple(values), True, span))
        result = None
    else:
        type = UnknownType(construct) if returns is None else returns
        result = result_begins(
            ctx, builder.opaque(construct, tuple(values), type, span, may_contain_barrier=True), span
        )
    for argument in arguments:
        if isinstance(argument, LValue) and argument.variable is not None and not isinstance(argument.type, ArrayType):
            changed = builder.opaque(f"changed by {construct}", tuple(values), argument.type, span)
            builder.store(argument.address, changed, span)
    return result
