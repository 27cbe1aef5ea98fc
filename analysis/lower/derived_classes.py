"""The classes of a unit that an object may be of which is seen as one of some class.

Question  Which classes are derived from a given one, directly or not?
Rules     Those that the unit defines, and instances of its templates whose base says all of their arguments
          (`template <class T> struct Derived : Base<T>`).
          They are *known* where no text that is not here can take part (`TranslationUnit.is_alone`), and none is left
          that may be derived and is not understood: other templates whose base has that name, specialisations, classes
          in functions, and those with virtual bases.
Cost      O(classes with bases) for each class of the hierarchy, once per class that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.ir.pace import paced
from analysis.ir.types import StructType
from analysis.lower import type_instances
from analysis.lower.lookup import find
from analysis.lower.names import (
    Declarations,
    Hierarchy,
    Record,
    TemplateArgument,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.records import has_virtual_base, is_derived
from analysis.lower.types import spelled_argument
from analysis.lower.virtual_calls import is_abstract
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.tree import Node

MAX_CLASSES: Final = 64
"""Of one hierarchy."""
MAX_LOOKED_AT: Final = 1_000
"""In a unit with more classes that have bases nothing is known of them."""
_HAS_BASES: Final = re.compile(rb"^[^{;]*[^:]:[^:]")
_TEMPLATES: Final = ("template_type", "qualified_identifier", "template_function")


def hierarchy_of(program: Declarations, base: Record) -> Hierarchy:
    """The class and all that are derived from it."""
    items = [item for item in (*program.unit.items, *program.unit.included_items) if item.active and item.is_definition]
    classes = [item for item in paced(items) if item.kind is ItemKind.RECORD and _HAS_BASES.search(item.text)]
    found: dict[str, Record] = {base.name: base}
    is_known = program.unit.is_alone and not base.is_local and len(classes) <= MAX_LOOKED_AT
    is_known = is_known and not program.unit.has_derived_in_functions
    waiting = [base] if len(classes) <= MAX_LOOKED_AT else []
    while waiting and len(found) <= MAX_CLASSES:
        current = waiting.pop()
        for item in paced(classes):
            derived, is_understood = _derived(program, item, current)
            is_known = is_known and is_understood
            if derived is not None and derived.name not in found:
                found[derived.name] = derived
                waiting.append(derived)
    is_known = is_known and len(found) <= MAX_CLASSES and not any(map(has_virtual_base, found.values()))
    classes = (found[name] for name in sorted(found))
    return Hierarchy(tuple(one for one in classes if not is_abstract(one)), is_known)


def _derived(program: Declarations, item: Item, base: Record) -> tuple[Record | None, bool]:
    """The class of the item that is derived from `base`; and whether there is certainly no other one."""
    if item.is_template:
        return _instance(program, item, base)
    found = type_instances.record_of_item(program, item)
    if found is None:
        return None, False
    return (found if found is not base and is_derived(found, base) else None), not found.has_unknown_base


def _instance(program: Declarations, item: Item, base: Record) -> tuple[Record | None, bool]:
    """The instance of a class template that is derived from just this class."""
    declaration = program.type_template(program.namespace_scope(item.namespace), item) if item.owner is None else None
    if declaration is None:
        return None, False
    parameters = {parameter.name for parameter in declaration.parameters}
    named: list[Node] = []
    for node in _bases(declaration.node):
        name = _last_name(node)
        entity = None if name in parameters else find(declaration.scope, node)
        type = entity.declared.type if isinstance(entity, TypeName) else None
        if name in parameters or type == base.type or not isinstance(entity, TypeName | TypeTemplate):
            return None, False  # each of its instances, or those with some argument, may be derived from it
        if name == base.simple_name:
            named.append(node)
    if not named:
        return None, True
    bound = _bound(declaration, named[0], base) if declaration.pattern is None and len(named) == 1 else None
    if bound is None:
        return None, False
    entity = program.instantiate_type(TypeTemplate(item.name, (declaration,)), bound)
    type = entity.declared.type if isinstance(entity, TypeName) else None
    found = program.records.get(type.name) if isinstance(type, StructType) else None
    if found is None:
        return None, False
    return (found, True) if is_derived(found, base) else (None, True)


def _bases(node: Node) -> Iterator[Node]:
    clause = node.child("base_class_clause")
    for child in clause.children if clause is not None else ():
        if child.kind in ("type_identifier", *_TEMPLATES):
            yield child


def _last_name(node: Node) -> str:
    inner: Node | None = node
    while inner is not None and inner.kind in _TEMPLATES:
        inner = inner.field("name")
    return "" if inner is None else inner.text.decode("utf-8", "replace")


def _bound(declaration: TypeTemplateDeclaration, base: Node, wanted: Record) -> tuple[TemplateArgument, ...] | None:
    """The arguments with which a template has that base; None where the base does not say them."""
    node: Node | None = base
    while node is not None and node.kind == "qualified_identifier":
        node = node.field("name")
    listed = None if node is None else node.field("arguments")
    arguments = () if listed is None else listed.children
    if len(arguments) != len(wanted.arguments):
        return None
    found: dict[str, TemplateArgument] = {}
    for argument, value in zip(arguments, wanted.arguments, strict=True):
        text = argument.text.decode("utf-8", "replace").strip()
        found.setdefault(text, value)
        if spelled_argument(found[text]) != spelled_argument(value):
            return None
    if any(parameter.is_pack or parameter.name not in found for parameter in declaration.parameters):
        return None
    return tuple(found[parameter.name] for parameter in declaration.parameters)
