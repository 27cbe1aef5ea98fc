"""Declarations inside functions: local variables, references, shared memory, lambdas, structured bindings.

Rules   A variable is a LOCAL symbol; a reference is a LOCAL symbol that holds an address.
        A constant scalar whose initialiser is a constant expression is known to constant expressions after it.
        A pointer variable with an initialiser that nothing else is assigned to keeps the initialiser's address space.
Limits  A local `static` variable that is not shared is one object in global memory, named with its function.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.conversions.standard import decayed
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType, qualified, reference_to
from analysis.ir.function import SymbolKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import Opaque
from analysis.ir.source import Span
from analysis.ir.types import (
    FUNCTION_POINTERS,
    S32,
    ArrayType,
    FloatType,
    MemorySpace,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
)
from analysis.lower.constants import declare_object, evaluate, initial_value, reads_variable
from analysis.lower.construct import construct_at, default_array, default_object, initialise
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import is_arithmetic, wrapped
from analysis.lower.convert import implicit
from analysis.lower.copies import copies_by_code
from analysis.lower.cpp_types import natural
from analysis.lower.destruction import full_expression
from analysis.lower.expressions.deduced_classes import (
    deduced_template,
    deduced_type,
    initialise_deduced,
    initialiser_operands,
)
from analysis.lower.expressions.dispatch import (
    converted_from,
    load,
    lower,
    lower_object,
    object_behind,
    temporary,
    used_value,
)
from analysis.lower.expressions.members import element, element_place, elements_of
from analysis.lower.function_values import meant_as
from analysis.lower.functions import THREAD_GROUP, function_declarator
from analysis.lower.globals import listed_length
from analysis.lower.library.source import array_elements
from analysis.lower.lifetimes import ends_by_code, extend, variable_begins
from analysis.lower.lookup import builtin_record
from analysis.lower.names import (
    AUTO,
    DECLTYPE,
    DECLTYPE_AUTO,
    Closure,
    ConstantName,
    DeclaredType,
    GlobalDeclaration,
    LambdaName,
    LocalVariable,
    TypeTemplate,
)
from analysis.lower.references import bind_reference, is_auto
from analysis.lower.statements.dispatch import handles_statement, not_understood
from analysis.lower.types import Declarator, base_type, declare, shown, specifier_words
from analysis.syntax.tree import Node


@handles_statement("declaration", "field_declaration")
def _declaration(ctx: LoweringContext, node: Node) -> None:
    words = specifier_words(node)
    base = base_type(ctx.scope, node, words)
    for declarator in node.fields("declarator"):
        value: Node | None = None
        inner = declarator
        if declarator.kind == "init_declarator":
            value = declarator.field("value")
            inner = declarator.field("declarator") or declarator
        elif function_declarator_of(declarator):
            continue  # a function declared inside a function: no code
        whole = declare(ctx.scope, base, inner)
        template = None if value is None else deduced_template(ctx, node.field("type"), whole.declared.type, value)
        if template is not None and value is not None and whole.name is not None:
            _deduced_class(ctx, template, whole.name, whole.declared, value)
        else:
            _declare_one(ctx, words, whole, value, declarator)
        if "constexpr" in words and value is not None and whole.name is not None:
            declare_object(ctx.scope, whole.name.text.decode("utf-8", "replace"), value)
    for child in node.children:
        if child.is_error:
            not_understood(ctx, child)


def _deduced_class(
    ctx: LoweringContext, template: TypeTemplate, name_node: Node, declared: DeclaredType, value: Node
) -> None:
    """`Pair p{1, 2};`: the initialiser says which `Pair` it is."""
    name, span = name_node.text.decode("utf-8", "replace"), ctx.span(name_node)
    with full_expression(ctx, ctx.span(value)):
        operands = initialiser_operands(ctx, value)
        type = deduced_type(ctx, template, operands, declared.type)
        if isinstance(type, UnknownType):
            ctx.builder.emit(Opaque(None, f"type {type.spelling} is not visible", (), False, span))
        exact = DeclaredType(type, False, declared.is_constant, declared.is_volatile)
        target, entity = _new_variable(ctx, name, exact, type, span)
        initialise_deduced(ctx, target, operands, ctx.span(value))
    variable_begins(ctx, target.address, type)
    ctx.scope.declare(name, entity)


def function_declarator_of(declarator: Node) -> bool:
    """Whether this declares a function (repair has turned variables with arguments into initialisers already)."""
    holder = Node("declaration", declarator.start, declarator.end, declarator.source, None, [declarator])
    role = declarator.role
    declarator.role = "declarator"
    found = function_declarator(holder)
    declarator.role = role
    return found is not None and found.kind == "function_declarator"


def _declare_one(
    ctx: LoweringContext, words: frozenset[str], declarator: Declarator, value: Node | None, node: Node
) -> None:
    if declarator.bindings:
        _structured_binding(ctx, declarator, value, node)
        return
    if declarator.name is None:
        not_understood(ctx, node, "declaration without a name")
        return
    name = declarator.name.text.decode("utf-8", "replace")
    span = ctx.span(declarator.name)
    kind = _kind(words, declarator.declared)
    if kind is not SymbolKind.LOCAL:
        _static(ctx, kind, name, declarator.declared, value, span)
        return
    if "constexpr" in words and value is not None and _is_computed_before(ctx, name, declarator.declared, value, span):
        return
    with full_expression(ctx, ctx.span(node)):
        begun = _local(ctx, name, declarator.declared, value, span, ctx.span(node))
    if begun is not None:
        variable_begins(ctx, begun.address, begun.type)


def _is_computed_before(ctx: LoweringContext, name: str, declared: DeclaredType, value: Node, span: Span) -> bool:
    """`constexpr int n = f(3);`: the compiler calls the function, no thread does.  False where n is not known."""
    if declared.is_reference or not any(node.kind == "call_expression" for node in value.walk()):
        return False
    constant = initial_value(ctx.scope, declared, value)
    if not isinstance(constant, ConstantName) or not is_arithmetic(constant.type):
        return False
    known = ctx.builder.constant(constant.value, constant.type, ctx.span(value))
    exact = None if constant.exact is None else constant.exact.unqualified
    _declared_value(ctx, name, declared, ctx.typed(known, exact), span).constant = constant.value
    return True


def _kind(words: frozenset[str], declared: DeclaredType) -> SymbolKind:
    if "__shared__" in words:
        is_open = isinstance(declared.type, ArrayType) and declared.type.length is None
        return SymbolKind.DYNAMIC_SHARED if "extern" in words and is_open else SymbolKind.SHARED
    if "__constant__" in words:
        return SymbolKind.CONSTANT
    if "static" in words and not declared.is_constant and "constexpr" not in words:
        return SymbolKind.GLOBAL
    if "__device__" in words:
        return SymbolKind.GLOBAL
    return SymbolKind.LOCAL


def _static(
    ctx: LoweringContext, kind: SymbolKind, name: str, declared: DeclaredType, value: Node | None, span: Span
) -> None:
    """A variable that is not the thread's own."""
    builder = ctx.builder
    type = declared.type
    if isinstance(type, UnknownType):
        builder.emit(Opaque(None, f"type {type.spelling} is not visible", (), False, span))
    if kind in (SymbolKind.GLOBAL, SymbolKind.CONSTANT):
        if isinstance(type, ArrayType) and type.length is None and value is not None:
            declared = replace(declared, type=ArrayType(type.element, listed_length(ctx.scope, value, type)))
        symbol = _of_grid(ctx, kind, name, declared, value, span)
    else:
        symbol = builder.symbol(name, kind, declared.stored, span)
    variable = builder.variable(name, declared.stored, span)
    ctx.scope.declare(name, LocalVariable(name, symbol, declared, variable))


def _of_grid(
    ctx: LoweringContext, kind: SymbolKind, name: str, declared: DeclaredType, value: Node | None, span: Span
) -> SymbolId:
    """A variable that there is one of for each function; what it holds is set once, before the first call.

    Variables of the grid are told apart by their names, and functions may use one name for variables of their own.
    """
    if ctx.depth:  # each lambda and each function that is passed one has its own
        ctx.builder.emit(Opaque(None, f"static variable {name} of a body lowered in place", (), False, span))
    same = sum(
        known.kind is kind and known.span != span and known.name.startswith(f"{name} ") for known in ctx.builder.symbols
    )
    full = f"{name} of {ctx.function}" if not same else f"{name} {same + 1} of {ctx.function}"
    ctx.program.use_variable(GlobalDeclaration(full, ctx.scope, declared, kind, value, ctx.snippet, None))
    return ctx.builder.symbol(full, kind, declared.stored, span)


def _local(
    ctx: LoweringContext, name: str, declared: DeclaredType, value: Node | None, span: Span, whole: Span
) -> LValue | None:
    """The object that is declared; None where it is none of the scope's own."""
    if declared.is_reference:
        _reference(ctx, name, declared, value, span)
        return None
    is_group = declared.type == THREAD_GROUP and value is not None and not ctx.is_reassigned(name, 1)
    if is_auto(declared.type) or is_group:
        return _deduced(ctx, name, declared, value, span)
    type = declared.type
    if isinstance(type, UnknownType):
        ctx.builder.emit(Opaque(None, f"type {type.spelling} is not visible", (), False, whole))
    spelled = declared.exact
    is_computed = spelled is not None and isinstance(spelled.type, cpp.ArrayType) and spelled.type.length is not None
    if isinstance(type, ArrayType) and type.length is None and value is not None and is_computed:
        ctx.builder.emit(Opaque(None, f"array {name}, whose length is not known", (), False, span))
    elif isinstance(type, ArrayType) and type.length is None and value is not None:
        type = ArrayType(type.element, listed_length(ctx.scope, value, type))
        if spelled is not None and isinstance(spelled.type, cpp.ArrayType):
            spelled = QualType(cpp.ArrayType(spelled.type.element, type.length))
        declared = DeclaredType(type, False, declared.is_constant, declared.is_volatile, spelled=spelled)
    is_listed = value is not None and value.kind in ("initializer_list", "argument_list")
    if isinstance(type, PointerType) and value is not None and not is_listed and not _mentions(value, name):
        given = converted_from(ctx, lower(ctx, value), value)
        known = _pointer_type(ctx, name, type, ctx.type_of(given))
        stored = implicit(ctx, given, known, span, spelled)
        _declared_value(ctx, name, declared, stored, span)
        return None
    target, entity = _new_variable(ctx, name, declared, type, span)
    ctx.scope.declare(name, entity)  # in its own initialiser the name means this variable already
    if value is not None:
        is_integral = not isinstance(type, FloatType)  # a `const float` need not be a constant
        may_be = declared.is_constant and is_arithmetic(type) and not reads_variable(ctx.scope, value)
        constant = evaluate(ctx.scope, value, is_required=is_integral) if may_be else None
        if constant is not None:
            entity.constant = wrapped(constant.value, type)
        known = replace(target, spelled=declared.exact) if type in FUNCTION_POINTERS else target
        stored = initialise(ctx, known, value, ctx.span(value))
        if stored is not None and entity.variable is not None:
            ctx.builder.defined(entity.variable, stored, span)
    elif isinstance(type, StructType):
        _default(ctx, target, type, span)
    elif isinstance(type, ArrayType):
        default_array(ctx, target, type, span)
    elif ctx.continue_to is not None and (is_arithmetic(type) or isinstance(type, PointerType | TemplateType)):
        ctx.builder.store(target.address, ctx.builder.undefined(type, span), span)  # nothing from the last iteration
    return target


def _mentions(node: Node, name: str) -> bool:
    if node.kind == "identifier":
        return node.text.decode("utf-8", "replace") == name
    return any(_mentions(child, name) for child in node.children)


def _default(ctx: LoweringContext, target: LValue, type: StructType, span: Span) -> None:
    record = ctx.program.records.get(type.name)
    if record is None:
        if not builtin_record(type):
            ctx.builder.emit(Opaque(None, f"type {type.name} is not visible", (target.address,), False, span))
        return
    default_object(ctx, target, record, span)


def _new_variable(
    ctx: LoweringContext, name: str, declared: DeclaredType, type: Type, span: Span
) -> tuple[LValue, LocalVariable]:
    builder = ctx.builder
    symbol = builder.symbol(name, SymbolKind.LOCAL, type, span)
    variable = builder.variable(name, type, span)
    address = builder.symbol_address(symbol, span)
    return LValue(address, type, declared.is_volatile, variable), LocalVariable(name, symbol, declared, variable)


def _declared_value(
    ctx: LoweringContext, name: str, declared: DeclaredType, value: ValueId, span: Span
) -> LocalVariable:
    """A variable that holds `value`, whose type it takes."""
    type, spelled = ctx.builder.types[value], declared.exact
    if spelled is None and (known := ctx.exact_type(value)) is not None and declared.type == AUTO:
        spelled = qualified(decayed(known), constant=declared.is_constant, volatile=declared.is_volatile)
    exact = DeclaredType(type, False, declared.is_constant, declared.is_volatile, spelled=spelled)
    target, entity = _new_variable(ctx, name, exact, type, span)
    ctx.builder.store(target.address, value, span, volatile=target.volatile)
    assert entity.variable is not None
    ctx.builder.defined(entity.variable, value, span)
    ctx.scope.declare(name, entity)
    return entity


def _declared_object(
    ctx: LoweringContext, name: str, declared: DeclaredType, operand: Operand, span: Span
) -> LValue | None:
    """A variable of the class of `operand` that is copied or ends by code; None where it is a value like others."""
    type = ctx.type_of(operand) if is_auto(declared.type) else declared.type
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None or type is None or not (ends_by_code(ctx, type) or copies_by_code(ctx.program, type)):
        return None
    exact = DeclaredType(type, False, declared.is_constant, declared.is_volatile)
    target, entity = _new_variable(ctx, name, exact, type, span)
    construct_at(ctx, target, record, (operand,), span)
    ctx.scope.declare(name, entity)
    return target


def _deduced(ctx: LoweringContext, name: str, declared: DeclaredType, value: Node | None, span: Span) -> LValue | None:
    """`auto name = value;`"""
    if value is not None and value.kind in ("argument_list", "initializer_list") and len(value.children) == 1:
        value = value.children[0]
    if value is None:
        not_understood(ctx, Node("declaration", 0, 0, b""), "auto without an initialiser")
        return None
    constant = evaluate(ctx.scope, value) if declared.is_constant else None
    is_any = declared.type == DECLTYPE_AUTO and value.kind != "identifier"
    operand = object_behind(ctx, lower_object(ctx, value), ctx.span(value)) if is_any else lower(ctx, value)
    if isinstance(operand, Closure):
        declarator = operand.node.field("declarator")
        if value.kind != "lambda_expression" and declarator is not None and declarator.child("lambda_specifier"):
            not_understood(ctx, value, "copy of a mutable lambda")  # it has variables of its own
        ctx.scope.declare(name, LambdaName(operand))
        return None
    if declared.type == DECLTYPE_AUTO and isinstance(operand, LValue) and _is_reference(ctx, value):
        bind_reference(ctx, name, DeclaredType(AUTO, True), operand, span)
        return None
    found = _declared_object(ctx, name, declared, operand, span) if declared.type != DECLTYPE else None
    if found is not None:
        return found
    loaded = load(ctx, operand, ctx.span(value))
    type = ctx.builder.types[loaded]
    if isinstance(type, PointerType):
        loaded = implicit(ctx, loaded, _pointer_type(ctx, name, type, type), span)
    entity = _declared_value(ctx, name, declared, loaded, span)
    if constant is not None:
        entity.constant = constant.value
    if declared.type == DECLTYPE and isinstance(operand, LValue):  # a copy or the object itself: each may change both
        both = (operand.address, ctx.builder.symbol_address(entity.symbol, span))
        ctx.builder.emit(Opaque(None, f"{name}, of a type that is not computed", both, False, span))
    return None


def _is_reference(ctx: LoweringContext, value: Node) -> bool:
    """Whether `decltype(auto)` is a reference where the initialiser is an object: a name stands for its own type."""
    if value.kind != "identifier":
        return value.kind != "field_expression"
    entity = ctx.scope.find(value.text.decode("utf-8", "replace"))
    return isinstance(entity, LocalVariable) and entity.declared.is_reference


def _pointer_type(ctx: LoweringContext, name: str, declared: PointerType, actual: Type | None) -> PointerType:
    """The declared pointer type, in the space of the initialiser where the variable is never pointed elsewhere."""
    if not isinstance(actual, PointerType) or actual.space is MemorySpace.GENERIC:
        return PointerType(declared.element, MemorySpace.GENERIC, declared.volatile)
    space = actual.space
    if ctx.is_reassigned(name, 1):
        space = MemorySpace.GENERIC
    return PointerType(declared.element, space, declared.volatile)


def _reference(ctx: LoweringContext, name: str, declared: DeclaredType, value: Node | None, span: Span) -> None:
    if value is not None and value.kind in ("argument_list", "initializer_list") and len(value.children) == 1:
        value = value.children[0]
    if value is None:
        not_understood(ctx, Node("declaration", 0, 0, b""), "reference without an initialiser")
        return
    operand = lower_object(ctx, value)
    if isinstance(operand, Closure):
        ctx.scope.declare(name, LambdaName(operand))
        return
    extend(ctx, bind_reference(ctx, name, declared, operand, span))


def declare_bound(ctx: LoweringContext, base: DeclaredType, declarator: Node, found: LValue) -> None:
    """The variable of a range-for: a copy of the element, or a reference to it."""
    whole = declare(ctx.scope, base, declarator)
    if whole.bindings:
        _bind_members(ctx, whole, found, ctx.span(declarator))
        return
    if whole.name is None:
        not_understood(ctx, declarator, "declaration without a name")
        return
    name = whole.name.text.decode("utf-8", "replace")
    span = ctx.span(whole.name)
    if whole.declared.is_reference:
        bind_reference(ctx, name, whole.declared, found, span)
        return
    made = _declared_object(ctx, name, whole.declared, found, span)
    if made is not None:
        variable_begins(ctx, made.address, made.type)
        return
    if is_auto(whole.declared.type):
        value = load(ctx, found, span)
    else:
        value = implicit(ctx, found, whole.declared.type, span, whole.declared.exact)
    _declared_value(ctx, name, whole.declared, value, span)


def declare_condition(ctx: LoweringContext, node: Node) -> Operand:
    """`if (T name = value)`: declares the variable and gives its value, or the object that it is."""
    declarator, value = node.field("declarator"), node.field("value")
    if declarator is not None and declarator.kind == "init_declarator":
        value = declarator.field("value")
        declarator = declarator.field("declarator")
    if declarator is None or value is None:
        return ctx.builder.opaque("declaration as a condition", (), UnknownType(shown(node)), ctx.span(node))
    whole = declare(ctx.scope, base_type(ctx.scope, node), declarator)
    with full_expression(ctx, ctx.span(node)):
        found = _initialised_condition(ctx, whole, value)
    if isinstance(found, LValue):
        variable_begins(ctx, found.address, found.type)
    return found


def _initialised_condition(ctx: LoweringContext, whole: Declarator, value: Node) -> LValue | ValueId:
    name = "" if whole.name is None else whole.name.text.decode("utf-8", "replace")
    span = ctx.span(value) if whole.name is None else ctx.span(whole.name)
    declared = whole.declared
    if declared.is_reference:
        operand = lower_object(ctx, value)
        extend(ctx, bind_reference(ctx, name, declared, operand, span))
        return used_value(ctx, operand, value)
    record = ctx.program.records.get(declared.type.name) if isinstance(declared.type, StructType) else None
    if record is not None and value.kind in ("initializer_list", "argument_list"):
        target, entity = _new_variable(ctx, name, declared, declared.type, span)
        initialise(ctx, target, value, ctx.span(value))
        ctx.scope.declare(name, entity)
        return target
    operand = lower(ctx, value)
    made = _declared_object(ctx, name, declared, operand, span)
    if made is not None:
        return made
    if is_auto(declared.type):
        loaded = used_value(ctx, operand, value)
    else:
        given = meant_as(ctx, converted_from(ctx, operand, value), declared.exact, ctx.span(value))
        loaded = implicit(ctx, given, declared.type, ctx.span(value), declared.exact)
    if whole.name is not None:
        _declared_value(ctx, name, declared, loaded, span)
    return loaded


def _structured_binding(ctx: LoweringContext, declarator: Declarator, value: Node | None, node: Node) -> None:
    """`auto [a, b] = value;`: each name is a member of the (copied) value."""
    if value is None:
        not_understood(ctx, node, "structured binding")
        return
    _bind_members(ctx, declarator, lower(ctx, value), ctx.span(node))


def _bind_members(ctx: LoweringContext, declarator: Declarator, operand: Operand, span: Span) -> None:
    found = operand if isinstance(operand, LValue) else temporary(ctx, load(ctx, operand, span), span)
    made = None
    if not declarator.declared.is_reference:
        made = _declared_object(ctx, "", declarator.declared, operand, span)
    if made is not None:
        found = made
        variable_begins(ctx, made.address, made.type)
    elif not declarator.declared.is_reference and isinstance(operand, LValue):
        exact = ctx.exact_type(found)
        found = temporary(ctx, ctx.builder.load(found.address, found.type, span), span)
        found = replace(found, spelled=exact)
    if not declarator.declared.is_reference:
        exact = ctx.exact_type(found) or natural(found.type)
        copy = None if exact is None else qualified(exact.unqualified, constant=declarator.declared.is_constant)
        found = replace(found, category=ValueCategory.LVALUE, spelled=copy)
    elements = array_elements(ctx.program, found.type)
    if elements is not None:
        found = elements_of(ctx, found, elements, span)
    types = _member_types(ctx, found.type)
    for index, name_node in enumerate(declarator.bindings):
        name = name_node.text.decode("utf-8", "replace")
        if index >= len(types):
            unknown = UnknownType(name)
            pointer = PointerType(unknown, MemorySpace.GENERIC)
            whole = (found.address,)
            address = ctx.builder.opaque(f"structured binding {name}", whole, pointer, span)
            bind_reference(ctx, name, DeclaredType(unknown, True), LValue(address, unknown), ctx.span(name_node))
            continue
        if isinstance(found.type, ArrayType):
            number = ctx.builder.constant(index, S32, span)
            bound: Operand = element_place(ctx, found, types[index], number, span)
            exact = ctx.exact_type(bound)
        else:
            bound = element(ctx, found, index, types[index], span)
            exact = _binding_type(ctx, found.type, index, is_constant=declarator.declared.is_constant)
        declared = DeclaredType(types[index], True, spelled=None if exact is None else reference_to(exact))
        bind_reference(ctx, name, declared, bound, ctx.span(name_node))
        entity = ctx.scope.names.get(name)
        if isinstance(entity, LocalVariable) and exact is not None:
            entity.is_binding = True


def _binding_type(ctx: LoweringContext, type: Type, index: int, *, is_constant: bool) -> QualType | None:
    """What the member is declared as of which a name in `auto [a, b]` is one; None where it is not known."""
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    exact = record.fields[index].declared.exact if record is not None and index < len(record.fields) else None
    if exact is None or exact.is_reference:
        return None
    return qualified(exact, constant=is_constant)


def _member_types(ctx: LoweringContext, type: Type) -> list[Type]:
    if isinstance(type, VectorType):
        return [type.element] * type.length
    if isinstance(type, ArrayType):
        return [type.element] * (type.length or 0)
    if isinstance(type, StructType):
        layout = ctx.program.layouts.get(type.name) or builtin_record(type)
        return [] if layout is None else [member.type for member in layout.fields]
    return []
