"""The objects that variables denote."""

from __future__ import annotations

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.types.model import pointer_to
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import S32, ArrayType, PointerType
from analysis.lower.constant_values import ConstantObject
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.names import GlobalDeclaration, LocalVariable
from analysis.syntax.tree import Node


def variable_place(ctx: LoweringContext, variable: LocalVariable, span: Span) -> LValue:
    """The object a local name denotes; through a reference, what it refers to."""
    known = ctx.places.get(variable)
    if known is not None:
        return known
    builder = ctx.builder
    address = builder.symbol_address(variable.symbol, span)
    declared = variable.declared
    exact = declared.exact
    if declared.is_reference or variable.is_callers:
        pointer = builder.load(address, builder.symbols[variable.symbol].type, span)
        return LValue(
            pointer,
            declared.type,
            declared.is_volatile,
            category=ValueCategory.LVALUE,
            spelled=None if exact is None or variable.is_constant is None else exact.object,
            most_derived=variable.most_derived,
        )
    symbol = builder.symbols[variable.symbol]
    found = LValue(
        address,
        symbol.type,
        declared.is_volatile,
        variable.variable,
        category=ValueCategory.LVALUE,
        # What a lambda captures by value is constant unless the lambda is `mutable`.
        spelled=None if exact is None or (variable.is_constant is None and not exact.is_constant) else exact,
    )
    if symbol.kind is SymbolKind.LOCAL:
        ctx.places[variable] = found
    return found


def constant_place(ctx: LoweringContext, value: ConstantObject, span: Span) -> LValue:
    """A temporary that holds a constant object: a template parameter of class type."""
    symbol = ctx.builder.symbol("", SymbolKind.LOCAL, value.type, span)
    whole = LValue(ctx.builder.symbol_address(symbol, span), value.type)
    _fill(ctx, whole, value, span)
    return whole


def _fill(ctx: LoweringContext, whole: LValue, value: ConstantObject, span: Span) -> None:
    builder, is_array = ctx.builder, isinstance(whole.type, ArrayType)
    for index, member in enumerate(value.members):
        if member is None:
            continue
        if is_array:
            number = builder.constant(index, S32, span)
            address = builder.element_address(whole.address, number, member.type, span)
        else:
            address = builder.field_address(whole.address, index, member.type, span)
        if isinstance(member, ConstantObject):
            _fill(ctx, LValue(address, member.type), member, span)
        else:
            builder.store(address, builder.constant(member.value, member.type, span), span)


def address_of(ctx: LoweringContext, found: LValue, span: Span) -> ValueId:
    """The pointer that `&` gives."""
    builder = ctx.builder
    wanted = PointerType(found.type, builder.space_of(found.address), found.volatile)
    exact = ctx.exact_type(found)
    is_right = builder.types[found.address] == wanted
    pointer = found.address if is_right else builder.bitcast(found.address, wanted, span)
    return ctx.typed(pointer, None if exact is None else pointer_to(exact))


def global_place(ctx: LoweringContext, declaration: GlobalDeclaration, node: Node) -> Operand:
    """The object of a variable at namespace scope; one symbol per function that uses it."""
    span = ctx.span(node)
    if declaration.kind is None:
        return ctx.builder.opaque(f"host variable {declaration.name}", (), declaration.declared.type, span)
    symbol = ctx.globals.get(id(declaration))
    if symbol is None:
        symbol = ctx.builder.symbol(declaration.name, declaration.kind, declaration.declared.type, span)
        ctx.globals[id(declaration)] = symbol
        declaration.scope.program.use_variable(declaration)
    address = ctx.builder.symbol_address(symbol, span)
    if declaration.kind is SymbolKind.TEXTURE:
        return LValue(address, declaration.declared.type)
    declared, exact = declaration.declared, declaration.declared.exact
    if exact is None or exact.is_reference:
        return LValue(address, declared.type, declared.is_volatile)
    return LValue(address, declared.type, declared.is_volatile, category=ValueCategory.LVALUE, spelled=exact)
