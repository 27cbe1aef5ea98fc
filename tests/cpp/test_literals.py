"""Values and types of numbers and characters."""

from __future__ import annotations

import pytest

from analysis.cpp.literals import character_literal, number_literal
from analysis.cpp.types.model import Fundamental, fundamental

F = Fundamental


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("1", 1, F.INT),
        ("0x80000000", 0x80000000, F.UNSIGNED),
        ("2147483648", 2147483648, F.LONG),
        ("0xffffffffff", 0xFFFFFFFFFF, F.LONG),
        ("0b101u", 5, F.UNSIGNED),
        ("5000000000u", 5000000000, F.UNSIGNED_LONG),
        ("017", 15, F.INT),
        ("3l", 3, F.LONG),
        ("3ll", 3, F.LONG_LONG),
        ("3uz", 3, F.UNSIGNED_LONG),
        ("1'000ULL", 1000, F.UNSIGNED_LONG_LONG),
        ("0xffffffffffffffffll", 2**64 - 1, F.UNSIGNED_LONG_LONG),
        ("1.", 1.0, F.DOUBLE),
        (".5f", 0.5, F.FLOAT),
        ("1e3", 1000.0, F.DOUBLE),
        ("0x1p3f", 8.0, F.FLOAT),
        ("-3", -3, F.INT),
        ("-3u", 2**32 - 3, F.UNSIGNED),
    ],
)
def test_numbers(text: str, value: float, kind: Fundamental) -> None:
    assert number_literal(text.encode()) == (value, fundamental(kind))


def test_user_defined_suffixes_are_not_numbers() -> None:
    assert number_literal(b"3_km") is None


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("'a'", 97, F.CHAR),
        ("'\\n'", 10, F.CHAR),
        ("'\\x41'", 65, F.CHAR),
        ("'\\0'", 0, F.CHAR),
        ("L'b'", 98, F.WCHAR),
        ("u8'b'", 98, F.CHAR8),
        ("U'b'", 98, F.CHAR32),
    ],
)
def test_characters(text: str, value: int, kind: Fundamental) -> None:
    assert character_literal(text.encode()) == (value, fundamental(kind))
