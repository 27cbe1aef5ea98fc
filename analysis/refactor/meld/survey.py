"""What the syntax tree of a whole function says before one of its branches is read."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, final

from analysis.ir.pace import paced, popped
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


@final
class Survey:
    """The nodes of one function that are asked for: branches by a few steps, all others in one walk."""

    def __init__(self, snippet: Snippet) -> None:
        self.snippet: Final = snippet

    @cached_property
    def _nodes(self) -> Mapping[str, list[Node]]:
        nodes: dict[str, list[Node]] = {kind: [] for kind in _KINDS}
        stack = [self.snippet.root]
        for node in popped(stack):
            kind, children = node.kind, node.children
            if kind in _KINDS:
                nodes[kind].append(node)
            if children:
                stack += children
        return nodes

    @cached_property
    def _forks(self) -> Sequence[Node]:
        """The `if` and `switch` statements: below nodes in whose text no such word stands there is none."""
        text = self.snippet.text
        words = sorted([word.start() for pattern in _FORKING for word in paced(pattern.finditer(text))])
        found: list[Node] = []
        stack = [self.snippet.root]
        for node in popped(stack):
            first = bisect_left(words, node.start)
            if first == len(words) or words[first] >= node.end:
                continue
            if node.kind in _FORKS:
                found.append(node)
            stack += node.children
        return found

    @cached_property
    def forks(self) -> Mapping[tuple[int, int], Node]:
        """The `if` and `switch` statements by where their keywords stand; of those that one macro spells the first."""
        found: dict[tuple[int, int], Node] = {}
        for node in sorted(self._forks, key=_start):
            token = node.child("if") or node.child("switch")
            if token is not None:
                span = self.snippet.span(token.start, token.end)
                found.setdefault((span.start, span.end), node)
        return found

    def forks_in(self, fork: Node) -> Sequence[Node]:
        """The `if` and `switch` statements in one of them, itself included."""
        return [one for one in self._forks if fork.start <= one.start and one.end <= fork.end]

    @cached_property
    def aliased(self) -> frozenset[str]:
        """References, what they refer to, and what has its address taken: other names may change these variables."""
        found: set[str] = set()
        for node in self._nodes["reference_declarator"]:
            found.update(_identifiers(node))
        for node in self._nodes["init_declarator"]:
            if any(child.kind == "reference_declarator" for child in node.children):
                found.update(_place(node.children[-1]))
        for node in self._nodes["pointer_expression"]:
            if node.source.startswith(b"&", node.start):
                found.update(_place(node.children[-1]))
        return frozenset(found)

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that the function declares, but for references and pointers to functions."""
        return frozenset(
            inner.text.decode("utf-8", "replace")
            for kind in ("init_declarator", "declaration", "parameter_declaration")
            for node in self._nodes[kind]
            for inner in node.children
            if inner.role == "declarator" and inner.kind == "identifier"
        )

    @property
    def declarations(self) -> Sequence[Node]:
        """Of variables and parameters, in no order."""
        return (*self._nodes["declaration"], *self._nodes["parameter_declaration"])

    def calls_in(self, part: Node) -> Iterator[Node]:
        """The calls in a part of the function."""
        return (node for node in self._nodes["call_expression"] if part.start <= node.start and node.end <= part.end)

    def hidden(self, text: bytes) -> frozenset[str]:
        """Identifiers that the expanded text holds where the file spells something else."""
        snippet = self.snippet
        if not snippet.source_map.starts:
            return frozenset()
        found: set[str] = set()
        starts, ends = snippet.source_map.starts, snippet.source_map.origin_ends
        for node in self._nodes["identifier"]:
            if ends[bisect_right(starts, node.start) - 1] >= 0:
                span = snippet.span(node.start, node.end)
                if text[span.start : span.end] != node.text:
                    found.add(node.text.decode("utf-8", "replace"))
        return frozenset(found)


def has_empty_arm(fork: Node) -> bool:
    """Whether nothing but comments stands in the braces of one arm of an `if` statement."""
    arms = [fork.field("consequence"), fork.field("alternative")]
    inner = [statement_of(arm) for arm in arms if arm is not None and arm.children]
    return len(inner) < len(arms) or any(arm.kind == "compound_statement" and not arm.children for arm in inner)


def statement_of(clause: Node) -> Node:
    """The statement of an `else`."""
    return clause.children[-1] if clause.kind == "else_clause" else clause


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


def _start(node: Node) -> int:
    return node.start


_FORKING: Final = (re.compile(rb"if\b"), re.compile(rb"switch\b"))
"""Each begins with letters that are found at once."""
_FORKS: Final = frozenset({"if_statement", "switch_statement"})
_KINDS: Final = frozenset(
    {"reference_declarator", "init_declarator", "pointer_expression", "identifier"}
    | {"declaration", "parameter_declaration", "call_expression"}
)
