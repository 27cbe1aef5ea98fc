"""Where a variable at file level lives, and which uses of one need it where the user runs."""

from __future__ import annotations

from typing import Final

from analysis.ir.enumeration import Enumeration
from analysis.sides.mentions import NamedValue
from analysis.syntax.items import Item
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


class Home(Enumeration):
    """Whose memory holds a variable."""

    HOST = "host"
    DEVICE = "device"
    EITHER = "either"
    """Constants, which compilers put into the code, managed variables, textures, and what is not known."""


def home_of(item: Item, snippet: Snippet) -> Home:
    """Where one declaration of a variable puts it; `snippet` is the declaration."""
    root = snippet.root
    if root.kind not in ("declaration", "field_declaration") or snippet.unreadable() is not None or item.from_macro:
        return Home.EITHER
    words = {node.text for node in root.children if node.role not in ("declarator", "type")}
    type = root.field("type")
    if not words.isdisjoint(_ON_DEVICE):
        return Home.EITHER if b"__managed__" in words else Home.DEVICE
    if not words.isdisjoint(_CONSTANT) or type is None or not all(_is_plain(node) for node in root.children):
        return Home.EITHER
    is_plain = type.kind == "sized_type_specifier" or type.text in _NUMBERS
    return Home.HOST if is_plain and not item.is_template else Home.EITHER


def needs_memory(value: NamedValue) -> bool:
    """Whether a use reads, writes or addresses the variable itself, rather than naming it to a function."""
    parent, node = value.parent, value.node
    match parent.kind:
        case "assignment_expression" | "binary_expression" | "update_expression" | "return_statement":
            return True
        case "init_declarator":
            return node.role == "value"
        case "subscript_expression":
            return node.role == "argument"
        case _:
            return False


def _is_plain(node: Node) -> bool:
    """No reference, no function, no `const` anywhere."""
    return not any(inner.kind in _NOT_PLAIN or inner.text in _CONSTANT for inner in _declarator_of(node))


def _declarator_of(node: Node) -> list[Node]:
    """The nodes of a declarator without what initialises it."""
    found: list[Node] = []
    stack = [node]
    while stack:
        one = stack.pop()
        found.append(one)
        stack += [child for child in one.children if child.role not in ("value", "size")]
    return found


_ON_DEVICE: Final = frozenset({b"__device__", b"__constant__", b"__managed__", b"__shared__"})
_CONSTANT: Final = frozenset({b"const", b"constexpr", b"constinit", b"consteval", b"__restrict__"})
_NOT_PLAIN: Final = frozenset({"reference_declarator", "function_declarator", "ERROR", "attribute_declaration"})
_NUMBERS: Final = frozenset(
    b"int float double char bool short long unsigned size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t "
    b"int64_t void".split()
)
