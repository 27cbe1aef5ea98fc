"""May what melded statements declare stand in the block around the branch, or does it need braces of its own?

It needs them where the block, its parameters or the head of its loop declare the same name, where a statement that
follows means another variable by that name, and where a `goto` or a `case` could jump past a declaration.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from analysis.syntax.tree import Node

CASE: Final = "case_statement"


def needs_braces(root: Node, around: Node, branch: Node, names: Iterable[str]) -> bool:
    """Whether one of the names, declared where `branch` stands in `around`, would meet another of its kind."""
    wanted = frozenset(name.encode() for name in names)
    if not wanted:
        return False
    if around.kind == CASE or any(node.kind == "goto_statement" for node in root.walk()):
        return True
    if any(_declares(child, name) for child in around.children for name in wanted):
        return True
    if any(_head_names(node, around) & wanted for node in root.walk()):
        return True
    following = [child for child in around.children if child.start >= branch.end]
    return any(_means_another(child, name) for child in following for name in wanted)


def _head_names(node: Node, block: Node) -> frozenset[bytes]:
    """The identifiers beside a block: in the head of a loop, among parameters."""
    if all(child is not block for child in node.children) or node.kind == "compound_statement":
        return frozenset()
    heads = [child for child in node.children if child is not block]
    return frozenset(inner.text for head in heads for inner in head.walk() if inner.kind == "identifier")


def _means_another(node: Node, name: bytes) -> bool:
    """Whether the name is used in `node` without being declared there first."""
    if node.kind == "identifier":
        return node.text == name
    if node.kind == "for_statement" and any(_declares(child, name) for child in node.children):
        return False
    for child in node.children:
        if node.kind == "compound_statement" and _declares(child, name):
            return False
        if _means_another(child, name):
            return True
    return False


def _declares(node: Node, name: bytes) -> bool:
    if node.kind != "declaration":
        return False
    return any(_declared(child) == name for child in node.children if child.role == "declarator")


def _declared(declarator: Node) -> bytes | None:
    node = declarator
    while node.kind != "identifier":
        inner = node.field("declarator") or next((child for child in node.children if child.kind in _INNER), None)
        if inner is None:
            return None
        node = inner
    return node.text


_INNER: Final = frozenset(
    {"identifier", "pointer_declarator", "array_declarator", "reference_declarator", "parenthesized_declarator"}
)
