"""What numbers and characters say: a value, and the C++ type that it has.

Rules   An integer has the first type of `int`, `long` (and `unsigned` ones, where the suffix or the base allows them)
        in which its value fits; what fits none is cut off.  `'a'` is a `char`, `L'a'` a `wchar_t`.
Limits  Of several characters between quotes the first one counts.
Source  C++20 standard, [lex.icon], [lex.ccon], [lex.fcon].
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from analysis.cpp.types.arithmetic import integer
from analysis.cpp.types.model import Fundamental, QualType, fundamental
from analysis.ir.integers import wrapped


class Literal(NamedTuple):
    value: int | float
    type: QualType


@lru_cache(maxsize=1 << 12)
def number_literal(text: bytes) -> Literal | None:
    """The number that the text spells; None where it is not one (user-defined suffixes)."""
    spelled = text.replace(b"'", b"").decode("ascii", "replace").lower()
    if spelled[:1] in ("-", "+"):
        return _signed(spelled)
    found = _INTEGER.fullmatch(spelled)
    if found is not None:
        return _integer_literal(found[1], found[2])
    floating = _FLOATING.fullmatch(spelled)
    if floating is None:
        return None
    digits, suffix = floating[1], floating[2]
    try:
        value = float.fromhex(digits) if digits.startswith("0x") else float(digits)
    except (ValueError, OverflowError):
        return None
    return Literal(value, fundamental(Fundamental.FLOAT if suffix == "f" else Fundamental.DOUBLE))


def _signed(spelled: str) -> Literal | None:
    """The grammar makes a sign part of the number in places."""
    literal = number_literal(spelled[1:].encode())
    if literal is None or spelled[1:2] in ("-", "+") or spelled[0] == "+":
        return literal
    known = integer(literal.type)
    if known is None:
        return Literal(-literal.value, literal.type)
    return Literal(wrapped(-int(literal.value), known.bits, known.is_signed), literal.type)


def _integer_literal(digits: str, suffix: str) -> Literal:
    if digits.startswith("0x"):
        value, is_decimal = int(digits[2:], 16), False
    elif digits.startswith("0b"):
        value, is_decimal = int(digits[2:], 2), False
    elif len(digits) > 1 and digits[0] == "0" and _OCTAL.fullmatch(digits):
        value, is_decimal = int(digits, 8), False
    else:
        value, is_decimal = int(digits), True
    is_unsigned, is_long = "u" in suffix, "l" in suffix or "z" in suffix
    kinds = _LONG_LONG if "ll" in suffix else _LONG if is_long else (*_INT, *_LONG)
    for kind in kinds:
        known = integer(fundamental(kind))
        assert known is not None
        is_allowed = known.is_signed is False if is_unsigned else known.is_signed or not is_decimal
        if is_allowed and value < 1 << (known.bits - known.is_signed):
            return Literal(value, fundamental(kind))
    return Literal(value & (2**64 - 1), fundamental(kinds[-1]))


def character_literal(text: bytes) -> Literal:
    """The value of `'a'`, with its escapes."""
    prefix = text[: max(text.find(b"'"), 0)]
    return Literal(_character(text), fundamental(_CHARACTERS.get(prefix, Fundamental.CHAR)))


def _character(text: bytes) -> int:
    body = text[text.index(b"'") + 1 : -1] if b"'" in text else text
    decoded = body.decode("utf-8", "replace")
    if decoded[:1] != "\\":
        return ord(decoded[0]) if decoded else 0
    escape = decoded[1:2]
    if escape == "x" and _HEXADECIMAL.fullmatch(decoded[2:]):
        return int(decoded[2:], 16)
    if escape.isdigit() and _OCTAL.fullmatch(decoded[1:]):
        return int(decoded[1:], 8)
    return _ESCAPES.get(escape, ord(escape) if escape else 0)


_INT: Final = (Fundamental.INT, Fundamental.UNSIGNED)
_LONG: Final = (Fundamental.LONG, Fundamental.UNSIGNED_LONG)
_LONG_LONG: Final = (Fundamental.LONG_LONG, Fundamental.UNSIGNED_LONG_LONG)
_CHARACTERS: Final = {
    b"u8": Fundamental.CHAR8,
    b"u": Fundamental.CHAR16,
    b"U": Fundamental.CHAR32,
    b"L": Fundamental.WCHAR,
}
_INTEGER: Final = re.compile(r"(0x[0-9a-f]+|0b[01]+|[0-9]+)(u?l{0,2}|l{1,2}u|z|uz|zu)")
_FLOATING: Final = re.compile(
    r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|0x[0-9a-f]*\.?[0-9a-f]*p[+-]?[0-9]+)(f|l|)"
)
_HEXADECIMAL: Final = re.compile(r"[0-9a-fA-F]{1,8}")
_OCTAL: Final = re.compile(r"[0-7]+")
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34}
