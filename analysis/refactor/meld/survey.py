"""What the syntax tree of a whole function says before one of its branches is read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


def forks_in(snippet: Snippet) -> dict[tuple[int, int], Node]:
    """The `if` statements by the places of their keywords."""
    found: dict[tuple[int, int], Node] = {}
    for node in snippet.root.walk():
        if node.kind == "if_statement":
            token = node.child("if")
            if token is not None:
                span = snippet.span(token.start, token.end)
                found.setdefault((span.start, span.end), node)
    return found


def has_empty_arm(fork: Node) -> bool:
    """Whether nothing but comments stands in the braces of one arm of an `if` statement."""
    arms = [fork.field("consequence"), fork.field("alternative")]
    inner = [statement_of(arm) for arm in arms if arm is not None and arm.children]
    return len(inner) < len(arms) or any(arm.kind == "compound_statement" and not arm.children for arm in inner)


def statement_of(clause: Node) -> Node:
    """The statement of an `else`."""
    return clause.children[-1] if clause.kind == "else_clause" else clause


def renamed_places(snippet: Snippet) -> frozenset[str]:
    """References, what they refer to, and what has its address taken: other names may change these variables."""
    found: set[str] = set()
    for node in snippet.root.walk():
        match node.kind:
            case "reference_declarator":
                found.update(_identifiers(node))
            case "init_declarator" if any(child.kind == "reference_declarator" for child in node.children):
                found.update(_place(node.children[-1]))
            case "pointer_expression" if node.text.startswith(b"&"):
                found.update(_place(node.children[-1]))
            case _:
                pass
    return frozenset(found)


def names_inside_macros(text: bytes, snippet: Snippet) -> frozenset[str]:
    """Identifiers that the expanded text holds where the file spells something else."""
    if not snippet.source_map.starts:
        return frozenset()
    found: set[str] = set()
    starts, ends = snippet.source_map.starts, snippet.source_map.origin_ends
    for node in snippet.root.walk():
        if node.kind == "identifier" and ends[bisect_right(starts, node.start) - 1] >= 0:
            span = snippet.span(node.start, node.end)
            if text[span.start : span.end] != node.text:
                found.add(node.text.decode("utf-8", "replace"))
    return frozenset(found)


def variables_of(snippet: Snippet) -> frozenset[str]:
    """The names that the function declares, but for references and pointers to functions."""
    return frozenset(
        inner.text.decode("utf-8", "replace")
        for node in snippet.root.walk()
        if node.kind in ("init_declarator", "declaration", "parameter_declaration")
        for inner in node.children
        if inner.role == "declarator" and inner.kind == "identifier"
    )


def _place(node: Node) -> Iterator[str]:
    """The variable that a place is, or is a member of; what an index or a pointer leads to is memory anyway."""
    match node.kind:
        case "identifier":
            yield node.text.decode("utf-8", "replace")
        case "field_expression" | "parenthesized_expression" | "argument_list" | "initializer_list":
            if b"->" not in node.text:
                yield from (name for child in node.children[:1] for name in _place(child))
        case "conditional_expression":
            yield from _identifiers(node)
        case _:
            pass


def _identifiers(node: Node) -> Iterator[str]:
    return (inner.text.decode("utf-8", "replace") for inner in node.walk() if inner.kind == "identifier")
