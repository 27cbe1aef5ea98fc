"""Makes types out of declarations: records by name, instances of class and alias templates.

Rules   A record is made once per name; its name carries the template arguments (`ns::Pair<int, T>`).
        The name is known before the members are read, so a record may point to itself.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.limits import Limit
from analysis.ir.pace import popped
from analysis.ir.types import S32, StructLayout, StructType, Type, UnknownType
from analysis.lower.builtins import builtin_type
from analysis.lower.library.source import is_library
from analysis.lower.library.templates import apply, is_excluded
from analysis.lower.lookup import template_arguments
from analysis.lower.names import (
    Declarations,
    DeclaredType,
    Entity,
    NamespaceName,
    Origin,
    PackPattern,
    Record,
    Scope,
    TemplateArgument,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.namespaces import declare_alias
from analysis.lower.records import fill_record, self_name
from analysis.lower.specialisations import choose
from analysis.lower.templates import bind, flattened, generic_argument
from analysis.lower.types import NO_TYPE, spelled_argument
from analysis.lower.variable_templates import VARIABLES, is_dependent, variable_instance
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.tree import Node

_RECORDS: Final = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
MAX_NESTED = 40
"""A bound on templates whose instances contain further ones without end."""
MAX_INSTANCES = 2_000
"""A bound on recursive templates: what is asked for beyond it is an unknown type."""
MAX_NAME = 10_000
"""Characters of an instance's name, which says all its arguments: a bound on types that double."""


def type_of_item(program: Declarations, outer: Scope, item: Item) -> Entity | None:
    """The type that a record, alias or enumeration item declares."""
    if item.kind is ItemKind.ENUM:
        scope = program.enumeration_scope(item)
        found = None if scope is None else scope.names.get(item.name)
        return found or TypeName(DeclaredType(S32))
    snippet = program.snippet(item)
    scope = outer.inside()
    prefix = [*item.namespace, *([item.owner] if item.owner else [])]
    scope.origin = Origin(item, snippet, "::".join(prefix))
    node = snippet.root
    if item.kind is ItemKind.ALIAS:
        if node.kind in ("alias_declaration", "type_definition"):
            declare_alias(scope, node)
        found = scope.names.get(item.name)
        return _builtin_alias(item, found)
    if node.field("body") is None:
        return TypeName(DeclaredType(UnknownType(item.name)))
    return TypeName(DeclaredType(declare_record(scope, node, item.name)))


def _builtin_alias(item: Item, found: Entity | None) -> Entity | None:
    """`typedef unsigned int uint` through a type nobody shows: the table may know the name."""
    if isinstance(found, TypeName) and isinstance(found.declared.type, UnknownType):
        type = builtin_type(item.name, ())
        return found if type is None else TypeName(DeclaredType(type))
    return found


def declare_record(scope: Scope, node: Node, name: str | None = None) -> Type:
    """The record that `node` (with a body) defines; declares its name in `scope`."""
    origin = scope.origin
    name_node = node.field("name")
    if name_node is not None and name_node.kind == "template_type":
        name_node = name_node.field("name")
    spelled = name if name is not None else ""
    if name_node is not None:
        spelled = name_node.text.decode("utf-8", "replace")
    assert origin is not None
    shown = spelled or f"<anonymous {_number(origin.snippet.root, node)}>"
    full = f"{origin.prefix}::{shown}" if origin.prefix else shown
    known = scope.program.records.get(full)
    if known is not None and known.node is node:
        if spelled:
            scope.declare(spelled, self_name(known))
        return known.type
    record = _new_record(scope, node, full, spelled, None, ())
    record.is_local = origin.item.kind is ItemKind.FUNCTION
    if spelled:
        scope.declare(spelled, self_name(record))
    _fill(scope.program, record)
    return record.type


def _number(root: Node, node: Node) -> str:
    """Of a class without a name: how many stand before it in the text, outside of bodies.

    Its place would change with the bodies in front, of which others that name it know nothing.
    """
    stack = [root]
    before = 0
    for one in popped(stack):
        if one is node:
            return str(before)
        if one.kind in _RECORDS and one.field("name") is None:
            before += 1
        if one.kind != "compound_statement":
            stack += reversed(one.children)
    return f"at {node.start}"


def _new_record(
    scope: Scope, node: Node, full: str, simple: str, template: str | None, arguments: tuple[TemplateArgument, ...]
) -> Record:
    origin = scope.origin
    assert origin is not None
    inner = scope.inside()
    inner.origin = Origin(origin.item, origin.snippet, full)
    record = Record(
        full, simple, StructType(full), node, origin.snippet, origin.item, False, inner, template, arguments
    )
    record.is_union = node.kind == "union_specifier"
    record.is_local = is_library(origin.item)
    scope.program.records[full] = record
    return record


def _fill(program: Declarations, record: Record) -> None:
    if record.simple_name:
        record.scope.declare(record.simple_name, self_name(record))
    program.layouts[record.name] = StructLayout(record.name, (), 0, 1)
    program.layouts[record.name] = fill_record(record)


def instantiate_type(
    program: Declarations, template: TypeTemplate, arguments: tuple[TemplateArgument, ...]
) -> Entity | None:
    """The instance of a class, alias or variable template for these arguments, defaults filled in."""
    if not template.declarations:
        return apply(program, template.name, arguments)
    chosen = choose(program, template, arguments)
    if chosen is None:
        return None
    declaration = chosen.declaration
    scope = declaration.scope.inside()
    item = declaration.item
    if declaration.scope.origin is None:
        prefix = [*item.namespace, *([item.owner] if item.owner else [])]
        scope.origin = Origin(item, program.snippet(item), "::".join(["std"] if is_library(item) else prefix))
    bound = bind(scope, declaration.parameters, chosen.named, defaults=True)
    if declaration.node.kind in ("alias_declaration", "type_definition"):
        if any(isinstance(each, TypeName) and is_excluded(each.declared) for each in flattened(bound)):
            return TypeName(DeclaredType(NO_TYPE))  # also where the alias does not name it, as `void_t` does not
        declare_alias(scope, declaration.node)
        return scope.names.get(template.name)
    shown = chosen.arguments if declaration.pattern is not None else flattened(bound)
    if declaration.node.kind in VARIABLES:
        return variable_instance(scope, declaration, shown, is_certain=chosen.is_certain)
    entity = _record_instance(program, template, declaration, scope, shown)
    is_specialised = any(other.pattern is not None for other in template.declarations)
    is_guess = is_specialised and declaration.pattern is None and any(map(is_dependent, shown))
    if is_guess or not chosen.is_certain:
        record = _record_of(program, entity)
        if record is not None:
            record.is_guess = True
    return entity


def _record_of(program: Declarations, entity: Entity) -> Record | None:
    if isinstance(entity, TypeName) and isinstance(entity.declared.type, StructType):
        return program.records.get(entity.declared.type.name)
    return None


def _record_instance(
    program: Declarations,
    template: TypeTemplate,
    declaration: TypeTemplateDeclaration,
    scope: Scope,
    arguments: tuple[TemplateArgument, ...],
) -> Entity:
    spelled = ", ".join(spelled_argument(argument) for argument in arguments)
    if len(spelled) > MAX_NAME or Limit.TYPE_NAME.value in spelled:
        return TypeName(DeclaredType(UnknownType(Limit.TYPE_NAME.value)))
    prefix = f"{scope.origin.prefix}::" if scope.origin is not None and scope.origin.prefix else ""
    full = f"{prefix}{template.name}<{spelled}>"
    known = program.records.get(full)
    if known is not None:
        return self_name(known)
    is_open = any(isinstance(argument, PackPattern) for argument in arguments)
    if (
        (declaration.node.field("body") is None and not is_open)
        or len(program.records) >= MAX_INSTANCES
        or _unfinished(program, template) >= MAX_NESTED
    ):
        return TypeName(DeclaredType(UnknownType(full)))
    record = _new_record(scope, declaration.node, full, template.name, template.name, arguments)
    record.parameters = declaration.parameters
    _fill(program, record)
    if is_open:  # how many members it has depends on the pack
        record.is_guess = True
        program.layouts[full] = StructLayout(full, (), 0, 1)
    return self_name(record)


def _unfinished(program: Declarations, template: TypeTemplate) -> int:
    """How many instances of the template need this one to be laid out themselves."""
    nodes = {id(declaration.node) for declaration in template.declarations}
    started = [record.name for record in program.records.values() if id(record.node) in nodes]
    return sum(not layout.size for name in started if (layout := program.layouts.get(name)) is not None)


def generic_instance(program: Declarations, template: TypeTemplate) -> Entity | None:
    """The primary template with its parameters standing for themselves."""
    for declaration in template.declarations:
        if declaration.pattern is None and declaration.item.is_definition:
            scope = declaration.scope.inside()
            arguments = tuple(generic_argument(scope, parameter) for parameter in declaration.parameters)
            return instantiate_type(program, TypeTemplate(template.name, (declaration,)), arguments)
    return None


def record_of_owner(program: Declarations, item: Item) -> Record | None:
    """The class that a method item belongs to; of a template, the instance that stands for all."""
    owner = item.owner
    if owner is None:
        return None
    candidates = [
        found for found in program.unit.lookup(owner) if found.kind is ItemKind.RECORD and found.is_definition
    ]
    for found in candidates:
        if item.in_class and (found is item or not _contains(found, item)):
            continue
        if not item.in_class and found.namespace != item.namespace:
            continue
        record = record_of_item(program, found)
        if record is not None:
            return record
    entity = program.namespace_scope(item.namespace).find(owner)
    if isinstance(entity, TypeTemplate):
        entity = generic_instance(program, entity)
    if isinstance(entity, TypeName) and isinstance(entity.declared.type, StructType):
        return program.records.get(entity.declared.type.name)
    return None


def record_of_item(program: Declarations, item: Item) -> Record | None:
    """The (generic) record that a record item defines."""
    outer = record_of_owner(program, item) if item.owner is not None else None
    scope = program.namespace_scope(item.namespace) if outer is None else outer.scope
    entity: Entity | None
    if outer is not None:
        entity = scope.names.get(item.name)
        if isinstance(entity, TypeTemplate):
            entity = generic_instance(program, entity)
    elif item.is_template:
        declaration = program.type_template(scope, item)
        if declaration is None:
            return None
        inner = declaration.scope.inside()
        arguments = tuple(generic_argument(inner, parameter) for parameter in declaration.parameters)
        if declaration.pattern is not None:
            arguments = _pattern_arguments(declaration)
        entity = instantiate_type(program, TypeTemplate(item.name, (declaration,)), arguments)
    else:
        entity = scope.find(item.name)
        if isinstance(entity, TypeTemplate | NamespaceName):
            entity = None
    if isinstance(entity, TypeName) and isinstance(entity.declared.type, StructType):
        return program.records.get(entity.declared.type.name)
    return None


def _pattern_arguments(declaration: TypeTemplateDeclaration) -> tuple[TemplateArgument, ...]:
    scope = declaration.scope.inside()
    bind(scope, declaration.parameters, {}, defaults=False)
    return template_arguments(scope, declaration.pattern)


def _contains(outer: Item, inner: Item) -> bool:
    return outer.path == inner.path and outer.span.start <= inner.span.start and inner.span.end <= outer.span.end
