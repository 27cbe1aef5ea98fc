"""Bodies lowered in place: lambdas, and functions that are passed lambdas.

Rules   Parameters become local variables; `return` stores the result and jumps to the end of the body.
        A lambda's body sees the names around the lambda; what it captures by value was copied when it was made.
        Instructions of a function's body are attributed to the call, those of a lambda to its own text.
Limits  `MAX_DEPTH` nested bodies, against recursion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.conversions.standard import decayed as decayed_type
from analysis.cpp.types.model import qualified
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import PointerType, StructType, Type, UnknownType
from analysis.lower.context import LoweringContext, LValue, Operand, ReturnTarget
from analysis.lower.convert import implicit
from analysis.lower.copies import copied
from analysis.lower.exact_deduction import NotDeduced, bound_arguments, deduced_instance, template_of
from analysis.lower.expressions.arguments import passed_argument
from analysis.lower.expressions.dispatch import load, lower, reachable, temporary
from analysis.lower.function_types import named_function
from analysis.lower.functions import (
    as_returned,
    is_deduced,
    is_for_constants,
    is_guess,
    pack_names,
    parameter_list,
    read_parameters,
)
from analysis.lower.library.source import is_library
from analysis.lower.lifetimes import ends_by_code, ends_somewhere, is_passed_by_address, temporary_begins
from analysis.lower.names import (
    AUTO,
    Closure,
    DeclaredType,
    FunctionInstance,
    FunctionSet,
    LambdaName,
    LocalVariable,
    Origin,
    ParameterDeclaration,
    Scope,
    Signature,
    TemplateArgument,
    VariablePack,
    is_inferred,
)
from analysis.lower.overloads import argument_of
from analysis.lower.reassigned import is_reassigned
from analysis.lower.statements.dispatch import statement
from analysis.lower.templates import bind, positional, template_parameters
from analysis.lower.types import descriptor_type
from analysis.lower.virtual_calls import most_derived
from analysis.syntax.tree import Node

MAX_DEPTH = 24
_DECLARES_TYPES: Final = re.compile(rb"\b(?:struct|class|union|enum)\b")


def inline_closure(
    ctx: LoweringContext,
    closure: Closure,
    arguments: Sequence[Operand],
    span: Span,
    explicit: tuple[TemplateArgument, ...] = (),
) -> Operand:
    """A call of a lambda; `explicit` are the template arguments in `f.operator()<4>(x)`."""
    body = closure.node.field("body")
    if body is None or ctx.depth >= MAX_DEPTH:
        return _opaque(ctx, "call of a lambda nested too deeply", (closure, *arguments), span)
    declarator = closure.node.field("declarator")
    scope = closure.scope.inside()
    if scope.origin is not None and _DECLARES_TYPES.search(body.text):
        # Of a generic lambda each call has types of its own.
        ctx.bodies_with_types += 1
        prefix = f"{scope.origin.prefix}::<lambda {ctx.bodies_with_types}>"
        scope.origin = Origin(scope.origin.item, scope.origin.snippet, prefix)
    parameters: tuple[ParameterDeclaration, ...] = ()
    packs: list[str] = []
    returns = DeclaredType(AUTO)
    header = closure.node.field("template_parameters")
    if header is not None and not _bind_template(ctx, scope, header, declarator, explicit, arguments):
        return _opaque(ctx, "call of a lambda with other arguments", (closure, *arguments), span)
    if declarator is not None:
        parameters, _ = read_parameters(scope, parameter_list(declarator))
        packs = pack_names(parameter_list(declarator))
        trailing = declarator.child("trailing_return_type")
        if trailing is not None and trailing.children:
            returns = as_returned(descriptor_type(scope, trailing.children[0]))
    before = ctx.this, ctx.owner
    with ctx.elsewhere(scope, closure.snippet, closure.fixed_span):
        ctx.this, ctx.owner = closure.this, closure.owner
        try:
            return _inline(ctx, scope, parameters, arguments, body, returns, packs, span)
        finally:
            ctx.this, ctx.owner = before


def _bind_template(
    ctx: LoweringContext,
    scope: Scope,
    header: Node,
    declarator: Node | None,
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Operand],
) -> bool:
    """Declares the template parameters of `[]<typename T>(T x)` in `scope`; False where the arguments do not fit."""
    declared = template_parameters(ctx.program, header)
    generic = scope.inside()
    bind(generic, declared, {}, defaults=False)
    listed = None if declarator is None else parameter_list(declarator)
    parameters, is_variadic = read_parameters(generic, listed)
    named = positional(declared, explicit)
    template = template_of(ctx.program, header, declared, Signature(parameters, DeclaredType(AUTO), is_variadic))
    deduced = deduced_instance(ctx.program, template, explicit, [argument_of(ctx, each) for each in arguments])
    if isinstance(deduced, NotDeduced):
        return False
    bind(scope, declared, bound_arguments(ctx.program, deduced, named), defaults=True)
    return True


def inline_instance(
    ctx: LoweringContext, instance: FunctionInstance, this: LValue | None, arguments: Sequence[Operand], span: Span
) -> Operand:
    """A call of a function that is passed a lambda, or of a method of the standard library."""
    body = instance.declaration.body
    is_certain = is_library(instance.declaration.item) or not instance.declaration.is_constructor
    if body is None or ctx.depth >= MAX_DEPTH or not is_certain or is_guess(instance.declaration):
        return _opaque(ctx, "call with a lambda", arguments if this is None else (this, *arguments), span)
    scope = instance.scope.inside()
    before = ctx.this, ctx.owner
    with ctx.elsewhere(scope, instance.declaration.snippet, span):
        ctx.this, ctx.owner = _object(ctx, instance, this, span), instance.declaration.owner
        try:
            signature = instance.signature
            packs = pack_names(parameter_list(instance.declaration.declarator))
            return _inline(ctx, scope, signature.parameters, arguments, body, signature.returns, packs, span)
        finally:
            ctx.this, ctx.owner = before


def _opaque(ctx: LoweringContext, construct: str, reached: Sequence[Operand], span: Span) -> ValueId:
    """A call that is not followed: whatever it is passed may change."""
    values = reachable(ctx, reached, span)
    return ctx.builder.opaque(construct, values, UnknownType("call"), span, may_contain_barrier=True)


def _object(ctx: LoweringContext, instance: FunctionInstance, this: LValue | None, span: Span) -> LocalVariable | None:
    """`this` in the body of a method."""
    if this is None or instance.this is None:
        return None
    builder = ctx.builder
    type = PointerType(this.type, builder.space_of(this.address), this.volatile)
    symbol = builder.symbol("this", SymbolKind.LOCAL, type, span)
    builder.store(builder.symbol_address(symbol, span), this.address, span)
    declared = DeclaredType(type, is_constant=is_for_constants(instance.declaration))
    return LocalVariable("this", symbol, declared, None, most_derived=most_derived(ctx.program, this))


def _inline(
    ctx: LoweringContext,
    scope: Scope,
    parameters: Sequence[ParameterDeclaration],
    arguments: Sequence[Operand],
    body: Node,
    returns: DeclaredType,
    packs: Sequence[str],
    span: Span,
) -> Operand:
    parameters = _one_for_each(parameters, arguments)
    first_symbol = len(ctx.builder.symbols)
    for parameter, argument in zip(parameters, arguments, strict=False):
        _declare_parameter(ctx, scope, parameter, argument, span)
    declare_packs(scope, packs, parameters)
    for parameter in parameters[len(arguments) :]:
        if parameter.default is not None:
            _declare_parameter(ctx, scope, parameter, lower(ctx, parameter.default), span)
    builder = ctx.builder
    target = ReturnTarget(returns, builder.new_block(), endings=ctx.endings, body=body, first_symbol=first_symbol)
    assert target.block is not None
    before = ctx.returns, ctx.break_to, ctx.continue_to, ctx.labels, ctx.cases
    ctx.returns, ctx.break_to, ctx.continue_to, ctx.labels, ctx.cases = target, None, None, {}, {}
    ctx.depth += 1
    statement(ctx, body)
    builder.jump(target.block, span)
    ctx.depth -= 1
    ctx.returns, ctx.break_to, ctx.continue_to, ctx.labels, ctx.cases = before
    builder.continue_in(target.block)
    if target.symbol is None:
        return target.closure
    type = builder.symbols[target.symbol].type
    address = builder.symbol_address(target.symbol, span)
    if not returns.is_reference and ends_by_code(ctx, type):
        return temporary_begins(ctx, LValue(address, type), span)
    result = builder.load(address, type, span)
    found = returned_operand(ctx, result, returns)
    return ctx.typed(result, target.deduced) if found == result and is_deduced(returns) else found


def returned_operand(ctx: LoweringContext, result: ValueId, returns: DeclaredType) -> Operand:
    """What a call is whose function gives `result`: an object where it returns a reference."""
    exact, type = returns.exact, ctx.builder.types[result]
    if not returns.is_reference:
        return ctx.typed(result, None if exact is None else decayed_type(exact))
    referred = type.element if is_deduced(returns) and isinstance(type, PointerType) else returns.type
    if is_deduced(returns):
        return LValue(result, referred, returns.is_volatile)
    return LValue(
        result,
        referred,
        returns.is_volatile,
        category=ValueCategory.XVALUE if returns.is_rvalue else ValueCategory.LVALUE,
        spelled=None if exact is None else exact.object,
    )


def _one_for_each(
    parameters: Sequence[ParameterDeclaration], arguments: Sequence[Operand]
) -> Sequence[ParameterDeclaration]:
    """The parameters with a pack at the end (`auto... xs`) as long as the arguments make it."""
    if not parameters or not parameters[-1].is_pack:
        return parameters
    last = parameters[-1]
    count = max(len(arguments) - len(parameters) + 1, 0)
    elements = [
        ParameterDeclaration(f"{last.name}[{index}]", last.node, last.declared, None, pack=last.name)
        for index in range(count)
    ]
    return [*parameters[:-1], *elements]


def declare_packs(scope: Scope, names: Sequence[str], parameters: Sequence[ParameterDeclaration]) -> None:
    """Declares function parameter packs whose elements `scope` declares already."""
    for name in names:
        if any(parameter.is_pack and parameter.name == name for parameter in parameters):
            continue  # it stands for itself
        elements = [scope.names[parameter.name] for parameter in parameters if parameter.pack == name]
        scope.declare(
            name, VariablePack(tuple([each for each in elements if isinstance(each, LocalVariable | LambdaName)]))
        )


def _declare_parameter(
    ctx: LoweringContext, scope: Scope, parameter: ParameterDeclaration, argument: Operand, span: Span
) -> None:
    if isinstance(argument, Closure):
        scope.declare(parameter.name, LambdaName(argument))
        return
    named = named_code(ctx, parameter, argument)
    if named is not None:
        scope.declare(parameter.name, named)
        return
    declared = parameter.declared
    if is_inferred(declared.type):
        type = ctx.type_of(argument)
        is_object = declared.is_reference or ends_by_code(ctx, type)
        loaded = None if is_object else load(ctx, argument, span)
        type = type if loaded is None else ctx.builder.types[loaded]
        exact = None if declared.is_reference or loaded is None else ctx.exact_type(loaded)
        if exact is not None:
            exact = qualified(decayed_type(exact.object).unqualified, constant=declared.is_constant)
        qualifiers = declared.is_reference, declared.is_constant, declared.is_volatile
        declared = DeclaredType(type or AUTO, *qualifiers, spelled=exact)
        argument = argument if loaded is None else loaded
        parameter = ParameterDeclaration(parameter.name, parameter.node, declared, None)
    builder = ctx.builder
    is_callers = is_passed_by_address(ctx, parameter.declared)
    if is_callers:
        value = _object_of_caller(ctx, argument, declared.type, span)
    else:
        if not parameter.declared.is_reference and isinstance(declared.type, StructType):
            argument = copied(ctx, argument, span)
        value = passed_argument(ctx, parameter, argument, span)
    symbol = builder.symbol(parameter.name, SymbolKind.LOCAL, builder.types[value], span)
    builder.store(builder.symbol_address(symbol, span), value, span)
    variable = builder.variable(parameter.name, declared.stored, ctx.span(parameter.node))
    if not declared.is_reference and not is_callers:
        builder.defined(variable, value, span)
    is_variable = isinstance(argument, LValue) and ctx.is_constant(argument) is False
    may_be_constant = declared.is_reference and not is_variable
    entity = LocalVariable(
        parameter.name,
        symbol,
        declared,
        variable,
        may_be_constant=may_be_constant,
        is_parameter=True,
        is_callers=is_callers,
    )
    scope.declare(parameter.name, entity)


def named_code(ctx: LoweringContext, parameter: ParameterDeclaration, argument: Operand) -> FunctionSet | None:
    """The function whose name is passed, where a parameter that is never assigned to can mean nothing else."""
    named = ctx.functions.get(argument) if isinstance(argument, int) else None
    if named is None or named_function(named) is None or parameter.declared.is_reference or parameter.pack:
        return None
    node, name = parameter.node, parameter.name.encode("utf-8", "replace")
    return None if is_reassigned(node.source[node.end :], name, 0) else named


def _object_of_caller(ctx: LoweringContext, argument: Operand, type: Type, span: Span) -> ValueId:
    """The address of an object that is passed by value and ends by code: the temporary that the call has made of it."""
    if isinstance(argument, LValue) and argument.is_temporary and argument.type == type:
        return argument.address
    value = implicit(ctx, load(ctx, copied(ctx, argument, span), span), type, span)
    found = temporary(ctx, value, span)
    ends_somewhere(ctx, found.address, type, span)
    return found.address
