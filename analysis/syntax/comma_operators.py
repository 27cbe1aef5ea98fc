"""Mends what the grammar cannot read of a comma operator in brackets whose first operand is an assignment.

In `(a = x, b)` the grammar takes `x ,` for an error before `b`, and in `(a = x, b = y, c)` it takes `= x` for one
behind `a`.  Both become the comma operator that the text is.

Rules    Only errors of exactly these two shapes are mended: all of their text is accounted for.
"""

import re
from typing import Final

from analysis.syntax.node_building import new_node
from analysis.syntax.tree import ERROR, Node

_ASSIGNING: Final = re.compile(rb"\s*(=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<=|>>=)\s*$")
_BEFORE_COMMA: Final = re.compile(rb"\s*,\s*$")


def mend_comma_operators(root: Node) -> int:
    """Mends the tree in place; gives the number of errors that are none any more."""
    mended = 0
    for node in list(root.walk()):
        if node.kind == "assignment_expression":
            mended += _error_before_value(node)
        elif node.kind == "comma_expression":
            mended += _error_behind_target(node)
    return mended


def _error_before_value(node: Node) -> bool:
    """`a = ERROR(x ,) b`."""
    if [child.kind == ERROR for child in node.children] != [False, False, True, False]:
        return False
    left, operator, error, right = node.children
    if left.role != "left" or operator.role != "operator" or right.role != "right" or len(error.children) != 1:
        return False
    value = error.children[0]
    if error.start != value.start or _BEFORE_COMMA.match(node.source[value.end : error.end]) is None:
        return False
    value.role = "right"
    assignment = new_node("assignment_expression", node.start, value.end, node, [left, operator, value], "left")
    node.kind = "comma_expression"
    node.children = [assignment, right]
    return True


def _error_behind_target(node: Node) -> bool:
    """`a ERROR(= x), b`."""
    if [child.kind == ERROR for child in node.children] != [False, True, False]:
        return False
    left, error, right = node.children
    if left.role != "left" or right.role != "right" or len(error.children) != 1:
        return False
    value = error.children[0]
    sign = _ASSIGNING.match(node.source[error.start : value.start])
    if sign is None or value.end != error.end:
        return False
    start = error.start + sign.start(1)
    operator = new_node(sign[1].decode(), start, error.start + sign.end(1), node, [], "operator")
    value.role = "right"
    assignment = new_node("assignment_expression", left.start, value.end, node, [left, operator, value], "left")
    node.children = [assignment, right]
    return True
