"""What the text of a `constexpr` function says before it is run: what changes something, and where labels stand."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from analysis.ir.pace import popped
from analysis.syntax.tree import Node


class Leaving(Enum):
    """A statement that ends the loop or `switch` around it, or this round of the loop."""

    BREAK = "break"
    CONTINUE = "continue"


_CHANGING: Final = frozenset({"assignment_expression", "update_expression", "lambda_expression"})


def changes_something(node: Node) -> bool:
    """Is there an assignment in the expression?  Calls that change something are not known to any evaluator."""
    waiting = [node]
    return any(_meets(one, _CHANGING, waiting) for one in popped(waiting))


def names_in(node: Node) -> frozenset[bytes]:
    waiting, found = [node], set[bytes]()
    for one in popped(waiting):
        waiting += one.children
        if one.kind == "identifier":
            found.add(one.text)
    return frozenset(found)


def has_inner_labels(labels: Sequence[Node]) -> bool:
    """Are there labels of the same `switch` deeper down?"""
    waiting = [statement for label in labels for statement in labelled(label)]
    return any(one.kind != "switch_statement" and _meets(one, _LABEL, waiting) for one in popped(waiting))


_LABEL: Final = frozenset({"case_statement"})


def _meets(node: Node, wanted: frozenset[str], waiting: list[Node]) -> bool:
    waiting += node.children
    return node.kind in wanted


def labelled(label: Node) -> list[Node]:
    """The statements of a label."""
    return [child for child in label.children if child.role != "value" and child.kind not in ("case", "default")]
