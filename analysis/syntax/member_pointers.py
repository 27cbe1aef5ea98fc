"""`object.*pointer` as C++ groups it: the grammar takes what stands behind `.*` for the name of a member.

    `x.*p[i]`, `x.*p(i)`, `x.*p++`   a postfix of `x.*p`                ->  `x.*` of `p[i]`: a postfix binds tighter
    `*x.*p`, `-x.*p`, `(T)x.*p`      a sign or a cast of `x.*p`         ->  `*x` and `.*p`: these bind tighter, too
    `x.*(c ? p : q)`                 a call of a name that is missing   ->  the pointer in brackets

Rules    Nodes change in place.  The `field` of such a node is the expression that is the pointer.
Limits   `x.*&A::m` stays an error.
Cost     One walk, of the nodes with a `.*` in their text.
Source   C++20 standard, [expr.mptr.oper].
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from analysis.ir.pace import paced, popped
from analysis.syntax.node_building import new_node
from analysis.syntax.tree import Node

TO_MEMBER: Final = ".*"
_SIGN: Final = re.compile(rb"\.\*")


def is_to_member(node: Node) -> bool:
    """Whether it is `object.*pointer`."""
    sign = node.field("operator") if node.kind == "field_expression" else None
    return sign is not None and sign.kind == TO_MEMBER


def mend_member_pointers(root: Node) -> int:
    """Mends the tree in place; gives the number of errors that are none any more."""
    mended = 0
    for node in reversed(_with_sign(root)):  # children before their parents
        if is_to_member(node):
            _as_expression(node.field("field"))
        elif node.kind in _POSTFIXES and node.children and is_to_member(node.children[0]):
            mended += _inwards(node, node.children[0])
        elif node.kind in _PREFIXES and node.children and is_to_member(node.children[-1]):
            _to_object(node, node.children[-1])
    return mended


def _with_sign(root: Node) -> list[Node]:
    """The nodes that have a `.*` in their text, parents first: in a comment, perhaps."""
    places = [sign.start() for sign in paced(_SIGN.finditer(root.source))]
    found: list[Node] = []
    stack = [root]
    for node in popped(stack):
        if bisect_left(places, node.start) < bisect_left(places, node.end):
            found.append(node)
            stack += node.children[::-1]
    return found


def _as_expression(pointer: Node | None) -> None:
    if pointer is not None and pointer.kind == "field_identifier":
        pointer.kind = "identifier"


def _inwards(node: Node, access: Node) -> bool:
    """`(x.*p)[i]` is `x.*(p[i])`; whether a name was missing."""
    *before, pointer = access.children
    if pointer.role != "field":  # text that is not understood stands behind it
        return False
    is_missing = pointer.is_missing and node.kind == "call_expression"
    if is_missing:
        listed = node.children[-1]
        value = listed.children[0] if listed.children else pointer
        for further in listed.children[1:]:
            value.role, further.role = "left", "right"
            value = new_node("comma_expression", value.start, further.end, node, [value, further])
        value.role = None
        inner = new_node("parenthesized_expression", listed.start, listed.end, node, [value], "field")
    else:
        pointer.role = access.role
        inner = new_node(node.kind, pointer.start, node.end, node, [pointer, *node.children[1:]], "field")
    node.kind, node.children = access.kind, [*before, inner]
    return is_missing


def _to_object(node: Node, access: Node) -> None:
    """`*(x.*p)` is `(*x).*p`, also where `x` is itself of that form."""
    innermost = access
    while is_to_member(innermost.children[0]):
        innermost.start = node.start
        innermost = innermost.children[0]
    innermost.start = node.start
    object = innermost.children[0]
    object.role = access.role
    signed = new_node(node.kind, node.start, object.end, node, [*node.children[:-1], object], "argument")
    innermost.children = [signed, *innermost.children[1:]]
    node.kind, node.children = access.kind, access.children


_POSTFIXES: Final = frozenset({"subscript_expression", "call_expression", "field_expression", "update_expression"})
_PREFIXES: Final = frozenset({"unary_expression", "pointer_expression", "cast_expression", "update_expression"})
