"""Copies from host code into variables of the device: `cudaMemcpyToSymbol(c_params, &params, sizeof params)`."""

from __future__ import annotations

from typing import Final

from analysis.syntax.tree import Node

_TO: Final = frozenset(
    {b"cudaMemcpyToSymbol", b"cudaMemcpyToSymbolAsync", b"hipMemcpyToSymbol", b"hipMemcpyToSymbolAsync"}
)
_FROM: Final = frozenset(name.replace(b"ToSymbol", b"FromSymbol") for name in _TO)
_READING: Final = {
    **dict.fromkeys(_TO, 1),
    **dict.fromkeys((b"cudaMemcpy", b"cudaMemcpyAsync", b"hipMemcpy", b"hipMemcpyAsync"), 1),
}
"""Functions that copy, and the argument that they only read."""
_TO_DEVICE: Final = (b"cudaMemcpyHostToDevice", b"hipMemcpyHostToDevice")


def copied_symbol(call: Node) -> bytes:
    """The variable that a call copies into; empty of every other call."""
    return _symbol(call, 0) if _called(call) in _TO else b""


def read_symbol(call: Node) -> bytes:
    """The variable that a call copies from."""
    return _symbol(call, 1) if _called(call) in _FROM else b""


def source_and_size(call: Node) -> tuple[Node, Node] | None:
    """The variable that is copied into all of a symbol, and the argument that says how much; None for what is copied
    behind its beginning, or from the device."""
    arguments = call.field("arguments")
    listed = () if arguments is None else arguments.children
    if len(listed) < 3 or (len(listed) > 3 and listed[3].text != b"0"):
        return None
    if len(listed) > 4 and listed[4].text not in _TO_DEVICE:
        return None
    source = pointed_to(listed[1])
    return None if source is None else (source, listed[2])


def only_read(call: Node) -> Node | None:
    """The `&x` of a call that copies it, and keeps nothing of it."""
    name, arguments = _called(call), call.field("arguments")
    at = _READING.get(name)
    if at is None or arguments is None or len(arguments.children) <= at:
        return None
    is_to_device = name in _TO or any(child.text in _TO_DEVICE for child in arguments.children[3:4])
    node = _without_casts(arguments.children[at])
    return node if is_to_device and pointed_to(node) is not None else None


def _called(call: Node) -> bytes:
    function = call.field("function")
    return b"" if function is None else function.text


def _symbol(call: Node, position: int) -> bytes:
    arguments = call.field("arguments")
    if arguments is None or len(arguments.children) <= position:
        return b""
    node = _without_casts(arguments.children[position])
    if node.kind == "call_expression" and _called(node) == b"HIP_SYMBOL":
        inner = node.field("arguments")
        node = inner.children[0] if inner is not None and len(inner.children) == 1 else node
    if node.kind == "pointer_expression":
        node = pointed_to(node) or node
    return node.text if node.kind == "identifier" else b""


def pointed_to(node: Node) -> Node | None:
    """`x` of `&x`."""
    node = _without_casts(node)
    sign, argument = node.field("operator"), node.field("argument")
    is_address = node.kind == "pointer_expression" and sign is not None and sign.text == b"&"
    return argument if is_address else None


def _without_casts(node: Node) -> Node:
    while node.kind in ("cast_expression", "parenthesized_expression"):
        inner = node.field("value") if node.kind == "cast_expression" else node.children[0]
        if inner is None:
            break
        node = inner
    return node
