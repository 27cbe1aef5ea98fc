"""Immediate operands: what a compiler computes before the program runs, and what it does not compute at all."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.scalar.machine import Immediate, Operand

NEUTRAL = {"iadd": 0, "isub": 0, "shl": 0, "imul": 1}
"""The right operand with which the result is the left one."""


def number(value: int) -> Immediate:
    return Immediate(str(value), value)


def simplified(mnemonic: str, operands: Sequence[Operand]) -> Operand | None:
    """The operand that an integer instruction merely repeats, or the number it makes; None if it must be executed."""
    match mnemonic, *operands:
        case (("iadd" | "isub" | "shl" | "imul"), left, Immediate(number=int() as amount)) if (
            amount == NEUTRAL[mnemonic]
        ):
            return left
        case ("iadd", Immediate(number=0), right) | ("imul", Immediate(number=1), right):
            return right
        case ("imul", Immediate(number=0), _) | ("imul", _, Immediate(number=0)) | ("shl", Immediate(number=0), _):
            return number(0)
        case _, Immediate(number=int() as left), Immediate(number=int() as right):
            return _computed(mnemonic, left, right)
        case _:
            return None


def _computed(mnemonic: str, left: int, right: int) -> Immediate | None:
    match mnemonic:
        case "iadd":
            return number(left + right)
        case "isub":
            return number(left - right)
        case "imul":
            return number(left * right)
        case "shl" if 0 <= right < 64:
            return number(left << right)
        case _:
            return None
