"""Conditions that look like declarations: `if (a && b < c && d >= e)`.

To the grammar this declares a reference of the template type's name `b<c && d>` to an `a`, with the value `e`.
"""

from collections.abc import Callable
from typing import Final

from analysis.syntax.node_building import new_node, spelled
from analysis.syntax.tree import Node

_DECLARATORS: Final = frozenset({"reference_declarator", "pointer_declarator"})


def declared_chain(
    declared: Node, is_type: Callable[[bytes], bool], is_template: Callable[[bytes], bool]
) -> list[Node] | None:
    """`a`, `&&`, `b`, `<`, `c && d`, `>=`, `e`; None for what is a declaration.  Also `a & b`, `a * b`."""
    first, declarator, value = (declared.field(name) for name in ("type", "declarator", "value"))
    if declared.kind != "declaration" or first is None or first.kind != "type_identifier" or is_type(spelled(first)):
        return None
    if value is None or declarator is None or declarator.kind not in _DECLARATORS:
        return None
    template = declarator.children[-1]
    name, listed = template.field("name"), template.field("arguments")
    if template.kind != "template_function" or name is None or listed is None or len(listed.children) != 1:
        return None
    middle, source, more = listed.children[0], declared.source, listed.end - 1
    if is_template(spelled(name)) or not joins(middle) or source[more : more + 2] != b">=":
        return None
    sign = source[declarator.start : name.start].strip()
    less = source.find(b"<", name.end)
    first.kind = "identifier"
    return [
        first,
        new_node(sign.decode(), declarator.start, declarator.start + len(sign), declared, []),
        name,
        new_node("<", less, less + 1, declared, []),
        middle,
        new_node(">=", more, more + 2, declared, []),
        value,
    ]


def joins(middle: Node) -> bool:
    """Whether a "template argument" is two conditions joined: nobody writes that as an argument."""
    if middle.kind == "conditional_expression":
        return False
    operator = middle.field("operator")
    return middle.kind == "binary_expression" and operator is not None and operator.kind in ("&&", "||", "and", "or")
