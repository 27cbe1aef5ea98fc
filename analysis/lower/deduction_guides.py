"""Deduction guides: `template <class T> Vector(T, T) -> Vector<T>;`

Rules   A guide is a declaration with a trailing type and without a return type, at the namespace of its class template.
        It is read as a function whose result is the type.
Source  C++ standard, "User-defined deduction guides".
"""

from __future__ import annotations

from collections.abc import Iterable

from analysis.lower.names import Declarations, FunctionDeclaration, Origin
from analysis.syntax.items import Item, ItemKind


def is_guide(item: Item) -> bool:
    """Whether a declaration with the name of a class is a deduction guide: functions have other names."""
    is_declared = item.kind is ItemKind.FUNCTION and not item.is_definition and item.owner is None
    return is_declared and b"->" in item.text and b"auto" not in item.identifiers


def read_guides(program: Declarations, items: Iterable[Item]) -> list[FunctionDeclaration]:
    """The guides among these declarations."""
    found = [_read(program, item) for item in items if is_guide(item) and item.active]
    return [guide for guide in found if guide is not None]


def _read(program: Declarations, item: Item) -> FunctionDeclaration | None:
    declaration = program.declaration(item, None)
    if declaration is None or declaration.declarator.child("trailing_return_type") is not None:
        return declaration
    snippet = declaration.snippet  # the grammar knows no declaration without a type, unless it is a template
    for node in snippet.root.walk():
        if node.kind == "function_declarator" and node.child("trailing_return_type") is not None:
            scope = program.namespace_scope(item.namespace).inside()
            scope.origin = Origin(item, snippet, "::".join(item.namespace))
            return FunctionDeclaration(item, snippet, snippet.root, node, item.name, scope, None, (), False, False)
    return None
