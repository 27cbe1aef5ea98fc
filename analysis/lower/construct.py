"""Initialisation: of variables, members, temporaries; by value, by constructor, by list, by default.

Rules   A class with constructors is initialised by a call, an aggregate base by base and member by member, in order,
        the rest by constructors, default member initialisers or zero.  `T()` and `T{}` of a class without constructors
        are zero, but for the bases and members that have some.
Limits  A braced list prefers no `initializer_list` constructor.  What ends an object: `lifetimes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from analysis.cpp.types.model import ClassType, QualType
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Opaque
from analysis.ir.source import Span
from analysis.ir.types import (
    FUNCTION_POINTERS,
    S32,
    S64,
    ArrayType,
    FloatType,
    PointerType,
    StructType,
    Type,
    UnknownType,
    VectorType,
)
from analysis.lower.bit_fields import clear_units, store_to
from analysis.lower.braced_arguments import listed_type
from analysis.lower.builtins import builtin_constructor, builtin_layout
from analysis.lower.builtins.atomic_objects import is_atomic_reference
from analysis.lower.calls import call_builtin, call_method, copy_object, unknown_call
from analysis.lower.class_knowledge import conversion_arguments
from analysis.lower.class_numbers import set_class
from analysis.lower.closure_objects import as_objects
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import is_arithmetic
from analysis.lower.convert import implicit
from analysis.lower.counted_loops import count_from
from analysis.lower.exact_arguments import as_written, structured
from analysis.lower.expressions.arguments import argument_operands
from analysis.lower.expressions.dispatch import converted_from, load, lower, lower_object, rvalue, temporary
from analysis.lower.expressions.members import member_place, upcast
from analysis.lower.function_values import meant_as
from analysis.lower.functions import generic_signature
from analysis.lower.lifetimes import take_over, temporary_begins
from analysis.lower.names import Closure, DeclaredType, FunctionDeclaration, Record, TemplateArgument
from analysis.lower.overloads import choose
from analysis.lower.packs import expanded
from analysis.lower.records import (
    constructors_of,
    conversion_operators,
    has_defaulted_constructor,
    initialising_constructors,
    is_derived,
    written_constructors,
)
from analysis.lower.references import bind_member
from analysis.lower.strings import array_of_string, fill_characters
from analysis.lower.types import spelled
from analysis.syntax.tree import Node


def new_object(ctx: LoweringContext, type: Type, span: Span, name: str = "") -> LValue:
    """A local object without contents."""
    symbol = ctx.builder.symbol(name, SymbolKind.LOCAL, type, span)
    return LValue(ctx.builder.symbol_address(symbol, span), type)


def construct(ctx: LoweringContext, type: Type, arguments: Sequence[Operand], span: Span) -> Operand:
    """The temporary `type(arguments...)`."""
    arguments = as_objects(ctx, arguments, span)
    if isinstance(type, StructType):
        record = ctx.program.records.get(type.name)
        if record is not None:
            target = new_object(ctx, type, span)
            construct_at(ctx, target, record, arguments, span)
            return temporary_begins(ctx, target, span)
    if len(arguments) == 1 and not isinstance(arguments[0], Closure) and ctx.type_of(arguments[0]) == type:
        return load(ctx, arguments[0], span)
    builtin = builtin_constructor(type)
    if builtin is not None:
        return call_builtin(ctx, builtin, arguments, (), span)
    if not arguments:
        return zero(ctx, type, span)
    if len(arguments) == 1:
        return implicit(ctx, arguments[0], type, span, is_direct=True)
    return unknown_call(ctx, f"construction of {spelled(type)}", arguments, span, type)


def construct_at(
    ctx: LoweringContext, target: LValue, record: Record, arguments: Sequence[Operand], span: Span
) -> None:
    """Initialises the object `target` of class `record` with constructor arguments."""
    arguments = as_objects(ctx, arguments, span)
    if len(arguments) == 1 and ctx.type_of(arguments[0]) == record.type:
        _copy(ctx, target, record, arguments[0], span)
        return
    same = _as_own(ctx, record, arguments[0], span) if len(arguments) == 1 else None
    if same is not None:
        _copy(ctx, target, record, same, span)
        return
    constructors = written_constructors(record)
    if record.inherited and (arguments or not _has_implicit_constructor(record)):
        _construct_inherited(ctx, target, record, arguments, span)
        return
    if constructors and (arguments or not has_defaulted_constructor(record)):
        call_method(ctx, target, record, constructors, (), arguments, span)
        return
    if arguments:
        _fill_members(ctx, target, record, [*arguments], span)
        return
    default_members(ctx, target, record, span, zeroed=True)


def _as_own(ctx: LoweringContext, record: Record, argument: Operand, span: Span) -> Operand:
    """The object of just this class that an object of another class is copied from; None where a constructor takes it.

    It is a base of the other object, or what a conversion function gives, an explicit one too.
    """
    type = ctx.type_of(argument)
    other = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if other is None or other.is_guess or record.is_guess:
        return None
    choice = choose(ctx, initialising_constructors(record), (), (argument,))
    if choice is not None and (choice.is_exact or not is_derived(other, record)):
        return None
    whole = argument if isinstance(argument, LValue) else temporary(ctx, load(ctx, argument, span), span)
    if is_derived(other, record):
        return upcast(ctx, whole, other, record, span)
    for function in conversion_operators(other):
        explicit = _arguments_for(ctx, function, record)
        if explicit is not None:
            return call_method(ctx, whole, other, (function,), explicit, (), span)
    return None


def _arguments_for(
    ctx: LoweringContext, function: FunctionDeclaration, record: Record
) -> tuple[TemplateArgument, ...] | None:
    """The template arguments with which a conversion function gives an object of that class; None where it does not."""
    if not function.template_parameters:
        return () if generic_signature(function).returns.type == record.type else None
    wanted = structured(ctx.program, QualType(ClassType(record.name)))
    found = None if wanted is None else conversion_arguments(ctx.program, function, wanted)
    written = [as_written(ctx.program, each) for each in found or ()]
    known = tuple(each for each in written if each is not None)
    return known if found is not None and len(known) == len(written) else None


def _has_implicit_constructor(record: Record) -> bool:
    """Whether `T()` runs no constructor that anybody wrote for the class."""
    return not constructors_of(record) or has_defaulted_constructor(record)


def _construct_inherited(
    ctx: LoweringContext, target: LValue, record: Record, arguments: Sequence[Operand], span: Span
) -> None:
    """A call of a constructor of the class, or of one from a base: the base is built by it, all else by default."""
    choice = choose(ctx, initialising_constructors(record), (), arguments)
    chosen = None if choice is None or choice.rivals else choice.instance.declaration
    if chosen is not None and chosen.owner is record:
        call_method(ctx, target, record, [chosen], (), arguments, span)
        return
    owner = None if chosen is None else chosen.owner
    bases = [base for base in record.inherited if owner is not None and is_derived(base, owner)]
    if len(bases) == 1:
        default_members(ctx, target, record, span, given=(bases[0], arguments))
    else:
        unknown_call(ctx, f"construction of {record.name}, which inherits constructors", (target, *arguments), span)


def _copy(ctx: LoweringContext, target: LValue, record: Record, value: Operand, span: Span) -> None:
    """Initialises `target` from an object of its class, which it may take over."""
    if isinstance(value, int) and value in ctx.objects:
        value = ctx.objects[value]()
    if isinstance(value, LValue) and not take_over(ctx, value):
        copy_object(ctx, target, record, value, span)
    else:
        ctx.builder.store(target.address, load(ctx, value, span), span)
        set_class(ctx, target, record, span)


def default_members(
    ctx: LoweringContext,
    target: LValue,
    record: Record,
    span: Span,
    *,
    zeroed: bool = False,
    given: tuple[Record, Sequence[Operand]] | None = None,
) -> None:
    """Default initialisation: bases, default member initialisers, and members that have constructors.

    `given` is a base that is built with arguments.
    """
    clear_units(ctx, target, record, span)
    for base, _ in record.bases:
        inner = upcast(ctx, target, record, base, span)
        if inner is not None and given is not None and given[0] is base:
            construct_at(ctx, inner, base, given[1], span)
        elif inner is not None:
            default_object(ctx, inner, base, span, zeroed=zeroed)
    set_class(ctx, target, record, span)
    for index in range(record.own_fields, len(record.fields)):
        _default_member(ctx, target, record, index, span, zeroed=zeroed)


def _default_member(
    ctx: LoweringContext, target: LValue, record: Record, index: int, span: Span, *, zeroed: bool
) -> None:
    declared = record.fields[index].declared
    default = record.fields[index].default
    if record.fields[index].is_class_number or (default is None and declared.is_reference):
        return
    if default is None and not zeroed and not needs_construction(ctx, declared.type):
        return
    inner = ctx.program.records.get(declared.type.name) if isinstance(declared.type, StructType) else None
    member = member_place(ctx, target, record, index, span)
    if default is not None:
        with ctx.elsewhere(record.scope, record.snippet, span):
            initialise_member(ctx, member, declared, default, span)
    elif inner is not None:
        default_object(ctx, member, inner, span, zeroed=zeroed)
    elif isinstance(declared.type, ArrayType):
        default_array(ctx, member, declared.type, span, zeroed=zeroed)
    elif zeroed:
        store_to(ctx.builder, member, zero(ctx, declared.type, span), span)


def default_object(ctx: LoweringContext, target: LValue, record: Record, span: Span, *, zeroed: bool = False) -> None:
    """`T x;`: the default constructor, or the default of every member."""
    constructors = written_constructors(record)
    if record.inherited and not _has_implicit_constructor(record):
        _construct_inherited(ctx, target, record, (), span)
    elif constructors and not has_defaulted_constructor(record):
        call_method(ctx, target, record, constructors, (), (), span)
    else:
        default_members(ctx, target, record, span, zeroed=zeroed)


def default_array(ctx: LoweringContext, target: LValue, type: ArrayType, span: Span, *, zeroed: bool = False) -> None:
    """`T x[n];`: the default of every element."""
    if not zeroed and not needs_construction(ctx, type):
        return
    element = type.element
    if type.length is None:
        construct = f"initialisation of {spelled(type)}, whose length is not known"
        ctx.builder.emit(Opaque(None, construct, (target.address,), False, span))
        return
    record = ctx.program.records.get(element.name) if isinstance(element, StructType) else None

    def make(place: LValue) -> None:
        if record is not None:
            default_object(ctx, place, record, span, zeroed=zeroed)
        elif isinstance(element, ArrayType):
            default_array(ctx, place, element, span, zeroed=zeroed)
        else:
            initialise_zero(ctx, place, span)

    _each_element(ctx, target, type, 0, make, span)


def _elements(type: ArrayType) -> int:
    """Scalars or classes in an array, arrays in it counted whole."""
    count = 1
    inner: Type = type
    while isinstance(inner, ArrayType):
        count *= inner.length or 1
        inner = inner.element
    return count


def needs_construction(ctx: LoweringContext, type: Type) -> bool:
    """Whether `T x;` does anything."""
    while isinstance(type, ArrayType):
        type = type.element
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    return record is not None and _record_needs_construction(ctx, record)


def _record_needs_construction(ctx: LoweringContext, record: Record) -> bool:
    if written_constructors(record) and not has_defaulted_constructor(record):
        return True
    if any(field.is_class_number for field in record.fields):
        return True
    if any(_record_needs_construction(ctx, base) for base, _ in record.bases):
        return True
    for member in record.fields[record.own_fields :]:
        if member.default is not None or member.width is not None:
            return True
        if member.declared.type != record.type and needs_construction(ctx, member.declared.type):
            return True
    return False


def initialise(ctx: LoweringContext, target: LValue, value: Node, span: Span) -> ValueId | None:
    """Initialises `target` from what stands after its name: `= value`, `(arguments)`, `{list}`.

    Gives the value that a scalar variable was initialised with.
    """
    if value.kind == "initializer_list":
        return initialise_list(ctx, target, value, span)
    if value.kind == "argument_list":
        return _initialise_arguments(ctx, target, value, span)
    if isinstance(target.type, StructType):
        record = ctx.program.records.get(target.type.name)
        operand = lower(ctx, value)
        if record is not None:
            construct_at(ctx, target, record, (operand,), span)
            return None
        ctx.builder.store(target.address, implicit(ctx, operand, target.type, span), span)
        return None
    if isinstance(target.type, ArrayType):
        characters = array_of_string(target.type, value)
        if characters is not None:
            fill_characters(ctx, target, target.type, characters, span)
            return None
        operand = lower(ctx, value)
        if not isinstance(operand, LValue):
            return _store(ctx, target, load(ctx, operand, span), span)
        return _store(ctx, target, ctx.builder.load(operand.address, operand.type, span), span)
    exact = ctx.exact_type(target)
    given = meant_as(ctx, converted_from(ctx, lower(ctx, value), value), exact, span)
    return _store(ctx, target, implicit(ctx, given, target.type, span, exact), span)


def initialise_member(ctx: LoweringContext, target: LValue, declared: DeclaredType, value: Node, span: Span) -> None:
    """Initialises a member from what stands after its name; a reference is bound to it."""
    if declared.is_reference:
        bind_member(ctx, target, declared, value, span)
    else:
        initialise(ctx, target, value, span)


def _store(ctx: LoweringContext, target: LValue, value: ValueId, span: Span) -> ValueId:
    if isinstance(target.type, ArrayType) and ctx.builder.types[value] != target.type:
        value = ctx.builder.opaque("initialiser of an array", (value,), target.type, span)
    store_to(ctx.builder, target, value, span)
    return value


def _initialise_arguments(ctx: LoweringContext, target: LValue, value: Node, span: Span) -> ValueId | None:
    record = ctx.program.records.get(target.type.name) if isinstance(target.type, StructType) else None
    constructors = () if record is None else written_constructors(record)
    operands = argument_operands(ctx, value, constructors, braced_objects(ctx, value, constructors))
    if record is not None:
        construct_at(ctx, target, record, operands, span)
        return None
    built = construct(ctx, target.type, operands, span)
    return _store(ctx, target, implicit(ctx, load(ctx, built, span), target.type, span), span)


def initialise_list(ctx: LoweringContext, target: LValue, value: Node, span: Span) -> ValueId | None:
    """`target{...}` or `= {...}`."""
    nodes = expanded(ctx.scope, value.children)
    type = target.type
    if isinstance(type, StructType):
        record = ctx.program.records.get(type.name)
        if record is None:
            return _builtin_list(ctx, target, type, nodes, span)
        constructors = initialising_constructors(record)
        if constructors:
            made = braced_objects(ctx, value, constructors)
            operands = [made.get(index) or _list_operand(ctx, node) for index, node in enumerate(nodes)]
            construct_at(ctx, target, record, operands, span)
            return None
        if len(nodes) == 1 and nodes[0].kind not in ("initializer_list", "initializer_pair"):
            operand = lower(ctx, nodes[0])
            if ctx.type_of(operand) == type:
                construct_at(ctx, target, record, (operand,), span)
                return None
            _fill_members(ctx, target, record, [operand], span)
            return None
        _fill_members(ctx, target, record, [*nodes], span)
        return None
    if isinstance(type, ArrayType):
        _fill_elements(ctx, target, type, nodes, span)
        return None
    if isinstance(type, VectorType):
        return _fill_vector(ctx, target, type, nodes, span)
    if not nodes:
        return _store(ctx, target, zero(ctx, type, span), span)
    if len(nodes) == 1 and is_atomic_reference(type):
        built = construct(ctx, type, [lower_object(ctx, nodes[0])], span)
        return _store(ctx, target, load(ctx, built, span), span)
    if len(nodes) == 1:
        return initialise(ctx, target, nodes[0], span)
    return _opaque_list(ctx, target, nodes, span)


def braced_objects(
    ctx: LoweringContext, arguments: Node, declarations: Sequence[FunctionDeclaration]
) -> Mapping[int, LValue]:
    """The objects that lists among the arguments of a call of one of `declarations` are, by position."""
    nodes = expanded(ctx.scope, arguments.children)
    made: dict[int, LValue] = {}
    for index, node in enumerate(nodes):
        is_list = node.kind == "initializer_list"
        type = listed_type(ctx, declarations, index, len(nodes), node) if is_list else None
        if type is not None:
            span = ctx.span(node)
            target = new_object(ctx, type, span)
            initialise_list(ctx, target, node, span)
            made[index] = temporary_begins(ctx, target, span)
    return made


def _list_operand(ctx: LoweringContext, node: Node) -> Operand:
    return None if node.kind == "initializer_list" else lower(ctx, node)


def _builtin_list(ctx: LoweringContext, target: LValue, type: StructType, nodes: Sequence[Node], span: Span) -> ValueId:
    """A pair or a tuple, member by member."""
    layout = builtin_layout(type)
    if layout is None or any(node.kind in ("initializer_list", "initializer_pair") for node in nodes):
        return _opaque_list(ctx, target, nodes, span)
    if not nodes:
        return _store(ctx, target, ctx.builder.constant(None, type, span), span)
    built = construct(ctx, type, [lower(ctx, node) for node in nodes], span)
    return _store(ctx, target, implicit(ctx, load(ctx, built, span), type, span), span)


def _opaque_list(ctx: LoweringContext, target: LValue, nodes: Sequence[Node], span: Span) -> ValueId:
    values = tuple(rvalue(ctx, node) for node in nodes if node.kind not in ("initializer_list", "initializer_pair"))
    value = ctx.builder.opaque(f"initialiser list of {spelled(target.type)}", values, target.type, span)
    return _store(ctx, target, value, span)


def _fill_vector(
    ctx: LoweringContext, target: LValue, type: VectorType, nodes: Sequence[Node], span: Span
) -> ValueId | None:
    if len(nodes) == 1 and nodes[0].kind not in ("initializer_list", "initializer_pair"):
        operand = lower(ctx, nodes[0])
        if ctx.type_of(operand) == type:
            return _store(ctx, target, load(ctx, operand, span), span)
        _store_member(ctx, target, 0, type.element, operand, span)
        nodes, first = (), 1
    else:
        first = 0
    for index in range(first, type.length):
        if index < len(nodes):
            _store_member(ctx, target, index, type.element, lower(ctx, nodes[index]), span)
        else:
            _store_member(ctx, target, index, type.element, zero(ctx, type.element, span), span)
    return None


def _store_member(ctx: LoweringContext, target: LValue, index: int, type: Type, operand: Operand, span: Span) -> None:
    address = ctx.builder.field_address(target.address, index, type, span)
    ctx.builder.store(address, implicit(ctx, operand, type, span), span)


def _fill_members(
    ctx: LoweringContext, target: LValue, record: Record, pending: list[Node | Operand], span: Span
) -> None:
    """Aggregate initialisation from the first of what is `pending`, which it takes; the rest by default or zero."""
    listed = [each for each in pending if isinstance(each, Node) and each.kind == "initializer_pair"]
    designated = {_designator(node): node for node in listed}
    clear_units(ctx, target, record, span)
    for base, _ in record.bases:
        whole = upcast(ctx, target, record, base, span)
        if whole is not None:
            _fill_base(ctx, whole, base, pending if not designated else [], span)
    set_class(ctx, target, record, span)
    for index in range(record.own_fields, len(record.fields)):
        member = record.fields[index]
        if member.is_class_number or (not member.name and member.width is not None):
            continue
        inner = member_place(ctx, target, record, index, span)
        node = designated.get(member.name)
        if node is not None:
            value = node.field("value")
            if value is not None:
                initialise_member(ctx, inner, member.declared, value, ctx.span(value))
        elif pending and not designated and member.declared.is_reference:
            bind_member(ctx, inner, member.declared, pending.pop(0), span)
        elif pending and not designated:
            _fill_from(ctx, inner, pending, span)
        else:
            _default_member(ctx, target, record, index, span, zeroed=not record.is_union)
        if record.is_union:
            return


def _fill_base(ctx: LoweringContext, target: LValue, base: Record, pending: list[Node | Operand], span: Span) -> None:
    """The base of an aggregate, which is an element as its members are; an empty one takes no more than `{}`."""
    first = pending[0] if pending else None
    if isinstance(first, Node) and first.kind != "initializer_list":
        first = pending[0] = lower(ctx, first)
    if isinstance(first, Closure):
        (first,) = pending[:1] = as_objects(ctx, (first,), span)
    if first is not None and not isinstance(first, Node) and ctx.type_of(first) == base.type:
        construct_at(ctx, target, base, (first,), span)
        del pending[0]
    elif first is None or not (base.fields or written_constructors(base) or _is_empty_list(first)):
        default_object(ctx, target, base, span, zeroed=True)
    else:
        _fill_from(ctx, target, pending, span)


def _is_empty_list(value: Node | Operand) -> bool:
    return isinstance(value, Node) and value.kind == "initializer_list" and not value.children


def _fill_from(ctx: LoweringContext, target: LValue, pending: list[Node | Operand], span: Span) -> None:
    """One member from the first that is pending; an array or class without braces of its own takes as many as it needs.

    Source: C++ standard, "Aggregates", on brace elision.
    """
    first = pending[0]
    if isinstance(target.type, ArrayType) and not (isinstance(first, Node) and first.kind in _WHOLE_ARRAYS):
        length = target.type.length
        if length is None or length > MAX_ZEROED * 4 or _elements(target.type) > MAX_ELEMENTS:
            pending.clear()
            ctx.builder.emit(Opaque(None, "a large array without braces", (target.address,), False, span))
            return
        element = target.type.element
        for index in range(length):
            number = ctx.builder.constant(index, S32, span)
            place = LValue(ctx.builder.element_address(target.address, number, element, span), element)
            if pending:
                _fill_from(ctx, place, pending, span)
            else:
                initialise_zero(ctx, place, span)
        return
    record = ctx.program.records.get(target.type.name) if isinstance(target.type, StructType) else None
    if record is not None and not (isinstance(first, Node) and first.kind in _WHOLE_ARRAYS):
        operand = pending[0] = lower(ctx, first) if isinstance(first, Node) else first
        is_object = isinstance(ctx.type_of(operand), StructType | UnknownType)
        is_whole = is_object or record.inherited or written_constructors(record)
        if not is_whole and record.fields:
            _fill_members(ctx, target, record, pending, span)
        else:
            construct_at(ctx, target, record, (operand,), span)
            del pending[0]
        return
    del pending[0]
    if isinstance(first, Node):
        initialise(ctx, target, first, ctx.span(first))
    else:
        exact = ctx.exact_type(target)
        given = meant_as(ctx, first, exact, span)
        store_to(ctx.builder, target, implicit(ctx, given, target.type, span, exact), span)


def initialise_zero(ctx: LoweringContext, target: LValue, span: Span) -> None:
    """What an element has that no initialiser is left for."""
    if isinstance(target.type, ArrayType):
        _fill_elements(ctx, target, target.type, (), span)
        return
    record = ctx.program.records.get(target.type.name) if isinstance(target.type, StructType) else None
    if record is not None:
        default_object(ctx, target, record, span, zeroed=True)
    else:
        ctx.builder.store(target.address, zero(ctx, target.type, span), span)


def _designator(node: Node) -> str:
    designator = node.field("designator")
    if designator is None or not designator.children:
        return ""
    return designator.children[0].text.decode("utf-8", "replace")


def _fill_elements(ctx: LoweringContext, target: LValue, type: ArrayType, nodes: Sequence[Node], span: Span) -> None:
    builder = ctx.builder
    pending: list[Node | Operand] = [*nodes]
    filled = 0
    while pending and filled != type.length:
        number = builder.constant(filled, S32, span)
        address = builder.element_address(target.address, number, type.element, span)
        _fill_from(ctx, LValue(address, type.element), pending, span)
        filled += 1
    if type.length is not None:
        _each_element(ctx, target, type, filled, lambda place: initialise_zero(ctx, place, span), span)


def _each_element(
    ctx: LoweringContext, target: LValue, type: ArrayType, first: int, make: Callable[[LValue], None], span: Span
) -> None:
    """Makes the elements from that number on: one by one where they are few, in a loop otherwise."""
    builder, length = ctx.builder, type.length or 0

    def place(number: ValueId) -> LValue:
        return LValue(builder.element_address(target.address, number, type.element, span), type.element)

    if first < length and (length - first > MAX_ZEROED or _elements(type) > MAX_ELEMENTS):
        ends = builder.constant(first, S64, span), builder.constant(length, S64, span)
        count_from(ctx, *ends, lambda number: make(place(number)), span)
        return
    for index in range(first, length):
        make(place(builder.constant(index, S32, span)))


_WHOLE_ARRAYS = frozenset({"initializer_list", "string_literal", "concatenated_string", "raw_string_literal"})

MAX_ELEMENTS = 4_096
"""Of arrays in arrays; one with more is made in a loop."""
MAX_ZEROED = 64
"""More elements than this are made in a loop, not one by one."""


def zero(ctx: LoweringContext, type: Type, span: Span) -> ValueId:
    """The value of `T()`."""
    builder = ctx.builder
    if isinstance(type, FloatType):
        return builder.constant(0.0, type, span)
    if is_arithmetic(type) or isinstance(type, PointerType) or type in FUNCTION_POINTERS:
        return builder.constant(0, type, span)
    return builder.constant(None, type, span)
