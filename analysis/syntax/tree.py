"""A light syntax tree in plain Python, copied from tree-sitter in one walk.

Question  What did the grammar see in a snippet, in a form that later passes may walk often and repair in place?
Rules     Kept: named nodes, anonymous tokens made of letters (`const`, `if`, `__shared__`) and anonymous tokens with a
          field (operators).  Dropped: other punctuation, comments, line continuations.
          `start` and `end` are offsets in the snippet's text.
Cost      About 0.7 microseconds per tree-sitter node.
Limits    A node deeper than `MAX_DEPTH` becomes a TOO_DEEP, so recursive readers of the tree are safe.  Its children
          are the names in its text, each once, as identifiers: it may do anything with them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Final, final

from tree_sitter import Node as TreeSitterNode
from tree_sitter import Tree

from analysis.ir.limits import Limit
from analysis.ir.pace import SHORT, paced, spend
from analysis.syntax.parsing import CUDA

MAX_DEPTH: Final = 400
"""`Limit.NESTING` says it."""
ERROR: Final = "ERROR"
TOO_DEEP: Final = "TOO_DEEP"


@final
class Node:
    """One node; `role` is the name of the field that it fills in its parent."""

    __slots__ = ("children", "end", "is_missing", "kind", "role", "source", "start")

    def __init__(
        self,
        kind: str,
        start: int,
        end: int,
        source: bytes,
        role: str | None = None,
        children: Sequence["Node"] = (),
        is_missing: bool = False,
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.source = source
        self.role = role
        self.children: Sequence[Node] = children
        """Mostly none, so no list of its own: empty lists would be a third of what a tree weighs."""
        self.is_missing = is_missing

    @property
    def text(self) -> bytes:
        return self.source[self.start : self.end]

    @property
    def is_error(self) -> bool:
        """Whether nothing is known of this text but the names in it."""
        return self.kind in (ERROR, TOO_DEEP)

    @property
    def construct(self) -> str:
        """What this node is called where it is not understood."""
        if self.kind == TOO_DEEP:
            return Limit.NESTING.value
        return "syntax error" if self.kind == ERROR else self.kind.replace("_", " ")

    @property
    def has_error(self) -> bool:
        """Whether this node or one below it is an ERROR or MISSING node."""
        return any(node.is_missing or node.kind == ERROR for node in self.walk())

    def field(self, name: str) -> "Node | None":
        """The first child that fills the field `name`."""
        for child in self.children:
            if child.role == name:
                return child
        return None

    def three(self, first: str, second: str, third: str) -> "tuple[Node | None, Node | None, Node | None]":
        """The first children that fill these fields: of nearly all nodes that are asked so, their three children."""
        children = self.children
        if len(children) == 3:
            one, other, last = children
            if one.role == first and other.role == second and last.role == third:
                return one, other, last
        return self.field(first), self.field(second), self.field(third)

    def fields(self, name: str) -> "list[Node]":
        """All children that fill the field `name`."""
        return [child for child in self.children if child.role == name]

    def child(self, kind: str) -> "Node | None":
        """The first child of that kind."""
        for child in self.children:
            if child.kind == kind:
                return child
        return None

    def put(self, new: "Node", old: "Node") -> None:
        """The child `old` gives its place to `new`."""
        self.children = [new if child is old else child for child in self.children]

    def walk(self) -> "Iterator[Node]":
        """This node and all below it, parents first, in text order."""
        stack: list[Node] = [self]
        rounds = 0
        while stack:
            node = stack.pop()
            yield node
            stack += node.children[::-1]
            rounds += 1
            if rounds == SHORT:
                spend(rounds)
                rounds = 0
        spend(rounds)

    def copy(self) -> "Node":
        """This node and all below it, to be repaired: a third of the price of parsing the text once more."""
        top = self._shallow()
        stack = [top]
        while stack:
            node = stack.pop()
            node.children = children = [child._shallow() for child in node.children]
            stack += [child for child in children if child.children]
        return top

    def _shallow(self) -> "Node":
        return Node(self.kind, self.start, self.end, self.source, self.role, self.children, self.is_missing)

    def sexp(self) -> str:
        """The tree as text, with fields, for tests and for people."""
        inside = "".join(
            f" {child.role}: {child.sexp()}" if child.role else f" {child.sexp()}" for child in self.children
        )
        missing = "MISSING " if self.is_missing else ""
        return f"({missing}{self.kind}{inside})" if inside or missing or self.kind[0].isalpha() else self.kind

    def __repr__(self) -> str:
        return f"<{self.kind} {self.start}:{self.end} {self.text[:40]!r}>"


def convert(tree: Tree, source: bytes, shift: int = 0) -> Node:
    """The whole tree as plain nodes; `shift` is what a wrapper put before `source` in the parsed text."""
    return convert_node(tree.root_node, source, shift)


def convert_node(root: TreeSitterNode, source: bytes, shift: int = 0) -> Node:
    """The tree below `root` as plain nodes, in one cursor walk."""
    # Every attribute of a tree-sitter object is a call into C, so each is read once and only when it can matter.
    broken = root.has_error
    cursor = root.walk()
    into, beside, out = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    kind_of, fields = _KINDS.get, _FIELDS
    top = Node(kind_of(root.kind_id, _ERRONEOUS)[0], root.start_byte - shift, root.end_byte - shift, source)
    top.is_missing = root.is_missing
    if not into():
        return top
    siblings: list[Node] = []
    top.children = siblings
    pending: list[list[Node]] = []
    for _ in paced(repeat(None)):
        node = cursor.node
        assert node is not None
        kind, keep = kind_of(node.kind_id, _ERRONEOUS)
        field = cursor.field_id if keep else None
        if keep > _WITH_FIELD or field is not None:
            start, end = node.byte_range
            if shift:
                start, end = start - shift, end - shift
            child = Node(kind, start, end, source, fields[field])
            siblings.append(child)
            if broken and node.is_missing:
                child.is_missing = True
            if keep == _LEAF_OR_INNER and into():
                if len(pending) < MAX_DEPTH:
                    pending.append(siblings)
                    siblings = []
                    child.children = siblings
                    continue
                out()
                child.kind = TOO_DEEP
                child.children = _names(child)
        while not beside():
            if not pending:
                return top
            out()
            siblings = pending.pop()
    return top


def _names(node: Node) -> list[Node]:
    first: dict[bytes, Node] = {}
    for found in _NAME.finditer(node.source, node.start, node.end):
        if found[0] not in first:
            first[found[0]] = Node("identifier", found.start(), found.end(), node.source)
    return list(first.values())


_NAME: Final = re.compile(rb"[A-Za-z_]\w*")
_LEAF_OR_INNER: Final = 3
_LEAF: Final = 2
_WITH_FIELD: Final = 1
_NEVER: Final = 0


def _keep(kind_id: int, kind: str) -> int:
    if CUDA.node_kind_is_named(kind_id):
        if kind == "comment":
            return _NEVER
        return _LEAF if kind in ("identifier", "field_identifier", "type_identifier") else _LEAF_OR_INNER
    return _LEAF if kind.replace("_", "").isalnum() else _WITH_FIELD


_KINDS: Final = {
    number: (kind, _keep(number, kind))
    for number in range(CUDA.node_kind_count)
    if (kind := CUDA.node_kind_for_id(number) or ERROR)
}
"""How each kind is called, and which of its nodes are kept."""
_ERRONEOUS: Final = (ERROR, _LEAF_OR_INNER)
_FIELDS: Final[dict[int | None, str | None]] = {
    None: None,
    **{number: CUDA.field_name_for_id(number) for number in range(1, CUDA.field_count + 1)},
}
