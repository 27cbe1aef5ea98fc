"""A change of one file's text, as data: editors, the shell and the checks apply it each in their own way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

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
