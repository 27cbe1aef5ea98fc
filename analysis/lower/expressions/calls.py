"""Call expressions: what is called, and with what.

Rules   A type's name is a conversion or a constructor; `static_cast` and its siblings are casts; a variable that holds
        a lambda is lowered in place; an object is called through its `operator()`.
        A callee of unknown type (a functor parameter of a template, a function pointer) is opaque.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.ir.types import HandleType, PointerType, StructType, Type, UnknownType, VectorType
from analysis.lower.associated import associated_functions
from analysis.lower.builtins import builtin_constructor, builtin_function, builtin_method
from analysis.lower.calls import call_builtin, call_functions, call_method, launch_kernel, unknown_call
from analysis.lower.construct import braced_objects, construct
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import is_arithmetic
from analysis.lower.destruction import end_object
from analysis.lower.expressions.arguments import argument_literals, argument_operands
from analysis.lower.expressions.casts import cast, converted
from analysis.lower.expressions.deduced_classes import deduced_object
from analysis.lower.expressions.dispatch import handles, load, lower, temporary, unsupported
from analysis.lower.expressions.function_tables import call_entry, table_entry
from analysis.lower.expressions.least_and_greatest import least_or_greatest
from analysis.lower.expressions.member_pointers import call_member
from analysis.lower.expressions.members import receiver, record_member, this_object, upcast
from analysis.lower.expressions.names import entity_operand
from analysis.lower.expressions.pass_through import passed_through
from analysis.lower.expressions.pointed_functions import call_pointed
from analysis.lower.inlining import inline_closure
from analysis.lower.lookup import find, is_template, template_arguments
from analysis.lower.names import (
    Closure,
    DeclaredType,
    DependentName,
    Entity,
    FunctionSet,
    Record,
    TemplateArgument,
    TypeName,
    TypeTemplate,
)
from analysis.lower.records import methods_named, written_constructors
from analysis.lower.types import FUNCTION_POINTER, descriptor_type, resolve_type, shown, spelled
from analysis.syntax.member_pointers import is_to_member
from analysis.syntax.tree import Node

_CASTS: Final = frozenset({b"static_cast", b"reinterpret_cast", b"const_cast", b"dynamic_cast"})
_TYPE_NODES: Final = frozenset({"primitive_type", "sized_type_specifier", "dependent_type", "decltype"})


@handles("call_expression")
def _call_expression(ctx: LoweringContext, node: Node) -> Operand:
    function, arguments = node.field("function"), node.field("arguments")
    if function is None or arguments is None:
        return unsupported(ctx, node)
    launched = node.child("kernel_call_syntax")
    if launched is not None:
        configuration = [lower(ctx, child) for child in launched.children]
        launch_kernel(ctx, configuration, argument_operands(ctx, arguments), ctx.span(node))
        return None
    while function.kind == "parenthesized_expression" and len(function.children) == 1:
        function = function.children[0]
    kind = function.kind
    if kind in _TYPE_NODES:
        return _functional_cast(ctx, node, resolve_type(ctx.scope, function), arguments)
    if kind == "field_expression":
        return _method_call(ctx, node, function, arguments)
    if kind == "template_function":
        name = function.field("name")
        if name is not None and name.text in _CASTS:
            return _named_cast(ctx, node, function, arguments)
    if kind in _NAMES:
        return _named_call(ctx, node, function, arguments)
    entry = table_entry(ctx, function)
    if entry is not None:
        return call_entry(ctx, *entry, argument_operands(ctx, arguments), node)
    callee = lower(ctx, function)
    return call_operand(ctx, callee, argument_operands(ctx, arguments), node, shown(function))


def _functional_cast(ctx: LoweringContext, node: Node, declared: DeclaredType, arguments: Node) -> Operand:
    type = declared.type
    if len(arguments.children) == 1 and not isinstance(type, StructType | HandleType):
        return converted(ctx, declared, arguments.children[0], ctx.span(node))
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    constructors = () if record is None else written_constructors(record)
    operands = argument_operands(ctx, arguments, constructors, braced_objects(ctx, arguments, constructors))
    return construct(ctx, type, operands, ctx.span(node))


def _named_cast(ctx: LoweringContext, node: Node, function: Node, arguments: Node) -> Operand:
    listed = function.field("arguments")
    if listed is None or len(listed.children) != 1 or len(arguments.children) != 1:
        return unsupported(ctx, node, "cast")
    descriptor = listed.children[0]
    declared = (
        descriptor_type(ctx.scope, descriptor)
        if descriptor.kind == "type_descriptor"
        else resolve_type(ctx.scope, descriptor)
    )
    name = function.field("name")
    reinterprets = name is not None and name.text != b"static_cast"
    return cast(ctx, declared, arguments.children[0], node, reinterprets=reinterprets)


def _named_call(ctx: LoweringContext, node: Node, function: Node, arguments: Node) -> Operand:
    """A call by a possibly qualified name."""
    entity = find(ctx.scope, function)
    template = entity
    if isinstance(template, TypeTemplate):
        entity = ctx.program.instantiate_type(template, ()) or TypeName(DeclaredType(UnknownType(shown(function))))
    if isinstance(entity, TypeName):
        deduced = deduced_object(ctx, function, entity.declared.type, arguments, ctx.span(node))
        if deduced is not None:
            return deduced
    if isinstance(entity, TypeName) and not isinstance(entity.declared.type, UnknownType):
        return _construct_named(ctx, node, entity, shown(function), arguments)
    declarations = entity.declarations if isinstance(entity, FunctionSet) else ()
    operands = argument_operands(ctx, arguments, declarations, braced_objects(ctx, arguments, declarations))
    span = ctx.span(node)
    if function.kind in ("identifier", "template_function"):
        entity = _with_associated(ctx, entity, function, operands)
    if isinstance(entity, FunctionSet):
        explicit = explicit_arguments(ctx, function)
        if not explicit and not entity.declarations:
            explicit = _scope_arguments(ctx, function)
        is_qualified = _qualifier(function) is not None
        return _call_set(ctx, node, entity, explicit, operands, arguments, is_qualified=is_qualified)
    if entity is None or isinstance(entity, DependentName | TypeName):
        name = shown(function)
        builtin = None if isinstance(entity, DependentName) else builtin_function(name)
        if builtin is not None:
            explicit = explicit_arguments(ctx, function) or _scope_arguments(ctx, function)
            return call_builtin(ctx, builtin, operands, explicit, span, literal=argument_literals(ctx, arguments))
        return unknown_call(ctx, f"call of unknown function {name}", operands, span)
    return call_operand(ctx, entity_operand(ctx, entity, function), operands, node, shown(function))


def _with_associated(
    ctx: LoweringContext, entity: Entity | None, function: Node, operands: Sequence[Operand]
) -> Entity | None:
    """What an unqualified name means in a call with these arguments."""
    declared = entity.declarations if isinstance(entity, FunctionSet) else ()
    if (entity is not None and not isinstance(entity, FunctionSet)) or any(each.owner is not None for each in declared):
        return entity
    node = function.field("name") if function.kind == "template_function" else function
    name = "" if node is None else node.text.decode("utf-8", "replace")
    found = [each for each in associated_functions(ctx, name, operands) if each not in declared]
    if not found:
        return entity
    builtin = entity.builtin if isinstance(entity, FunctionSet) else None
    return FunctionSet(name, (*declared, *found), builtin)


def _construct_named(ctx: LoweringContext, node: Node, entity: TypeName, name: str, arguments: Node) -> Operand:
    type = entity.declared.type
    if not isinstance(type, StructType) or ctx.program.records.get(type.name) is None:
        builtin = builtin_constructor(type) or builtin_function(name)
        if builtin is not None:
            operands = argument_operands(ctx, arguments)
            return call_builtin(ctx, builtin, operands, (), ctx.span(node))
    return _functional_cast(ctx, node, entity.declared, arguments)


def explicit_arguments(ctx: LoweringContext, function: Node) -> tuple[TemplateArgument, ...]:
    """The template arguments written after the called name."""
    node: Node | None = function
    while node is not None and node.kind in ("qualified_identifier", "dependent_name"):
        node = node.field("name") or (node.children[-1] if node.children else None)
    if node is None or node.kind not in ("template_function", "template_method", "template_type"):
        return ()
    return template_arguments(ctx.scope, node.field("arguments"))


def _scope_arguments(ctx: LoweringContext, function: Node) -> tuple[TemplateArgument, ...]:
    """The arguments of the class before the last `::`: `std::numeric_limits<T>::max()`."""
    node: Node | None = function
    outer: Node | None = None
    while node is not None and node.kind == "qualified_identifier":
        outer = node.field("scope")
        node = node.field("name")
    if outer is None or outer.kind != "template_type":
        return ()
    return template_arguments(ctx.scope, outer.field("arguments"))


def _call_set(
    ctx: LoweringContext,
    node: Node,
    entity: FunctionSet,
    explicit: tuple[TemplateArgument, ...],
    operands: Sequence[Operand],
    arguments: Node,
    *,
    is_qualified: bool,
) -> Operand:
    span = ctx.span(node)
    methods = [found for found in entity.declarations if found.owner is not None]
    if methods and methods[0].owner is not None:
        record = ctx.owner if ctx.owner is not None and ctx.this is not None else methods[0].owner
        if ctx.this is None or not _is_inside(record, methods[0].owner.name):
            return call_method(ctx, None, methods[0].owner, methods, explicit, operands, span)
        this = this_object(ctx, record, span)
        return call_method(ctx, this, record, methods, explicit, operands, span, is_exact=is_qualified)
    if entity.builtin is not None and not entity.declarations:
        same = passed_through(ctx, entity.builtin, explicit, operands, node)
        if same is not None:
            return same
    builtin = None if entity.builtin is None else builtin_function(entity.builtin)
    if builtin is not None and not entity.declarations:
        chosen = least_or_greatest(ctx, builtin, explicit, operands, node)
        if chosen is not None:
            return chosen
    literal = argument_literals(ctx, arguments)
    return call_functions(ctx, entity.name, entity.declarations, builtin, explicit, operands, span, literal)


def _is_inside(record: Record, wanted: str) -> bool:
    return record.name == wanted or any(_is_inside(base, wanted) for base, _ in record.bases)


def call_operand(ctx: LoweringContext, callee: Operand, operands: Sequence[Operand], node: Node, name: str) -> Operand:
    """A call of an object: a lambda, a functor, a function pointer, something of a template's type."""
    span = ctx.span(node)
    if isinstance(callee, Closure):
        return inline_closure(ctx, callee, operands, span)
    named = ctx.functions.get(callee) if isinstance(callee, int) else None
    if named is not None:  # `(*function)(x)`
        return call_functions(ctx, named.name, named.declarations, None, (), operands, span)
    type = ctx.type_of(callee)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is not None:
        methods = methods_named(record, "operator()")
        if methods:
            receiver_place = callee if isinstance(callee, LValue) else temporary(ctx, load(ctx, callee, span), span)
            return call_method(ctx, receiver_place, record, methods, (), operands, span)
    elif type is not None:
        builtin = builtin_method(type, "operator()")
        if builtin is not None:
            return call_builtin(ctx, builtin, operands, (), span, receiver=callee)
    shown_type = "nothing" if type is None else spelled(type)
    if type == FUNCTION_POINTER:
        return call_pointed(ctx, callee, operands, node, name)
    return unknown_call(ctx, f"call of {name}, a {shown_type}", (callee, *operands), span)


def _method_call(ctx: LoweringContext, node: Node, function: Node, arguments: Node) -> Operand:
    """`object.method(arguments)` and `pointer->method(arguments)`."""
    argument, name_node = function.field("argument"), function.field("field")
    if argument is None or name_node is None:
        return unsupported(ctx, node)
    if is_to_member(function):
        return call_member(ctx, node, function, argument_operands(ctx, arguments))
    target = receiver(ctx, function, argument)
    if name_node.kind == "destructor_name" and isinstance(target, LValue) and _is_known(ctx, target.type):
        end_object(ctx, target, ctx.span(node))
        return None
    explicit = explicit_arguments(ctx, name_node)
    name = _method_name(name_node)
    type = ctx.type_of(target)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    declared = () if record is None else methods_named(record, name)
    operands = argument_operands(ctx, arguments, declared, braced_objects(ctx, arguments, declared))
    span = ctx.span(node)
    if isinstance(target, Closure) and name == "operator()":
        return inline_closure(ctx, target, operands, span, explicit)
    if record is None:
        builtin = None if type is None else builtin_method(type, name)
        if builtin is not None:
            literal = argument_literals(ctx, arguments)
            return call_builtin(ctx, builtin, operands, explicit, span, receiver=target, literal=literal)
        shown_type = "nothing" if type is None else spelled(type)
        return unknown_call(ctx, f"call of method {name} of {shown_type}", (target, *operands), span)
    object = target if isinstance(target, LValue) else temporary(ctx, load(ctx, target, span), span)
    wanted = _qualifying_class(ctx, record, name_node)
    whole = None if wanted is None else upcast(ctx, object, record, wanted, span)
    if wanted is None or whole is None:
        return unknown_call(ctx, f"call of {name_node.text.decode('utf-8', 'replace')}", (target, *operands), span)
    record = wanted
    methods = methods_named(record, name)
    if methods and name_node.kind == "template_method":  # also `object.method<>()`
        methods = tuple(filter(is_template, methods))
    if methods:
        return call_method(
            ctx, whole, record, methods, explicit, operands, span, is_exact=_qualifier(name_node) is not None
        )
    found = record_member(ctx, whole, record, name, ctx.span(function))
    if found is not None:
        return call_operand(ctx, found, operands, node, name)
    return unknown_call(ctx, f"call of unknown method {record.name}::{name}", (whole, *operands), span)


def _is_known(ctx: LoweringContext, type: Type) -> bool:
    """Whether it is known what ends an object of the type: a class of the file, or a type whose objects just end."""
    if isinstance(type, StructType):
        return type.name in ctx.program.records
    return is_arithmetic(type) or isinstance(type, PointerType | VectorType)


def _qualifying_class(ctx: LoweringContext, record: Record, node: Node) -> Record | None:
    """The class whose method `object.Base::method` names; that of the object where nothing qualifies the name."""
    qualifier = _qualifier(node)
    if qualifier is None:
        return record
    entity = record.member(qualifier.text.decode("utf-8", "replace")) or find(ctx.scope, qualifier)
    type = entity.declared.type if isinstance(entity, TypeName) else None
    return ctx.program.records.get(type.name) if isinstance(type, StructType) else None


def _qualifier(node: Node) -> Node | None:
    """What stands in front of `::` in the name of a method: such a call is of just that function."""
    while node.kind == "dependent_name" and node.children:
        node = node.children[-1]
    return node.field("scope") if node.kind == "qualified_identifier" else None


def _method_name(node: Node) -> str:
    while node.kind in ("dependent_name", "template_method", "qualified_identifier") and node.children:
        inner = node.field("name")
        node = inner if inner is not None else node.children[-1]
    text = node.text.decode("utf-8", "replace")
    return "".join(text.split()) if node.kind == "operator_name" else text


_NAMES: Final = frozenset(
    {"identifier", "qualified_identifier", "template_function", "dependent_name", "type_identifier", "template_type"}
)
