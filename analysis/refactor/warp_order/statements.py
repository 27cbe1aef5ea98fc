"""Statements in which threads read and write at once: `s[t] += s[t + 16];` becomes a read, a barrier and a write.

Rules     Of `if (t >= k) s[t] += s[t - k];` the read and the write get the condition each, with a barrier for all
          threads between: `const auto value = t >= k ? s[t] + s[t - k] : 0;`.  The array must be declared with a type
          that is a number's whatever it is a template of, for `0` fits no other.
          Only an assignment can be taken apart, where its own write is the only one of the pair: the right side goes
          into a variable, and behind the barrier the variable is stored.  Of a compound assignment the left side is
          evaluated twice, so it must have no effects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.warp_order.model import Obstacle, Separation, WhyNotOrdered

_TIGHT: Final = frozenset(
    {"identifier", "number_literal", "subscript_expression", "call_expression", "parenthesized_expression"}
    | {"field_expression"}
)
"""Operands that need no parentheses."""
_CONDITIONS: Final = _TIGHT | {"binary_expression", "unary_expression"}
"""Conditions of `?:` that need none."""
_EFFECTS: Final = frozenset({"assignment_expression", "update_expression", "call_expression", "new_expression"})
_COMPOUND: Final = re.compile(rb"(\+|-|\*|/|%|<<|>>|&|\||\^)=")


@final
@record
class Split:
    """An assignment that becomes a read and a write; `statement` is all that they replace."""

    statement: Node
    left: Node
    right: Node
    operator: str | None
    """Of a compound assignment."""
    guard: Node | None = None
    """The condition under which both happen."""

    def read(self, text: bytes, name: str) -> str:
        """The statement before the barrier."""
        value = _source(text, self.right)
        if self.operator is not None:
            operand = value if self.right.type in _TIGHT else f"({value})"
            value = f"{_source(text, self.left)} {self.operator} {operand}"
        if self.guard is not None:
            condition = _source(text, self.guard)
            value = f"{condition if self.guard.type in _CONDITIONS else f'({condition})'} ? {value} : 0"
        return f"const auto {name} = {value};"

    def write(self, text: bytes, name: str) -> str:
        """The statement behind it."""
        guard = "" if self.guard is None else f"if ({_source(text, self.guard)}) "
        return f"{guard}{_source(text, self.left)} = {name};"


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


def with_guard(text: bytes, split: Split, branch: Node) -> Split:
    """Of an `if` without `else` whose whole arm is the statement; raises `Obstacle`."""
    condition = branch.child_by_field_name("condition")
    guard = None if condition is None else condition.child_by_field_name("value")
    if guard is None or not _is_array_of_numbers(text, split.left):
        raise Obstacle(WhyNotOrdered.ONE_STATEMENT, branch.start_byte)
    return replace(split, statement=branch, guard=guard)


def _is_array_of_numbers(text: bytes, left: Node) -> bool:
    """Whether every variable of the file that has its name is declared with a type that is a number's."""
    while left.type == "subscript_expression":
        (left, *_) = left.named_children
    root = left
    while root.parent is not None:
        root = root.parent
    types = [_declared_type(one) for one in _named(root, _source(text, left))]
    found = [one for one in types if one is not None]
    return bool(found) and all(one.type in _NUMBERS or _source(text, one) in _NUMBER_NAMES for one in found)


def _named(node: Node, name: str) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "identifier" and child.text == name.encode():
            yield child
        yield from _named(child, name)


def _declared_type(name: Node) -> Node | None:
    """The type of the declaration that the name is declared in; None of a use."""
    node = name
    while node.parent is not None and (node.parent.type in _DECLARATORS) and node.parent.named_children[0] == node:
        node = node.parent
    owner = node.parent
    is_declared = owner is not None and owner.type in _DECLARATIONS
    return owner.child_by_field_name("type") if owner is not None and is_declared else None


_NUMBERS: Final = frozenset({"primitive_type", "sized_type_specifier"})
_NUMBER_NAMES: Final = frozenset({"uint", "uchar", "ushort", "ulong"})
_DECLARATORS: Final = frozenset({"array_declarator", "pointer_declarator", "reference_declarator", "init_declarator"})
_DECLARATIONS: Final = frozenset({"declaration", "parameter_declaration"})


def guarding(statement: Node) -> Node | None:
    """The `if` without `else` whose whole arm is the statement."""
    owner = statement.parent
    if owner is not None and owner.type == "compound_statement" and owner.named_child_count == 1:
        owner = owner.parent
    is_whole = owner is not None and owner.type == "if_statement" and owner.child_by_field_name("alternative") is None
    return owner if is_whole else None


def has_effects(node: Node) -> bool:
    """Whether evaluating the expression twice may differ from evaluating it once, as far as its form shows."""
    return node.type in _EFFECTS or any(map(has_effects, node.named_children))


def _source(text: bytes, node: Node) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
