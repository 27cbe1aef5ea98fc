"""A strict reader of the part of the DOT language that matters: statements, attribute lists, quoted strings.

Source  graphviz.org/doc/info/lang.html: the grammar, and what an ID is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, final

_TOKEN: Final = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*|-?\d+(?:\.\d*)?)'
    r"|(?P<mark>->|[{}\[\]=,;]))",
    re.DOTALL,
)


@final
@dataclass(frozen=True, slots=True)
class DotGraph:
    """Attributes by node and by edge; graph attributes and defaults are checked and left out."""

    name: str
    nodes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list[tuple[str, str, dict[str, str]]])


def read_dot(text: str) -> DotGraph:
    """Raises `ValueError` at what the grammar does not allow."""
    return _Reader(text).graph()


@final
class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"no token at {text[position : position + 30]!r}")
            kind = str(match.lastgroup)
            self._tokens.append((kind, match[kind]))
            position = match.end()
        self._at = 0

    def graph(self) -> DotGraph:
        self._expect("digraph")
        graph = DotGraph(self._id())
        self._expect("{")
        while self._peek() != "}":
            self._statement(graph)
            self._expect(";")
        self._expect("}")
        if self._at != len(self._tokens):
            raise ValueError("text after the graph")
        return graph

    def _statement(self, graph: DotGraph) -> None:
        first = self._id()
        if self._peek() == "=":
            self._expect("=")
            self._id()
        elif self._peek() == "->":
            self._expect("->")
            graph.edges.append((first, self._id(), self._attributes()))
        elif first in ("graph", "node", "edge"):
            self._attributes()
        else:
            graph.nodes[first] = self._attributes()

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        if self._peek() != "[":
            return found
        self._expect("[")
        while self._peek() != "]":
            name = self._id()
            self._expect("=")
            found[name] = self._id()
            if self._peek() == ",":
                self._expect(",")
        self._expect("]")
        return found

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _expect(self, text: str) -> None:
        if self._peek() != text:
            raise ValueError(f"{text!r} expected, {self._peek()!r} found")
        self._at += 1

    def _id(self) -> str:
        if self._at == len(self._tokens) or self._tokens[self._at][0] == "mark":
            raise ValueError(f"a name expected, {self._peek()!r} found")
        kind, text = self._tokens[self._at]
        self._at += 1
        return text[1:-1] if kind == "quoted" else text
