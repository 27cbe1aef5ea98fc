"""Names as expressions: variables, constants, members of `this`, builtins, what nobody declared."""

from __future__ import annotations

from analysis.ir.instructions import TemplateArgument
from analysis.ir.types import TemplateType
from analysis.lower.constant_values import ConstantObject
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.cpp_types import ir_type, of_library
from analysis.lower.expressions.dispatch import handles, unsupported
from analysis.lower.expressions.members import member_of_this
from analysis.lower.expressions.places import address_of, constant_place, global_place, variable_place
from analysis.lower.function_types import named_function
from analysis.lower.function_values import number_of_named
from analysis.lower.lookup import find
from analysis.lower.names import (
    BuiltinName,
    ConstantName,
    DependentName,
    Entity,
    FunctionSet,
    GlobalVariable,
    LambdaName,
    LocalVariable,
    MemberAddress,
    MemberName,
    TemplateValue,
    VariableAddress,
)
from analysis.lower.types import FUNCTION_POINTER, shown
from analysis.syntax.tree import Node


@handles("identifier")
def identifier(ctx: LoweringContext, node: Node) -> Operand:
    name = node.text.decode("utf-8", "replace")
    entity = ctx.scope.find(name)
    if isinstance(entity, LocalVariable):
        return ctx.places.get(entity) or variable_place(ctx, entity, ctx.span(node))
    return entity_operand(ctx, entity, node)


@handles("qualified_identifier", "template_function", "dependent_name", "template_type", "type_identifier")
def _qualified(ctx: LoweringContext, node: Node) -> Operand:
    return entity_operand(ctx, find(ctx.scope, node), node)


@handles("this")
def _this(ctx: LoweringContext, node: Node) -> Operand:
    if ctx.this is None:
        return unsupported(ctx, node, "this outside a method")
    return variable_place(ctx, ctx.this, ctx.span(node))


def entity_operand(ctx: LoweringContext, entity: Entity | None, node: Node) -> Operand:
    """What a name that is not a plain local variable stands for as an expression."""
    span = ctx.span(node)
    builder = ctx.builder
    match entity:
        case LocalVariable():
            return variable_place(ctx, entity, span)
        case ConstantName(value=value, type=type, exact=exact):
            constant = builder.constant(value, type, span)
            ctx.named.add(constant)
            return ctx.typed(constant, exact)
        case ConstantObject():
            return constant_place(ctx, entity, span)
        case TemplateValue(name=name, type=type, exact=exact):
            result = builder.value(type)
            builder.emit(TemplateArgument(result, name, span))
            return ctx.typed(result, exact)
        case DependentName(spelling=spelling):
            result = builder.value(TemplateType(spelling))
            builder.emit(TemplateArgument(result, spelling, span))
            return result
        case MemberName(record=record, name=name):
            return member_of_this(ctx, record, name, node)
        case GlobalVariable(declaration=declaration):
            return global_place(ctx, declaration, node)
        case VariableAddress(declaration=declaration):
            variable = global_place(ctx, declaration, node)
            return address_of(ctx, variable, span) if isinstance(variable, LValue) else variable
        case MemberAddress(number=number, exact=exact):
            return ctx.typed(builder.constant(number, ir_type(exact), span), exact)
        case BuiltinName(builtin=builtin):
            found = builtin.lower(builder, span)
            return ctx.typed(found, of_library(builder.types[found]))
        case FunctionSet():
            pointer = builder.constant(number_of_named(entity), FUNCTION_POINTER, span)
            ctx.functions[pointer] = entity
            return ctx.typed(pointer, named_function(entity))
        case LambdaName(closure=closure):
            return closure
        case _:
            return unsupported(ctx, node, f"unknown name {shown(node)}")
