"""What the text of a class says of its members: on which side each function runs, and which names are no functions.

Rules    Only a class whose text is known says anything: no base, no member that cannot be read or that something
         unknown may have written.  A function whose head holds a word that nobody knows is on no side.
         Copies that the compiler makes are on both sides, and so is what is defaulted; what is virtual may be another
         function, so that both are on no side here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.sides.side import Side
from analysis.syntax.lexing import IDENTIFIER
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


@final
@record
class Member:
    """One declaration of a function in a class; a friend is no member, but found by its arguments.

    `side` is None where it is not certain; `takes_own` if a parameter names the class.
    """

    name: str
    side: Side | None
    is_friend: bool
    takes_own: bool
    words: frozenset[bytes]
    """What its head says before the name."""


@final
@record
class Members:
    """Of one class: `others` are the names of its variables and types; `converts` if objects turn into others."""

    functions: tuple[Member, ...]
    others: frozenset[str]
    converts: bool

    def named(self, name: str) -> tuple[Member, ...]:
        return tuple(one for one in self.functions if one.name == name and not one.is_friend)


def members_of(snippet: Snippet, name: str) -> Members | None:
    """None where the text of the class leaves something open."""
    body = snippet.root.field("body")
    if snippet.root.kind not in _CLASSES or body is None or snippet.unreadable() is not None:
        return None
    if snippet.root.child("base_class_clause") is not None:
        return None
    functions, others, converts = list[Member](), set[str](), False
    parameters = _types(snippet.templates)
    for node in body.children:
        is_friend, inner = _unwrapped(node)
        if inner is None or inner.kind in _SILENT:
            continue
        if inner.kind not in _DECLARATIONS:
            return None
        function = _function_of(inner)
        if function is not None:
            known = parameters | _types(node.fields("parameters"))
            own = _member(inner, function, name, is_friend, known)
            if own is None:
                return None
            converts = converts or own.name == CONVERSION
            functions.append(own)
        elif not is_friend:
            others.update(_text(one) for one in inner.walk() if one.kind in _NAMES)
    return Members(tuple(functions), frozenset(others), converts)


CONVERSION: Final = "operator()?"
"""The name that conversion functions have here: nothing calls them by one."""


def _types(parameters: Sequence[Node]) -> frozenset[bytes]:
    """The names of the types that templates take."""
    return frozenset(node.text for one in parameters for node in one.walk() if node.kind == "type_identifier")


def _unwrapped(node: Node) -> tuple[bool, Node | None]:
    """What a template or a `friend` is about."""
    is_friend, inner = False, node
    while inner.kind in ("template_declaration", "friend_declaration"):
        is_friend = is_friend or inner.kind == "friend_declaration"
        parts = [child for child in inner.children if child.kind in _DECLARATIONS]
        if not parts:
            return is_friend, None if is_friend else inner
        inner = parts[0]
    return is_friend, inner


def _function_of(node: Node) -> Node | None:
    """The declarator of a function that is declared, not of a pointer to one."""
    found = [child for child in node.children if child.role == "declarator"]
    if len(found) != 1:
        return None
    inner = found[0]
    while inner.kind in ("reference_declarator", "pointer_declarator"):
        parts = [child for child in inner.children if child.kind in _FUNCTIONS or child.kind.endswith("_declarator")]
        if len(parts) != 1:
            return None
        inner = parts[0]
    if inner.kind == "operator_cast":
        return inner
    named = inner.field("declarator") if inner.kind == "function_declarator" else None
    return inner if named is not None and named.kind != "parenthesized_declarator" else None


def _member(node: Node, function: Node, owner: str, is_friend: bool, parameters: frozenset[bytes]) -> Member | None:
    """None for what may be a macro: it has no type, and is not called like the class."""
    named = function.field("declarator")
    is_cast = function.kind == "operator_cast"
    name = CONVERSION if is_cast or named is None else "".join(_text(named).split())
    is_typed = node.field("type") is not None
    if not is_typed and not is_cast and name not in (owner, f"~{owner}"):
        return None
    head = node.text[: function.start - node.start]
    words = frozenset(IDENTIFIER.findall(head)) - parameters - {owner.encode()}
    kinds = {child.kind for child in node.children}
    taken = function.field("parameters")
    is_open = bool(kinds & _DEFAULTED) or b"virtual" in words
    return Member(
        name,
        None if is_open else _side_of(words),
        is_friend,
        taken is not None and owner.encode() in IDENTIFIER.findall(taken.text),
        words,
    )


def _side_of(words: frozenset[bytes]) -> Side:
    if not words.isdisjoint({b"constexpr", b"consteval"}):
        return Side.BOTH
    if b"__device__" not in words:
        return Side.HOST
    return Side.BOTH if b"__host__" in words else Side.DEVICE


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")


_CLASSES: Final = frozenset({"struct_specifier", "class_specifier"})
_DECLARATIONS: Final = frozenset({"function_definition", "declaration", "field_declaration"})
_FUNCTIONS: Final = frozenset({"function_declarator", "operator_cast"})
_SILENT: Final = frozenset(
    {"access_specifier", "type_definition", "alias_declaration", "static_assert_declaration", "comment", "{", "}", ";"}
)
_DEFAULTED: Final = frozenset({"default_method_clause", "delete_method_clause", "pure_virtual_clause"})
_NAMES: Final = frozenset({"field_identifier", "type_identifier", "identifier"})
