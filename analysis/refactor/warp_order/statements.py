"""Statements in which lanes read and write at once: `s[t] += s[t + 16];` becomes a read, a barrier and a write.

Rules     Only an assignment can be taken apart, where its own write is the only one of the pair: the right side goes
          into a variable, and behind the barrier the variable is stored.  Of a compound assignment the left side is
          evaluated twice, so it must have no effects.
"""

from __future__ import annotations

import re
from typing import Final, final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.warp_order.model import Obstacle, Separation, WhyNotOrdered

_TIGHT: Final = frozenset(
    {"identifier", "number_literal", "subscript_expression", "call_expression", "parenthesized_expression"}
    | {"field_expression"}
)
"""Operands that need no parentheses."""
_EFFECTS: Final = frozenset({"assignment_expression", "update_expression", "call_expression", "new_expression"})
_COMPOUND: Final = re.compile(rb"(\+|-|\*|/|%|<<|>>|&|\||\^)=")


@final
@record
class Split:
    """An assignment that becomes a read and a write."""

    statement: Node
    left: Node
    right: Node
    operator: str | None
    """Of a compound assignment."""

    def read(self, text: bytes, name: str) -> str:
        """The statement before the barrier."""
        value = _source(text, self.right)
        if self.operator is not None:
            operand = value if self.right.type in _TIGHT else f"({value})"
            value = f"{_source(text, self.left)} {self.operator} {operand}"
        return f"const auto {name} = {value};"

    def write(self, text: bytes, name: str) -> str:
        """The statement behind it."""
        return f"{_source(text, self.left)} = {name};"


def split_of(text: bytes, statement: Node, separation: Separation) -> Split:
    """How the statement that both accesses stand in is taken apart; raises `Obstacle`."""
    assignment = statement.named_child(0) if statement.type == "expression_statement" else None
    if assignment is None or assignment.type != "assignment_expression":
        raise Obstacle(WhyNotOrdered.ONE_STATEMENT, statement.start_byte)
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    operator = assignment.child_by_field_name("operator")
    stores = [site for site in (separation.first, separation.second) if site.is_store]
    is_own = [(site.start, site.end) == (assignment.start_byte, assignment.end_byte) for site in stores]
    if left is None or right is None or operator is None or is_own != [True] or right.type == "initializer_list":
        raise Obstacle(WhyNotOrdered.ONE_STATEMENT, statement.start_byte)
    compound = _COMPOUND.fullmatch(text, operator.start_byte, operator.end_byte)
    if compound is None and _source(text, operator) != "=":
        raise Obstacle(WhyNotOrdered.ONE_STATEMENT, statement.start_byte)
    if compound is not None and has_effects(left):
        raise Obstacle(WhyNotOrdered.EFFECTS, statement.start_byte)
    return Split(statement, left, right, None if compound is None else compound[1].decode())


def has_effects(node: Node) -> bool:
    """Whether evaluating the expression twice may differ from evaluating it once, as far as its form shows."""
    return node.type in _EFFECTS or any(map(has_effects, node.named_children))


def _source(text: bytes, node: Node) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
