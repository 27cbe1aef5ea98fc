"""String literals: their characters, and the numbers that an array initialised by one holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from analysis.ir.instructions import Opaque
from analysis.ir.source import Span
from analysis.ir.types import S32, ArrayType, IntegerType
from analysis.lower.context import LoweringContext, LValue
from analysis.lower.conversions import wrapped
from analysis.syntax.tree import Node

STRINGS: Final = frozenset({"string_literal", "concatenated_string", "raw_string_literal"})
MAX_CHARACTERS: Final = 256
"""A longer text is not copied to an array one by one."""
_ESCAPE: Final = re.compile(rb"\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED: Final = {b"n": 10, b"t": 9, b"r": 13, b"a": 7, b"b": 8, b"f": 12, b"v": 11}


def string_text(node: Node) -> str:
    """The characters of a string literal, adjacent ones joined."""
    return string_bytes(node).decode("utf-8", "replace")


def string_bytes(node: Node) -> bytes:
    """The same as bytes, without the zero at the end."""
    if node.kind == "concatenated_string":
        return b"".join(string_bytes(child) for child in node.children)
    if node.kind == "raw_string_literal":
        content = node.child("raw_string_content")
        return b"" if content is None else content.text
    start, end = node.text.find(b'"'), node.text.rfind(b'"')
    return _ESCAPE.sub(_unescaped, node.text[start + 1 : end]) if 0 <= start < end else b""


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    if code[:1] == b"x" and len(code) > 1:
        return bytes([int(code[1:], 16) & 0xFF])
    if code.isdigit():
        return bytes([int(code, 8) & 0xFF])
    return bytes([_ESCAPED[code]]) if code in _ESCAPED else code


def array_of_string(type: ArrayType, node: Node) -> list[int] | None:
    """Elements of `char name[] = "text"`, zeros after the text; None for an array of anything but characters."""
    if node.kind not in STRINGS or not isinstance(type.element, IntegerType) or type.element.bits != 8:
        return None
    content = string_bytes(node)
    length = len(content) + 1 if type.length is None else type.length
    return list(content[:length].ljust(length, b"\0"))


def fill_characters(
    ctx: LoweringContext, target: LValue, type: ArrayType, characters: Sequence[int], span: Span
) -> None:
    """Stores the characters in an array."""
    builder = ctx.builder
    if len(characters) > MAX_CHARACTERS:
        builder.emit(Opaque(None, "an array of a long string", (target.address,), False, span))
        return
    for index, character in enumerate(characters):
        address = builder.element_address(target.address, builder.constant(index, S32, span), type.element, span)
        builder.store(address, builder.constant(wrapped(character, type.element), type.element, span), span)
