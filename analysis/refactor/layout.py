"""Statements inserted beside others, in the layout of the text around them.

Rules     A statement stands on a line of its own where its neighbour does, else in the line of its neighbour; comments
          at the end of a line stay there; line ends are those of the file.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from analysis.refactor.edit import Replacement

_REST_OF_LINE: Final = re.compile(rb"[ \t]*(?://[^\r\n]*|/\*[^\n]*?\*/[ \t]*)?(?=\r?\n|\Z)")
_INDENTATION: Final = re.compile(rb"[ \t]*")


def behind(text: bytes, node: Node, added: str) -> Replacement:
    """`added` as a statement behind the node."""
    end = end_of_line(text, node.end_byte)
    if end is None or not stands_alone(text, node):
        return Replacement(node.end_byte, node.end_byte, f" {added}")
    return Replacement(end, end, separator(text, node) + added)


def before(text: bytes, node: Node, added: str) -> Replacement:
    """`added` as a statement before the node."""
    line = text.rfind(b"\n", 0, node.start_byte) + 1
    is_first = not text[line : node.start_byte].strip()
    end = f"{line_end(text, node.end_byte)}{indentation(text, node.start_byte)}" if is_first else " "
    return Replacement(node.start_byte, node.start_byte, added + end)


def separator(text: bytes, node: Node) -> str:
    """What stands between the node and a statement of the same sequence behind it."""
    if not stands_alone(text, node):
        return " "
    return f"{line_end(text, node.end_byte)}{indentation(text, node.start_byte)}"


def stands_alone(text: bytes, node: Node) -> bool:
    """On lines of its own."""
    line = text.rfind(b"\n", 0, node.start_byte) + 1
    return not text[line : node.start_byte].strip() and end_of_line(text, node.end_byte) is not None


def end_of_line(text: bytes, offset: int) -> int | None:
    """Where the line ends if nothing but a comment follows the offset in it."""
    rest = _REST_OF_LINE.match(text, offset)
    return None if rest is None else rest.end()


def indentation(text: bytes, offset: int) -> str:
    """Of the line of an offset."""
    found = _INDENTATION.match(text, text.rfind(b"\n", 0, offset) + 1)
    assert found is not None
    return found[0].decode()


def line_end(text: bytes, offset: int) -> str:
    """That of the line in which the offset lies."""
    end = text.find(b"\n", offset)
    return "\r\n" if end > 0 and text[end - 1 : end] == b"\r" else "\n"
