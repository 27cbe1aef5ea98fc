"""Functions of the file that return one expression: `int divUp(int a, int b) { return (a + b - 1) / b; }`.

Rules    A name with one active definition, outside of records, whose body is one `return`.
Limits   Two definitions count as none: which overload is called is not decided here.
"""

from __future__ import annotations

from typing import final

from analysis.ir.record import record
from analysis.launches.host_writes import HostWrites
from analysis.syntax.items import ItemKind
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node


@final
@record
class HostFunction:
    """`parameters` are names and types as declared; a type that is a template parameter is empty.

    `written` is what it writes to its variables, where functions that it calls may write to all arguments.
    """

    written: HostWrites
    parameters: tuple[tuple[str, str], ...]
    returns: str
    value: Node


@final
class HostFunctions:
    """Those that one file and its headers define."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._found: dict[str, HostFunction | None] = {}

    def defines(self, name: str) -> bool:
        """Whether the file says what the name of a function means."""
        return any(item.kind is ItemKind.FUNCTION for item in self._unit.lookup(name))

    def get(self, name: str) -> HostFunction | None:
        if name not in self._found:
            items = [item for item in self._unit.lookup(name) if item.kind is ItemKind.FUNCTION and item.is_definition]
            is_one = len(items) == 1 and items[0].active and items[0].owner is None and not items[0].is_kernel
            snippet = self._unit.plain_snippet(items[0]) if is_one else None
            self._found[name] = None if snippet is None else _read(snippet.root, snippet.templates)
        return self._found[name]


def _read(root: Node, templates: tuple[Node, ...]) -> HostFunction | None:
    body, declarator, type = (root.field(name) for name in ("body", "declarator", "type"))
    if body is None or declarator is None or type is None or declarator.kind != "function_declarator":
        return None
    if len(body.children) != 1 or body.children[0].kind != "return_statement":
        return None
    values = [child for child in body.children[0].children if child.kind != "return"]
    listed = declarator.field("parameters")
    if len(values) != 1 or listed is None:
        return None
    types = {inner.text for one in templates for inner in one.walk() if inner.kind == "type_identifier"}
    parameters = [_parameter(child, types) for child in listed.children]
    if any(parameter is None for parameter in parameters):
        return None
    known = tuple(parameter for parameter in parameters if parameter is not None)
    written = HostWrites(root, lambda callee, position: True, templates)
    return HostFunction(written, known, "" if type.text in types else _text(type), values[0])


def _parameter(node: Node, types: set[bytes]) -> tuple[str, str] | None:
    declarator, type = node.field("declarator"), node.field("type")
    if declarator is None or type is None or node.kind != "parameter_declaration":
        return None
    if declarator.kind == "reference_declarator" and any(child.text == b"const" for child in node.children):
        declarator = declarator.child("identifier") or declarator
    return (_text(declarator), "" if type.text in types else _text(type)) if declarator.kind == "identifier" else None


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")
