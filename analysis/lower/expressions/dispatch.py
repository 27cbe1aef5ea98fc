"""From an expression's node to the handler of its kind; loading, and what is not understood.

Rules   `lower` gives an operand, `rvalue` a value, `place` an object (a temporary for a value).
        `lower_object` lowers what may be written to: of `c ? a : b` it gives the object, where `lower` gives a value.
        A kind without a handler becomes `Opaque`, named by the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.conversions.standard import decayed as decayed_type
from analysis.cpp.types.arithmetic import promoted
from analysis.ir.function import Expression, SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Load, Opaque, Select
from analysis.ir.source import Span
from analysis.ir.types import ArrayType, HandleType, MemorySpace, PointerType, StructType, Type, UnknownType
from analysis.lower.bit_fields import read_bits, unit_type
from analysis.lower.builtins.atomic_objects import is_atomic_object, read_atomic
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.names import Closure, LambdaName, LocalVariable
from analysis.syntax.tree import TOO_DEEP, Node

Handler: TypeAlias = Callable[[LoweringContext, Node], Operand]

EXPRESSIONS: Final[dict[str, Handler]] = {}
"""Filled by the modules of this package."""

OBJECTS: Final[dict[str, Handler]] = {}
"""For the kinds that are lowered otherwise where the object is wanted."""

_NOTHING: Final = UnknownType("void")
"""The type of a void expression's value where the program uses one."""

_RECORDED: Final = frozenset(
    {
        "identifier",
        "qualified_identifier",
        "call_expression",
        "subscript_expression",
        "binary_expression",
        "unary_expression",
        "pointer_expression",
        "update_expression",
        "assignment_expression",
        "conditional_expression",
        "field_expression",
        "cast_expression",
        "this",
    }
)


def handles(*kinds: str) -> Callable[[Handler], Handler]:
    """Registers the handler of these node kinds."""

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            assert kind not in EXPRESSIONS, f"two handlers of {kind}"
            EXPRESSIONS[kind] = handler
        return handler

    return register


def handles_object(*kinds: str) -> Callable[[Handler], Handler]:
    """Registers the handler of these node kinds where they may be written to."""

    def register(handler: Handler) -> Handler:
        OBJECTS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def lower_object(ctx: LoweringContext, node: Node) -> Operand:
    handler = OBJECTS.get(node.kind)
    return lower(ctx, node) if handler is None else handler(ctx, node)


def lower(ctx: LoweringContext, node: Node) -> Operand:
    handler = EXPRESSIONS.get(node.kind)
    return unsupported(ctx, node) if handler is None else handler(ctx, node)


def rvalue(ctx: LoweringContext, node: Node) -> ValueId:
    """The value of an expression, recorded for hovers."""
    handler = EXPRESSIONS.get(node.kind)
    return used_value(ctx, unsupported(ctx, node) if handler is None else handler(ctx, node), node)


def used_value(ctx: LoweringContext, operand: Operand, node: Node) -> ValueId:
    """The value of what `node` was lowered to, recorded for hovers."""
    span = ctx.span(node)
    value = load(ctx, operand, span)
    if node.kind in _RECORDED:
        ctx.builder.expressions.append(Expression(span, value))
    return value


def converted_from(ctx: LoweringContext, operand: Operand, node: Node) -> LValue | ValueId:
    """What `node` was lowered to as conversions take it: the value, or the object where it is of a class.

    A conversion function is called on the object itself; where there is none, the object is read by the conversion.
    """
    if isinstance(operand, LValue) and isinstance(operand.type, StructType):
        return operand.standing_at(ctx.span(node))
    return used_value(ctx, operand, node)


def discard(ctx: LoweringContext, node: Node) -> Operand:
    """An expression whose value nobody uses: only a volatile object is read.  Gives what it denotes."""
    whole = operand = lower(ctx, node)
    if isinstance(operand, LValue) and operand.held is not None:
        operand = operand.held
    if isinstance(operand, LValue) and operand.volatile:
        operand = load(ctx, operand, ctx.span(node))
    record_value(ctx, node, operand)
    return whole


def record_value(ctx: LoweringContext, node: Node, operand: Operand) -> None:
    """For hovers, where the expression is a value; an object is recorded when it is read."""
    if isinstance(operand, int) and node.kind in _RECORDED:
        ctx.builder.expressions.append(Expression(ctx.span(node), operand))


def place(ctx: LoweringContext, node: Node) -> LValue:
    """The object an expression denotes; a value gets a temporary."""
    span = ctx.span(node)
    operand = object_behind(ctx, lower_object(ctx, node), span)
    if isinstance(operand, LValue):
        return operand
    forget_chosen(ctx, operand, span)
    return temporary(ctx, load(ctx, operand, span), span)


def temporary(ctx: LoweringContext, value: ValueId, span: Span) -> LValue:
    builder = ctx.builder
    type = builder.types[value]
    symbol = builder.symbol("", SymbolKind.LOCAL, type, span)
    address = builder.symbol_address(symbol, span)
    builder.store(address, value, span)
    is_value = value not in ctx.chosen and value not in ctx.objects and value not in ctx.named
    category = ValueCategory.XVALUE if is_value else None
    return LValue(address, type, category=category, spelled=ctx.exact_type(value))


def load(ctx: LoweringContext, operand: Operand, span: Span) -> ValueId:
    """The value of an operand: objects are read, arrays decay to pointers."""
    if isinstance(operand, int):
        return operand
    builder = ctx.builder
    if isinstance(operand, LValue):
        if operand.held is not None:
            if operand.read_at is not None:
                builder.expressions.append(Expression(operand.read_at, operand.held))
            return _read_as(ctx, operand.held, operand)
        type, read_at = operand.type, operand.read_at
        if isinstance(type, ArrayType):
            return decay(ctx, operand, span)
        if isinstance(type, HandleType) and is_atomic_object(type):
            return read_atomic(builder, operand.address, type, read_at or span)
        result = builder.value(type if operand.bits is None else unit_type(builder, operand))
        builder.emit(Load(result, operand.address, operand.volatile, read_at or span))
        if operand.bits is not None:
            result = read_bits(builder, result, type, operand.bits, read_at or span)
        if read_at is not None:
            builder.expressions.append(Expression(read_at, result))
        return result if operand.spelled is None else _read_as(ctx, result, operand)
    if isinstance(operand, Closure):
        made = ctx.closure_object(ctx, operand, span)
        if made is not None:
            return load(ctx, made, span)
        return builder.opaque("lambda used as a value", captured(ctx, operand), HandleType("lambda"), span)
    return builder.undefined(_NOTHING, span)


def _read_as(ctx: LoweringContext, value: ValueId, place: LValue) -> ValueId:
    """What is read of an object has the object's type; a bit-field that an `int` holds is promoted at once."""
    if place.spelled is None:
        return value if place.held is None else ctx.typed(value, None)
    exact = ctx.exact_type(place)
    if exact is not None and place.bits is not None:
        exact = promoted(exact, place.bits.width)
    return ctx.typed(value, None if exact is None else decayed_type(exact))


def captured(ctx: LoweringContext, closure: Closure) -> tuple[ValueId, ...]:
    """Addresses of what a lambda can reach: who calls it may change all of that."""
    addresses: dict[ValueId, None] = {}
    with ctx.elsewhere(closure.scope, closure.snippet, closure.fixed_span):
        for name in dict.fromkeys(node.text for node in closure.node.walk() if node.kind == "identifier"):
            entity = closure.scope.find(name.decode("utf-8", "replace"))
            if isinstance(entity, LocalVariable):
                addresses[ctx.builder.symbol_address(entity.symbol, ctx.fixed_span or Span(0, 0))] = None
            elif isinstance(entity, LambdaName) and entity.closure is not closure:
                addresses |= dict.fromkeys(captured(ctx, entity.closure))
    if closure.this is not None:
        addresses[ctx.builder.symbol_address(closure.this.symbol, Span(0, 0))] = None
    return tuple(addresses)


def reachable(ctx: LoweringContext, operands: Sequence[Operand], span: Span) -> tuple[ValueId, ...]:
    """The objects that a call is passed, by their addresses, and values: what is not understood may change them."""
    found: list[ValueId] = []
    for operand in operands:
        if isinstance(operand, LValue):
            found.append(operand.address)
        if isinstance(operand, Closure):
            found += captured(ctx, operand)
        else:
            found.append(load(ctx, operand, span))
    return tuple(found)


def decay(ctx: LoweringContext, operand: LValue, span: Span) -> ValueId:
    """The address of an array's first element."""
    assert isinstance(operand.type, ArrayType)
    pointer = PointerType(operand.type.element, ctx.builder.space_of(operand.address), operand.volatile)
    exact = ctx.exact_type(operand)
    value = ctx.builder.bitcast(operand.address, pointer, span)
    return ctx.typed(value, None if exact is None else decayed_type(exact))


def decayed(type: Type) -> Type:
    """The type of a value of an object of this type."""
    return PointerType(type.element, MemorySpace.GENERIC) if isinstance(type, ArrayType) else type


def unsupported(ctx: LoweringContext, node: Node, construct: str | None = None) -> ValueId:
    """Something not understood; names the construct."""
    if construct is None:
        construct = node.construct
    arguments = tuple(dict.fromkeys(_reached(ctx, node))) if node.is_error else ()
    type = UnknownType(construct)
    return ctx.builder.opaque(construct, arguments, type, ctx.span(node), may_contain_barrier=node.kind == TOO_DEEP)


def object_behind(ctx: LoweringContext, operand: Operand, span: Span) -> Operand:
    """What a reference to `operand` names: the object that a value was chosen from, where it was."""
    if not isinstance(operand, int):
        return operand
    found = ctx.objects.get(operand)
    if found is not None:
        return found()
    node = ctx.chosen.get(operand)
    if node is None:
        return operand
    names = tuple(dict.fromkeys((operand, *_reached(ctx, node))))
    type = ctx.builder.types[operand]
    construct = "a reference to what a conditional expression chooses"
    address = ctx.builder.opaque(construct, names, PointerType(type, MemorySpace.GENERIC), span)
    return LValue(address, type, spelled=ctx.exact_type(operand))


def selected_object(ctx: LoweringContext, test: ValueId, if_true: Operand, if_false: Operand, span: Span) -> LValue:
    """One of two objects of one type; a value, or what it was chosen from, counts as an object."""
    builder = ctx.builder
    places: list[LValue] = []
    for operand in (if_true, if_false):
        found = object_behind(ctx, operand, span)
        places.append(found if isinstance(found, LValue) else temporary(ctx, load(ctx, found, span), span))
    first, second = places
    space = builder.space_of(first.address)
    is_volatile = first.volatile or second.volatile
    if builder.space_of(second.address) is not space:
        space = MemorySpace.GENERIC
    pointer = PointerType(first.type, space, is_volatile)
    addresses = [builder.bitcast(found.address, pointer, span) for found in places]
    result = builder.value(pointer)
    builder.emit(Select(result, test, addresses[0], addresses[1], None, span))
    exact = ctx.exact_type(first)
    exact = exact if exact == ctx.exact_type(second) else None
    return LValue(result, first.type, is_volatile, category=ValueCategory.LVALUE, spelled=exact)


def forget_chosen(ctx: LoweringContext, operand: Operand, span: Span) -> None:
    """`c ? a : b` was lowered as a value and is written to after all: whatever it names may have changed."""
    node = ctx.chosen.get(operand) if isinstance(operand, int) and operand not in ctx.objects else None
    if node is not None:
        names = tuple(dict.fromkeys(_reached(ctx, node)))
        ctx.builder.emit(Opaque(None, "a conditional expression that is written to", names, True, span))


def _reached(ctx: LoweringContext, node: Node) -> list[ValueId]:
    """Addresses of the local variables that a broken piece of text mentions: it may change them."""
    addresses: list[ValueId] = []
    for child in node.walk():
        if child.kind == "identifier":
            operand = EXPRESSIONS["identifier"](ctx, child)
            if isinstance(operand, LValue):
                addresses.append(operand.address)
    return addresses
