"""`(a * (b)) - c` is read as a cast of `-c` to a function type `a *(b)`: take it apart.

C++ has no cast to a function type, so no names are needed to know that it is arithmetic: what looks like declarators
and a parameter are operands.  The same with `&`, `&&`, and with brackets, calls and more parentheses inside.
"""

from __future__ import annotations

from typing import Final

from analysis.syntax.node_building import as_expression, new_node
from analysis.syntax.tree import Node


def arithmetic_of(cast: Node) -> list[Node] | None:
    """`(a * (b))`, the operator after it and its right operand; None where the cast is one.  Changes nodes if found."""
    descriptor, value = cast.field("type"), cast.field("value")
    if cast.kind != "cast_expression" or descriptor is None or value is None or value.kind not in _SIGNED:
        return None
    operator, right = value.field("operator"), value.field("argument")
    if operator is None or right is None or operator.kind not in ("-", "+", "*", "&"):
        return None
    if operator.kind == "&" and right.kind == "pointer_expression" and right.start == operator.end:
        again = right.field("operator")
        if again is not None and again.kind == "&":  # `&& x`, read as twice the address
            operator, right = new_node("&&", value.start, value.start + 2, cast, []), right.field("argument")
    if right is None or not _is_product(descriptor):
        return None
    left = _declared(descriptor)
    if left is None:
        return None
    right.role, operator.role = None, "operator"
    return [parenthesized(left, cast.start, descriptor.end + 1, cast), operator, right]


def _is_product(descriptor: Node) -> bool:
    """Pointer or reference to a nameless function: `a *(b)`, with more parentheses perhaps."""
    declarator = descriptor.field("declarator")
    if declarator is None or declarator.kind not in _INDIRECT:
        return False
    while declarator.kind in _INDIRECT or declarator.kind == "abstract_parenthesized_declarator":
        if not declarator.children:
            return False
        declarator = declarator.children[-1]
    return declarator.kind == "abstract_function_declarator"


def _declared(node: Node) -> Node | None:
    """A type_descriptor or parameter_declaration as an expression."""
    type_node, declarator = node.field("type"), node.field("declarator")
    if type_node is None or type_node.kind not in _NAMES:
        return None
    if declarator is None:
        return as_expression(type_node) if len(node.children) == 1 else None
    if len(node.children) != 2:
        return None
    if declarator.kind == "abstract_array_declarator":
        return _applied(declarator, as_expression(type_node))
    if declarator.kind not in _INDIRECT:
        return None
    right = _operand(declarator.children[-1]) if declarator.children else None
    if right is None:
        return None
    text = node.source[declarator.start : declarator.start + 2]
    sign = "&&" if text == b"&&" else chr(text[0])
    left = as_expression(type_node)
    operator = new_node(sign, declarator.start, declarator.start + len(sign), node, [], "operator")
    left.role, right.role = "left", "right"
    return new_node("binary_expression", type_node.start, declarator.end, node, [left, operator, right])


def _operand(declarator: Node) -> Node | None:
    """A declarator as an expression."""
    match declarator.kind:
        case "identifier":
            return declarator
        case "abstract_parenthesized_declarator" | "parenthesized_declarator" if declarator.children:
            inner = _operand(declarator.children[-1])
            return None if inner is None else parenthesized(inner, declarator.start, declarator.end, declarator)
        case "abstract_function_declarator" if len(declarator.children) == 1:
            inner = _argument(declarator.children[0])
            return None if inner is None else parenthesized(inner, declarator.start, declarator.end, declarator)
        case "abstract_pointer_declarator" | "pointer_declarator" if declarator.children:
            inner = _operand(declarator.children[-1])
            if inner is None:
                return None
            sign = new_node("*", declarator.start, declarator.start + 1, declarator, [], "operator")
            inner.role = "argument"
            return new_node("pointer_expression", declarator.start, declarator.end, declarator, [sign, inner])
        case "array_declarator":
            inner = _operand(declarator.children[0])
            return None if inner is None else _applied(declarator, inner)
        case _:
            return None


def _argument(parameters: Node) -> Node | None:
    """The only parameter, as an expression."""
    if parameters.kind != "parameter_list" or len(parameters.children) != 1:
        return None
    parameter = parameters.children[0]
    return _declared(parameter) if parameter.kind == "parameter_declaration" else None


def _applied(declarator: Node, value: Node) -> Node | None:
    """`value[size]`."""
    size = declarator.field("size")
    if size is None:
        return None
    start = value.end
    size.role, value.role = None, "argument"
    indices = new_node("subscript_argument_list", start, declarator.end, declarator, [size], "indices")
    return new_node("subscript_expression", value.start, declarator.end, declarator, [value, indices])


def parenthesized(inner: Node, start: int, end: int, like: Node) -> Node:
    inner.role = None
    return new_node("parenthesized_expression", start, end, like, [inner])


_SIGNED: Final = frozenset({"unary_expression", "pointer_expression"})
_NAMES: Final = frozenset({"type_identifier", "qualified_identifier"})
_INDIRECT: Final = frozenset(
    {"abstract_pointer_declarator", "abstract_reference_declarator", "pointer_declarator", "reference_declarator"}
)
