"""Statements that follow each other: where a barrier may stand, and the braces that this may take.

Rules     The body of an `if` or a loop without braces is a sequence of one statement, and gets braces when a barrier
          joins it.
"""

from __future__ import annotations

from typing import final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from analysis.refactor.layout import end_of_line, indentation, line_end, stands_alone
from analysis.refactor.warp_order.model import Obstacle, WhyNotOrdered


@final
@record
class Sequence:
    """`owner` is the block, or the `if`, `else` or loop of a body without braces."""

    owner: Node
    children: tuple[Node, ...]
    has_braces: bool

    def index(self, node: Node) -> int:
        """Of the child that is the node or contains it."""
        for number, child in enumerate(self.children):
            if child.start_byte <= node.start_byte and node.end_byte <= child.end_byte:
                return number
        raise Obstacle(WhyNotOrdered.BROKEN, node.start_byte)


def sequence_of(statement: Node) -> Sequence:
    """The sequence that the statement is part of."""
    parent = statement.parent
    if parent is None or parent.has_error:
        raise Obstacle(WhyNotOrdered.BROKEN, statement.start_byte)
    match parent.type:
        case "compound_statement":
            return Sequence(parent, _statements(parent), has_braces=True)
        case "if_statement" | "else_clause" | "for_statement" | "while_statement" | "do_statement":
            return Sequence(parent, (statement,), has_braces=False)
        case "case_statement":
            raise Obstacle(WhyNotOrdered.CASE, statement.start_byte)
        case _:
            raise Obstacle(WhyNotOrdered.BROKEN, statement.start_byte)


def body_of(loop: Node) -> Sequence:
    body = loop.child_by_field_name("body")
    if body is None or body.has_error:
        raise Obstacle(WhyNotOrdered.BROKEN, loop.start_byte)
    return Sequence(body, _statements(body), has_braces=True) if is_block(body) else sequence_of(body)


def is_block(node: Node) -> bool:
    return node.type == "compound_statement"


def is_statement(node: Node) -> bool:
    return node.type.endswith(("_statement", "_loop")) or node.type == "declaration"


def _statements(block: Node) -> tuple[Node, ...]:
    return tuple(child for child in block.named_children if child.type != "comment")


def opening(text: bytes, sequence: Sequence) -> Replacement:
    """The brace before a body that has none."""
    (body,) = sequence.children
    end = len(text[: body.start_byte].rstrip())
    previous = body.prev_sibling
    if previous is not None and previous.type != "comment":
        end = previous.end_byte
    return Replacement(end, end, " {")


def closing(text: bytes, sequence: Sequence) -> Replacement:
    (body,) = sequence.children
    end = end_of_line(text, body.end_byte)
    if end is None or not stands_alone(text, body):
        return Replacement(body.end_byte, body.end_byte, " }")
    own_line = line_end(text, body.end_byte) + indentation(text, sequence.owner.start_byte)
    return Replacement(end, end, f"{own_line}}}")
