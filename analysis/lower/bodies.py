"""One function's body: parameters, member initialisers, statements.

Rules   Every parameter is stored into a local symbol at entry.  A kernel's pointer parameter that nothing else is
        assigned to keeps its space; otherwise the symbol is generic.
        A constructor initialises its bases and members in order before its body runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from analysis.cpp.templates.substitution import names_in
from analysis.cpp.types.model import QualType
from analysis.ir.function import Function, Parameter, SymbolKind
from analysis.ir.ids import FunctionId
from analysis.ir.pace import popped, spend
from analysis.ir.source import Span
from analysis.ir.types import (
    VOID,
    ArrayType,
    MemorySpace,
    PointerType,
    StructType,
    Type,
)
from analysis.lower.bit_fields import clear_units
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins import builtin_layout
from analysis.lower.class_conversions import convert_class
from analysis.lower.class_numbers import set_class
from analysis.lower.closure_objects import closure_object
from analysis.lower.construct import construct_at, default_object, initialise_member, initialise_zero
from analysis.lower.context import LoweringContext, LValue, PointerMoved, ReturnTarget
from analysis.lower.destruction import full_expression, leave, parts_end
from analysis.lower.expressions.arguments import argument_operands
from analysis.lower.expressions.members import member_place, this_object, upcast
from analysis.lower.functions import is_deduced, is_for_constants, pack_names, parameter_list
from analysis.lower.handlers import statement
from analysis.lower.inlining import declare_packs
from analysis.lower.lifetimes import is_passed_by_address
from analysis.lower.lookup import find
from analysis.lower.names import (
    ArgumentPack,
    Declarations,
    DeclaredType,
    Entity,
    FunctionInstance,
    LocalVariable,
    PackPattern,
    ParameterDeclaration,
    Record,
    Scope,
    TemplateArgument,
    TemplateValue,
    TypeName,
)
from analysis.lower.packs import element_scope, pack_element, pack_length
from analysis.lower.statements.dispatch import not_understood
from analysis.lower.types import innermost
from analysis.syntax.tree import Node


def lower_body(
    program: Declarations, instance: FunctionInstance, warp_size: int
) -> tuple[Function, tuple[FunctionId, ...], QualType | None, bool]:
    """The function in memory form, the functions it calls, and the C++ type of its result, where that is known; and
    whether it depends on which functions may be called by a value."""
    moved: frozenset[str] = frozenset()
    while True:
        try:
            return _lower_body(program, instance, warp_size, moved)
        except PointerMoved as found:
            moved |= {found.name}


def _lower_body(
    program: Declarations,
    instance: FunctionInstance,
    warp_size: int,
    moved: frozenset[str],
) -> tuple[Function, tuple[FunctionId, ...], QualType | None, bool]:
    declaration = instance.declaration
    builder = FunctionBuilder()
    ctx = LoweringContext(
        program=program,
        builder=builder,
        snippet=declaration.snippet,
        scope=instance.scope.inside(),
        returns=ReturnTarget(instance.signature.returns, body=declaration.body),
        warp_size=warp_size,
        convert_class=convert_class,
        closure_object=closure_object,
        function=instance.id,
        owner=declaration.owner,
        moved=moved,
    )
    node = declaration.node
    if instance.this is not None:
        begins_or_ends = declaration.is_constructor or declaration.is_destructor
        whole = declaration.owner if begins_or_ends else instance.most_derived
        ctx.this = _this(ctx, replace(instance.this, is_constant=is_for_constants(declaration)), whole)
    may_qualify = not _says_qualifiers(instance)
    for parameter in instance.signature.parameters:
        _parameter(ctx, parameter, is_kernel=declaration.item.is_kernel, may_qualify=may_qualify)
        if parameter.name in instance.pointed:
            ctx.scope.declare(parameter.name, instance.pointed[parameter.name])
    declare_packs(ctx.scope, pack_names(parameter_list(declaration.declarator)), instance.signature.parameters)
    if declaration.is_constructor and declaration.owner is not None:
        _member_initialisers(ctx, declaration.owner, node)
    body = declaration.body
    if body is None and node.child("default_method_clause") is None:
        not_understood(ctx, node, "syntax error" if node.has_error else "function without a body")
    end = ctx.token_span(max(node.end - 1, node.start), node.end)
    owner = declaration.owner
    if declaration.is_destructor and owner is not None:
        whole = this_object(ctx, owner, end)
        if whole is not None:
            set_class(ctx, whole, owner, ctx.span(declaration.declarator))
            parts_end(ctx, whole, owner, end)
    if body is not None:
        statement(ctx, body)
    leave(ctx, None, end)
    returns = ctx.returns.declared
    returned: Type = VOID if is_deduced(returns) else returns.stored
    function = builder.finish(instance.id, declaration.name, declaration.kind, returned, end)
    add_layouts(program, builder)
    return function, tuple(ctx.callees), returns.exact, ctx.asks_for_functions


def _says_qualifiers(instance: FunctionInstance) -> bool:
    """Whether the C++ types of all template arguments are known: then what they are of is `const` where it says so."""
    declaration = instance.declaration
    owner = () if declaration.owner is None else declaration.owner.arguments
    own = [instance.scope.names.get(parameter.name) for parameter in declaration.template_parameters]
    return all(map(_is_exact, own)) and all(map(_is_exact, owner))


def _is_exact(argument: Entity | TemplateArgument | None) -> bool:
    match argument:
        case TypeName(declared=declared):
            return declared.spelled is not None and not names_in(declared.spelled)
        case ArgumentPack(elements=elements):
            return all(map(_is_exact, elements))
        case TemplateValue() | None:
            return False
        case _:
            return True


def _this(ctx: LoweringContext, declared: DeclaredType, most_derived: Record | None) -> LocalVariable:
    builder = ctx.builder
    span = Span(0, 0)
    value = builder.value(declared.type)
    builder.parameters.append(Parameter(value, "this", span))
    symbol = builder.symbol("this", SymbolKind.LOCAL, declared.type, span)
    builder.store(builder.symbol_address(symbol, span), value, span)
    return LocalVariable("this", symbol, declared, None, most_derived=most_derived)


def _parameter(ctx: LoweringContext, parameter: ParameterDeclaration, *, is_kernel: bool, may_qualify: bool) -> None:
    builder = ctx.builder
    declarator = parameter.node.field("declarator")
    name_node = None if declarator is None else innermost(declarator)
    span = ctx.span(name_node or parameter.node)
    declared = parameter.declared
    is_callers = not is_kernel and is_passed_by_address(ctx, declared)
    type = PointerType(declared.type, MemorySpace.GENERIC) if is_callers else declared.stored
    value = builder.value(type)
    builder.parameters.append(Parameter(value, parameter.name, span))
    if not parameter.name:
        return
    stored = value
    if is_kernel and isinstance(type, PointerType) and ctx.is_reassigned(parameter.name, 0):
        stored = builder.bitcast(value, PointerType(type.element, MemorySpace.GENERIC, type.volatile), span)
    symbol = builder.symbol(parameter.name, SymbolKind.LOCAL, builder.types[stored], span)
    builder.store(builder.symbol_address(symbol, span), stored, span)
    variable = builder.variable(parameter.name, type, span)
    builder.defined(variable, value, span)
    may_be_constant = may_qualify and declared.is_reference  # a template's type may be one of constants
    entity = LocalVariable(
        parameter.name,
        symbol,
        declared,
        variable,
        may_be_constant=may_be_constant,
        is_parameter=True,
        is_callers=is_callers,
    )
    ctx.scope.declare(parameter.name, entity)


def _member_initialisers(ctx: LoweringContext, record: Record, node: Node) -> None:
    """`: base(x), member(y)`, and what the members have by default."""
    span = ctx.span(node)
    whole = this_object(ctx, record, span)
    if whole is None:
        return
    written: dict[str, Node] = {}
    listed = node.child("field_initializer_list")
    for child in listed.children if listed is not None else ():
        if child.kind == "field_initializer" and len(child.children) >= 2:
            name = child.children[0].text.decode("utf-8", "replace")
            written["".join(name.split())] = child
    delegated = written.get(record.simple_name)
    if delegated is not None:
        at = ctx.span(delegated)
        with full_expression(ctx, at):
            construct_at(ctx, whole, record, argument_operands(ctx, delegated.children[-1]), at)
        return
    clear_units(ctx, whole, record, span)
    _initialise_bases(ctx, record, whole, written, span)
    set_class(ctx, whole, record, span)
    for index in range(record.own_fields, len(record.fields)):
        with full_expression(ctx, span):
            _initialise_member(ctx, record, whole, index, written, span)


def _initialise_bases(
    ctx: LoweringContext, record: Record, whole: LValue, written: dict[str, Node], span: Span
) -> None:
    given: dict[str, tuple[Node, Node]] = {}
    for child in written.values():
        for scope, arguments in _initialisers_of(ctx.scope, child):
            entity = find(scope, child.children[0])
            if isinstance(entity, TypeName) and isinstance(entity.declared.type, StructType):
                given[entity.declared.type.name] = child, arguments
    for base, _ in record.bases:
        target = upcast(ctx, whole, record, base, span)
        if target is None:
            continue
        child, arguments = given.get(base.name, (None, None))
        with full_expression(ctx, span if child is None else ctx.span(child)):
            if child is None or arguments is None:
                default_object(ctx, target, base, span)
            else:
                construct_at(ctx, target, base, argument_operands(ctx, arguments), ctx.span(child))


def _initialisers_of(scope: Scope, child: Node) -> Iterator[tuple[Scope, Node]]:
    """`Base(x)`, or each of `Bases(x)...`: where names are looked up, and the arguments."""
    name, arguments = child.children[0], child.children[-1]
    if not child.text.endswith(b"..."):
        yield scope, arguments
        return
    pack = scope.find(name.text.decode("utf-8", "replace"))
    length = pack_length(scope, child) if not isinstance(pack, ArgumentPack) else len(pack.elements)
    for index in range(length or 0):
        inner = element_scope(scope, child, index)
        element = pack.elements[index] if isinstance(pack, ArgumentPack) else None
        if element is not None and not isinstance(element, PackPattern):
            inner.declare(name.text.decode("utf-8", "replace"), element)
        listed = [pack_element(one, index) for one in arguments.children]
        yield inner, Node(arguments.kind, arguments.start, arguments.end, arguments.source, None, listed)


def _initialise_member(
    ctx: LoweringContext, record: Record, whole: LValue, index: int, written: dict[str, Node], span: Span
) -> None:
    member = record.fields[index]
    if member.is_class_number:
        return
    declared = member.declared
    child = written.get(member.name)
    if child is not None:
        at = ctx.span(child)
        target = member_place(ctx, whole, record, index, at)
        if isinstance(declared.type, ArrayType) and not declared.is_reference and not child.children[-1].children:
            initialise_zero(ctx, target, at)
        else:
            initialise_member(ctx, target, declared, child.children[-1], at)
        return
    inner = ctx.program.records.get(declared.type.name) if isinstance(declared.type, StructType) else None
    if member.default is None and (inner is None or record.is_union):
        return
    target = member_place(ctx, whole, record, index, span)
    if member.default is not None:
        with ctx.elsewhere(record.scope, record.snippet, span):
            initialise_member(ctx, target, declared, member.default, span)
    elif inner is not None:
        default_object(ctx, target, inner, span)


def add_layouts(program: Declarations, builder: FunctionBuilder) -> None:
    """The layouts of all structs that the function's values and symbols mention, also inside one another."""
    structs = builder.structs
    spend(len(builder.types) // 20)
    types = {id(type): type for type in builder.types if type.__class__ in _WITH_STRUCTS}.values()
    spend(len(types) // 5)
    pending: list[Type] = [struct for type in types if (struct := _struct_in(type)) is not None]
    pending += [symbol.type for symbol in builder.symbols]
    for type in popped(pending):
        struct = _struct_in(type)
        if struct is not None and struct.name not in structs:
            layout = program.layouts.get(struct.name) or builtin_layout(struct)
            if layout is not None:
                structs[struct.name] = layout
                pending += [member.type for member in layout.fields]


def _struct_in(type: Type) -> StructType | None:
    """The struct that `type` is, or that its elements are in the end."""
    while isinstance(type, _SEQUENCES):
        type = type.element
    return type if isinstance(type, StructType) else None


_SEQUENCES: Final = (PointerType, ArrayType)
_WITH_STRUCTS: Final = frozenset({*_SEQUENCES, StructType})
