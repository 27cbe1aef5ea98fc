"""What `alignas`, `__align__` (which reaches the grammar as `alignas`), `aligned` and `packed` ask of a layout.

Source   [dcl.align] of the C++ standard; GCC's manual, "Common Type Attributes".
Limits   Behind a record's members only the spelling `__attribute__` is read; `#pragma pack` is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from analysis.lower.constants import constant_integer
from analysis.lower.layouts import size_and_alignment
from analysis.lower.names import Scope
from analysis.lower.packs import EXPANSION, element_scope, pack_length
from analysis.lower.types import descriptor_type, resolve_type
from analysis.syntax.tree import Node

MAX_ALIGNMENT: Final = 4096
LARGEST: Final = 16
"""Bytes: what a bare `aligned` asks for, the most that any type of the target needs."""


def requested_alignment(scope: Scope, specifiers: Iterable[Node]) -> int:
    """In bytes, the largest of all; 1 where nothing is asked for."""
    found = (_asked(scope, one) for node in specifiers for one in _specifiers(node))
    return max((value for value in found if 0 < value <= MAX_ALIGNMENT), default=1)


def is_packed(specifiers: Iterable[Node]) -> bool:
    """Whether members follow each other without gaps."""
    attributes = (one for node in specifiers for one in _specifiers(node) if one.kind == "identifier")
    return any(one.text.strip(b"_") == b"packed" for one in attributes)


def _specifiers(node: Node) -> Iterator[Node]:
    """The `alignas` or the single attributes in a node that stands before or behind a declaration."""
    match node.kind:
        case "alignas_qualifier":
            yield node
        case "type_qualifier" | "attribute_specifier":
            for child in node.children:
                yield from _specifiers(child)
        case "argument_list":
            yield from node.children
        case _:
            pass


def _asked(scope: Scope, node: Node) -> int:
    match node.kind:
        case "alignas_qualifier":
            return max((_expanded_value(scope, child) for child in node.children), default=1)
        case "identifier" if _is_aligned(node):
            return LARGEST
        case "call_expression":
            function, arguments = node.field("function"), node.field("arguments")
            if function is None or arguments is None or not _is_aligned(function):
                return 1
            return max((_value(scope, child) for child in arguments.children), default=LARGEST)
        case _:
            return 1


def _is_aligned(name: Node) -> bool:
    return name.text.strip(b"_") == b"aligned"


def _expanded_value(scope: Scope, node: Node) -> int:
    """As `_value`, of `types...` the largest."""
    pattern = node.field("pattern") if node.kind == EXPANSION else None
    length = None if pattern is None else pack_length(scope, pattern)
    if pattern is None or length is None:
        return _value(scope, node)
    return max((_value(element_scope(scope, pattern, index), pattern) for index in range(length)), default=1)


def _value(scope: Scope, node: Node) -> int:
    """Of a constant, or the alignment of a type; 1 where it is not known."""
    value = constant_integer(scope, node)
    if value is not None:
        return value
    match node.kind:
        case "type_descriptor":
            type = descriptor_type(scope, node).type
        case "identifier" | "template_function" | "qualified_identifier":
            type = resolve_type(scope, node).type
        case _:
            return 1
    return size_and_alignment(type, scope.program.layouts)[1]
