"""Lambdas as objects: what a class holds that is given one, and what runs where it calls it.

Rules   A lambda that is called by its name is lowered in place; one that is stored, passed to a constructor or read as
        a value becomes an object of a class of its own.  What it captures by value is a member, by reference a member
        of reference type.
        Calling the object runs the lambda's body in place; its text is that of the call, unless it stands in the same
        function.
Limits  No object is made of lambdas that capture packs, other lambdas, or objects whose copies or ends run code.
Source  C++20 standard, [expr.prim.lambda.closure].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.types.model import pointer_to
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import ArrayType, PointerType
from analysis.lower.closure_classes import THIS, closure_class
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.copies import copies_by_code
from analysis.lower.expression_types import returned_type
from analysis.lower.expressions.dispatch import load
from analysis.lower.expressions.members import field_at, member_place
from analysis.lower.expressions.places import variable_place
from analysis.lower.function_types import signature_type
from analysis.lower.function_values import number_of
from analysis.lower.functions import instantiate, is_mutable
from analysis.lower.inlining import inline_closure
from analysis.lower.lifetimes import ends_by_code
from analysis.lower.names import Closure, DeclaredType, FunctionSet, LocalVariable, Record, declared_as
from analysis.lower.types import FUNCTION_POINTER


def closure_object(ctx: LoweringContext, closure: Closure, span: Span) -> LValue | None:
    """A temporary of the lambda's class; None where no class is made of it."""
    record = closure_class(ctx.program, closure)
    if record is None or any(_runs_code(ctx, field.declared) for field in record.fields):
        return None
    record.closure_function = record.closure_function or ctx.function
    symbol = ctx.builder.symbol("", SymbolKind.LOCAL, record.type, span)
    made = LValue(ctx.builder.symbol_address(symbol, span), record.type, category=ValueCategory.PRVALUE)
    for index, field in enumerate(record.fields):
        member = member_place(ctx, made, record, index, span)
        if field.name == THIS:
            assert closure.this is not None
            captured = variable_place(ctx, closure.this, span)
        else:
            entity = closure.scope.find(field.name)
            assert isinstance(entity, LocalVariable)
            captured = variable_place(ctx, entity, span)
        if field.declared.is_reference:
            value = ctx.builder.bitcast(captured.address, field.declared.stored, span)
        elif isinstance(captured.type, ArrayType):
            value = ctx.builder.load(captured.address, captured.type, span)
        else:
            value = load(ctx, captured, span)
        ctx.builder.store(member.address, value, span)
    return made


def closure_pointer(ctx: LoweringContext, closure: Closure, span: Span) -> ValueId | None:
    """The pointer to a function that a lambda without captures converts to; None for any other."""
    record = closure_class(ctx.program, closure)
    method = None if record is None or record.fields else record.methods["operator()"][0]
    if record is None or method is None or method.template_parameters:
        return None
    record.closure_function = record.closure_function or ctx.function
    instance = instantiate(method, {})
    pointer = ctx.builder.constant(number_of(instance.id), FUNCTION_POINTER, span)
    ctx.functions[pointer] = FunctionSet("operator()", (method,))
    returns = returned_type(instance)
    signature = None if returns is None else signature_type(replace(instance.signature, returns=declared_as(returns)))
    return ctx.typed(pointer, None if signature is None else pointer_to(signature))


def as_objects(ctx: LoweringContext, operands: Sequence[Operand], span: Span) -> Sequence[Operand]:
    """The operands, with objects in place of lambdas."""
    if not any(isinstance(each, Closure) for each in operands):
        return operands
    return [(closure_object(ctx, each, span) or each) if isinstance(each, Closure) else each for each in operands]


def _runs_code(ctx: LoweringContext, member: DeclaredType) -> bool:
    """Whether copying the member, or its end, runs code."""
    is_object = not member.is_reference
    return is_object and (copies_by_code(ctx.program, member.type) or ends_by_code(ctx, member.type))


def call_closure_object(
    ctx: LoweringContext, record: Record, this: LValue | None, arguments: Sequence[Operand], span: Span
) -> Operand:
    """A call of an object of the lambda's class, or through a pointer to the function of one without captures."""
    closure = record.closure
    assert closure is not None
    scope = closure.scope.inside()
    own: LocalVariable | None = None
    for index, field in enumerate(record.fields):
        assert this is not None, "a lambda that captures is called on an object"
        if field.name == THIS:
            pointer = load(ctx, member_place(ctx, this, record, index, span), span)
            symbol = ctx.builder.symbol(THIS, SymbolKind.LOCAL, field.declared.type, span)
            ctx.builder.store(ctx.builder.symbol_address(symbol, span), pointer, span)
            own = LocalVariable(THIS, symbol, field.declared, None, may_be_constant=True)
            continue
        place = field_at(ctx, this, record, index, span)
        assert isinstance(place, LValue)
        type = PointerType(place.type, ctx.builder.space_of(place.address), place.volatile)
        symbol = ctx.builder.symbol(field.name, SymbolKind.LOCAL, type, span)
        address = ctx.builder.bitcast(place.address, type, span)
        ctx.builder.store(ctx.builder.symbol_address(symbol, span), address, span)
        is_constant = field.declared.is_constant or (not field.declared.is_reference and not is_mutable(closure.node))
        declared = DeclaredType(place.type, True, is_constant, place.volatile, spelled=field.declared.exact)
        scope.declare(field.name, LocalVariable(field.name, symbol, declared, None))
    fixed = closure.fixed_span if record.closure_function == ctx.function else span
    called = Closure(closure.node, scope, closure.snippet, own, closure.owner, fixed)
    return inline_closure(ctx, called, arguments, span)
