"""A change of one file's text, as data: editors, the shell and the checks apply it each in their own way."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeAlias, final

from analysis.ir.record import record


@final
@record
class Replacement:
    """The bytes from `start` to `end` of the analysed file become `text`."""

    start: int
    end: int
    text: str


def apply_replacements(text: bytes, replacements: Sequence[Replacement]) -> bytes:
    """The text after all of them; they are in order and do not overlap."""
    parts: list[bytes] = []
    copied = 0
    for edit in replacements:
        parts += [text[copied : edit.start], edit.text.encode()]
        copied = edit.end
    return b"".join([*parts, text[copied:]])


def composed(first: Sequence[Replacement], second: Sequence[Replacement]) -> tuple[Replacement, ...]:
    """One change that does what `second` does to the text after `first`."""
    between = _pieces(first)
    after: list[_Piece] = []
    position = 0
    for edit in second:
        after += [*_stretch(between, position, edit.start), edit.text.encode()]
        position = edit.end
    return tuple(_replacements([*after, *_stretch(between, position, sys.maxsize)]))


_Piece: TypeAlias = range | bytes
"""Bytes of the first text by their offsets, or bytes that stand in no text before; both are cut with `[a:b]`."""


def _pieces(edits: Sequence[Replacement]) -> list[_Piece]:
    """The text after them; the last piece goes on behind the end of any text."""
    pieces: list[_Piece] = []
    position = 0
    for edit in edits:
        pieces += [range(position, edit.start), edit.text.encode()]
        position = edit.end
    return [*pieces, range(position, sys.maxsize)]


def _stretch(pieces: Sequence[_Piece], start: int, end: int) -> Iterator[_Piece]:
    position = 0
    for piece in pieces:
        low, high = max(start - position, 0), min(end - position, len(piece))
        if low < high:
            yield piece[low:high]
        position += len(piece)


def _replacements(pieces: Sequence[_Piece]) -> Iterator[Replacement]:
    """What makes such a text of the first one."""
    position, text = 0, b""
    for piece in pieces:
        if isinstance(piece, bytes):
            text += piece
            continue
        if text or piece.start != position:
            yield Replacement(position, piece.start, text.decode())
        position, text = piece.stop, b""
