"""How many bytes one lane moves: all of them, and with one instruction."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.ir.types import StructLayout, Type
from analysis.lower.layouts import size_and_alignment

MAX_REQUEST_BYTES = 16
"""What one lane can move with one instruction."""


def moved_bytes(type_: Type, structs: Mapping[str, StructLayout]) -> tuple[int | None, int | None]:
    """Bytes per lane, and how many of them one instruction moves: what the type's size and alignment let it.

    None where the size is not known.
    """
    size, alignment = size_and_alignment(type_, structs)
    return (size, min(size & -size, alignment, MAX_REQUEST_BYTES)) if size else (None, None)
