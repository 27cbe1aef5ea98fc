"""What the text of code that is evaluated says before it is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.cpp.constants.values import NotConstant
from analysis.ir.pace import popped
from analysis.syntax.tree import Node

STRINGS: Final = frozenset({"string_literal", "concatenated_string", "raw_string_literal"})
_CHANGING: Final = frozenset({"assignment_expression", "update_expression", "lambda_expression", "call_expression"})
_LABELLED: Final = "case_statement"


def text_of(node: Node) -> str:
    return node.text.decode("utf-8", "replace")


def changes_something(node: Node) -> bool:
    """May evaluating the expression change an object?"""
    waiting = [node]
    return any(_meets(one, _CHANGING, waiting) for one in popped(waiting))


def _meets(node: Node, wanted: frozenset[str], waiting: list[Node]) -> bool:
    waiting += node.children
    return node.kind in wanted


def has_inner_labels(labels: Sequence[Node]) -> bool:
    """Are there labels of the same `switch` deeper down?"""
    waiting = [statement for label in labels for statement in labelled(label)]
    return any(
        one.kind != "switch_statement" and _meets(one, frozenset({_LABELLED}), waiting) for one in popped(waiting)
    )


def labelled(label: Node) -> list[Node]:
    """The statements of a label."""
    return [child for child in label.children if child.role != "value" and child.kind not in ("case", "default")]


def without_parentheses(node: Node) -> Node:
    while node.kind == "parenthesized_expression" and len(node.children) == 1:
        node = node.children[0]
    return node


def initialisers_of(node: Node | None) -> dict[str, Node]:
    """What a constructor writes in front of its body, by the name of the member or base."""
    found: dict[str, Node] = {}
    for child in () if node is None else node.children:
        if child.kind != "field_initializer" or len(child.children) < 2:
            raise NotConstant
        found["".join(text_of(child.children[0]).split())] = child
    return found


def designated(nodes: Sequence[Node]) -> bool:
    return bool(nodes) and nodes[0].kind == "initializer_pair"


def listed(node: Node) -> tuple[str, Node]:
    """The name and the value in `.name = value`."""
    designator, value = node.field("designator"), node.field("value")
    children = () if designator is None else designator.children
    if value is None or len(children) != 1 or children[0].kind != "field_identifier":
        raise NotConstant
    return text_of(children[0]), value
