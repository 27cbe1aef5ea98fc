"""The arguments of a call: evaluated, known at compile time, and as the parameters take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from analysis.cpp.types.model import QualType
from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import ArrayType, MemorySpace, PointerType, StructType, Type
from analysis.lower.builtins import Literal
from analysis.lower.constants import evaluate
from analysis.lower.context import LoweringContext, LValue, Operand, PointerMoved
from analysis.lower.conversions import is_vague
from analysis.lower.convert import implicit
from analysis.lower.expressions.dispatch import forget_chosen, lower, lower_object, object_behind, temporary
from analysis.lower.expressions.members import upcast
from analysis.lower.function_values import meant_as
from analysis.lower.functions import generic_signature
from analysis.lower.lifetimes import count_of_temporaries, made_since
from analysis.lower.names import DeclaredType, FunctionDeclaration, ParameterDeclaration, Scope
from analysis.lower.packs import expanded
from analysis.lower.records import is_derived
from analysis.lower.strings import STRINGS, string_text
from analysis.syntax.tree import Node

NOTHING_MADE: Final[Mapping[int, LValue]] = {}


def argument_operands(
    ctx: LoweringContext,
    arguments: Node,
    declarations: Sequence[FunctionDeclaration] = (),
    made: Mapping[int, LValue] = NOTHING_MADE,
) -> list[Operand]:
    """The arguments of a call, evaluated in order; values are recorded for hovers.

    `declarations` are what may be called: where one takes a reference, a choice between objects stays an object.
    `made` are the objects that lists in braces are, by position.
    """
    operands: list[Operand] = []
    for index, child in enumerate(expanded(ctx.scope, arguments.children)):
        if index in made:
            operands.append(made[index])
            continue
        is_object = _bare(child).kind in _CHOICES and any(_takes_object(each, index) for each in declarations)
        operand = lower_object(ctx, child) if is_object else lower(ctx, child)
        if isinstance(operand, LValue):
            operand = operand.standing_at(ctx.span(child))
        elif isinstance(operand, int) and child.kind not in ("number_literal", "parenthesized_expression"):
            ctx.builder.expression(ctx.span(child), operand)
        operands.append(operand)
    return operands


def _bare(node: Node) -> Node:
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = node.children[0]
    return node


def _takes_object(declaration: FunctionDeclaration, index: int) -> bool:
    """Whether the function may write to what it is passed there."""
    parameters = generic_signature(declaration).parameters
    if not parameters or (index >= len(parameters) and not parameters[-1].is_pack):
        return False
    declared = parameters[min(index, len(parameters) - 1)].declared
    return declared.is_reference and not declared.is_constant


_CHOICES: Final = frozenset({"conditional_expression", "comma_expression"})


def argument_literals(ctx: LoweringContext, arguments: Node) -> Callable[[int], Literal]:
    """What is known of an argument at compile time, by its number: few functions ask."""
    return partial(_argument_literal, ctx.scope, arguments)


def _argument_literal(scope: Scope, arguments: Node, index: int) -> Literal:
    children = expanded(scope, arguments.children)
    if index >= len(children):
        return None
    if children[index].kind in STRINGS:
        return string_text(children[index])
    constant = evaluate(scope, children[index], is_required=False)
    return None if constant is None else constant.value


def passed_argument(ctx: LoweringContext, parameter: ParameterDeclaration, argument: Operand, span: Span) -> ValueId:
    """The argument as the parameter takes it: an address for a reference, a converted value otherwise."""
    declared = parameter.declared
    if not declared.is_reference:
        value = meant_as(ctx, argument, declared.exact, span)
        return implicit(ctx, value, declared.type, span, declared.exact)
    return reference_to(ctx, declared, argument, span)


def reference_to(ctx: LoweringContext, declared: DeclaredType, argument: Operand, span: Span) -> ValueId:
    """The address that a reference of a known type holds: of the object, of its base, or of a converted copy."""
    builder = ctx.builder
    wanted = declared.stored
    if isinstance(argument, int) and may_refer(ctx, declared, builder.types[argument]):
        if not declared.is_constant:
            forget_chosen(ctx, argument, span)
        argument = object_behind(ctx, argument, span)
    if isinstance(argument, int) and isinstance(builder.types[argument], StructType):
        argument = temporary(ctx, argument, span)  # a reference to a base is to a part of the whole object
    if isinstance(argument, LValue):
        may_move(ctx, declared, argument)
        if may_refer(ctx, declared, argument.type):
            return builder.bitcast(as_base(ctx, argument, declared.type, span), wanted, span)
    exact = None if declared.exact is None else declared.exact.object
    return builder.bitcast(converted_object(ctx, argument, declared.type, span, exact).address, wanted, span)


def converted_object(
    ctx: LoweringContext, operand: Operand, type: Type, span: Span, exact: QualType | None = None
) -> LValue:
    """A temporary of this type, made of `operand` by an implicit conversion."""
    before = count_of_temporaries(ctx)
    value = implicit(ctx, operand, type, span, exact)
    made = made_since(ctx, before, type)
    return temporary(ctx, value, span) if made is None else made


def may_move(ctx: LoweringContext, declared: DeclaredType, argument: LValue) -> None:
    """A pointer variable that a reference names may come to point into another space."""
    if declared.is_constant or argument.variable is None or not isinstance(argument.type, PointerType):
        return
    name = ctx.builder.variables[argument.variable].name
    if argument.type.space is not MemorySpace.GENERIC and name not in ctx.moved:
        raise PointerMoved(name)


def may_refer(ctx: LoweringContext, declared: DeclaredType, actual: Type) -> bool:
    """Whether the reference is bound to the object itself, not to a converted copy.

    A reference that is not constant never takes a copy of an object: where the types differ, one of them is not known.
    """
    wanted = declared.type
    if not declared.is_constant or actual == wanted or is_vague(actual) or is_vague(wanted):
        return True
    if isinstance(actual, ArrayType) or isinstance(wanted, ArrayType):
        return True
    if isinstance(actual, PointerType) and isinstance(wanted, PointerType):
        return True
    if not isinstance(actual, StructType) or not isinstance(wanted, StructType):
        return False
    derived, base = ctx.program.records.get(actual.name), ctx.program.records.get(wanted.name)
    return derived is None or base is None or derived.has_unknown_base or is_derived(derived, base)


def as_base(ctx: LoweringContext, argument: LValue, wanted: Type, span: Span) -> ValueId:
    """The address of the part of an object that is its base class `wanted`; of the whole where it is no base."""
    if isinstance(argument.type, StructType) and isinstance(wanted, StructType) and argument.type != wanted:
        derived, base = ctx.program.records.get(argument.type.name), ctx.program.records.get(wanted.name)
        if derived is not None and base is not None:
            seen = upcast(ctx, argument, derived, base, span)
            return argument.address if seen is None else seen.address
    return argument.address
