"""What references are bound to: variables, members, captures.

Rules   A reference is the address of the object, or of a copy where the types differ and it is constant.
"""

from __future__ import annotations

from analysis.cpp.types.model import qualified
from analysis.cpp.types.model import reference_to as reference_type
from analysis.ir.function import SymbolKind
from analysis.ir.source import Span
from analysis.ir.types import PointerType, StructType, Type
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import is_arithmetic
from analysis.lower.expressions.arguments import as_base, converted_object, may_move, may_refer, reference_to
from analysis.lower.expressions.dispatch import forget_chosen, load, lower_object, object_behind, temporary
from analysis.lower.names import DeclaredType, LocalVariable, is_inferred
from analysis.lower.virtual_calls import most_derived
from analysis.syntax.tree import Node


def bind_reference(ctx: LoweringContext, name: str, declared: DeclaredType, operand: Operand, span: Span) -> LValue:
    """`T& name = operand`: the address in a local symbol.  Gives the object that it is bound to."""
    builder = ctx.builder
    if not declared.is_constant:
        forget_chosen(ctx, operand, span)
    if is_auto(declared.type) or (type := ctx.type_of(operand)) is None or may_refer(ctx, declared, type):
        operand = object_behind(ctx, operand, span)
    if isinstance(operand, LValue):
        may_move(ctx, declared, operand)
    elif isinstance(operand, int) and isinstance(builder.types[operand], StructType):
        operand = temporary(ctx, operand, span)
    if is_auto(declared.type):
        found = operand if isinstance(operand, LValue) else temporary(ctx, load(ctx, operand, span), span)
        exact = ctx.exact_type(found)
        exact = None if exact is None else reference_type(qualified(exact, constant=declared.is_constant))
        is_volatile = declared.is_volatile or found.volatile
        declared = DeclaredType(found.type, True, declared.is_constant, is_volatile, spelled=exact)
    elif isinstance(operand, LValue) and (may_refer(ctx, declared, operand.type) or not is_arithmetic(declared.type)):
        found = operand
    else:
        found = converted_object(ctx, operand, declared.type, span)
    space = builder.space_of(found.address)
    pointer = PointerType(declared.type, space, declared.is_volatile)
    address = builder.bitcast(as_base(ctx, found, declared.type, span), pointer, span)
    symbol = builder.symbol(name, SymbolKind.LOCAL, pointer, span)
    builder.store(builder.symbol_address(symbol, span), address, span)
    variable = builder.variable(name, pointer, span)
    may_be_constant = not isinstance(operand, LValue) or ctx.is_constant(operand) is not False
    whole = most_derived(ctx.program, found)
    ctx.scope.declare(
        name,
        LocalVariable(name, symbol, declared, variable, may_be_constant=may_be_constant, most_derived=whole),
    )
    return found


def bind_member(
    ctx: LoweringContext, member: LValue, declared: DeclaredType, value: Node | Operand, span: Span
) -> None:
    """A member of reference type, of which `member` is the pointer that is stored."""
    if isinstance(value, Node) and value.kind in ("initializer_list", "argument_list") and len(value.children) == 1:
        value = value.children[0]
    if isinstance(value, Node):
        value = lower_object(ctx, value)
    ctx.builder.store(member.address, reference_to(ctx, declared, value, span), span)


def is_auto(type: Type) -> bool:
    while isinstance(type, PointerType):
        type = type.element
    return is_inferred(type)
