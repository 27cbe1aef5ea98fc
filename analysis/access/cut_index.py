"""Indices that are cut to a power of two: `s[(4 * t + j) & 1023]`, where nobody knows `j`.

Question  Which banks do the lanes want, and which of them the same word?
Answer    Those for `j = 0`, turned by a number of banks that all lanes share: the elements that an index can reach fill
          each bank equally often, so what wraps comes back to the bank that it would have had, and two lanes meet in a
          word if and only if their indices differ by a multiple of the mask's period.
Holds     for banks alone, and where everything else in the address that differs between lanes is a multiple of the
          period (rows of a tile).  Which sectors of memory are touched does depend on `j`.
Gives up  at elements that do not fill whole words, and at a period that does not fill whole rows of banks.
"""

from __future__ import annotations

from typing import Final

from analysis.access.model import BANK_BYTES, BANKS
from analysis.affine.atoms import AXES, Axis
from analysis.affine.interval import Interval
from analysis.affine.linear_form import LinearForm
from analysis.divergence.thread_index import Expression
from analysis.ir.instructions import Binary, Constant, Instruction, Phi
from analysis.ir.operators import BinaryOperator, SpecialRegister
from analysis.ir.types import IntegerType

ROW_OF_BANKS: Final = BANKS * BANK_BYTES
MAX_BITS: Final = 32
"""Forms are exact in these; of wider ones they are not where narrow arithmetic wrapped before it was widened."""
_REGISTERS: Final = {
    Axis.THREAD_X: SpecialRegister.THREAD_X,
    Axis.THREAD_Y: SpecialRegister.THREAD_Y,
    Axis.THREAD_Z: SpecialRegister.THREAD_Z,
    Axis.LANE: SpecialRegister.LANE,
}


def period_of(item: Binary, right: Instruction | Phi | None, left_range: Interval, type_: object) -> int | None:
    """Of `left & (2^k - 1)` and `left % 2^k`, whose results lie from 0 to 2^k - 1: the 2^k."""
    if not isinstance(right, Constant) or not isinstance(right.value, int) or not isinstance(type_, IntegerType):
        return None
    period = right.value
    if item.operator is BinaryOperator.AND:
        period += 1
    elif item.operator is not BinaryOperator.REMAINDER or (type_.signed and left_range.low < 0):
        return None
    return period if 1 < period <= 1 << MAX_BITS and period & (period - 1) == 0 else None


def lane_part(form: LinearForm, period: int) -> Expression | None:
    """What differs between lanes of the cut value, for a number that they share of 0; None if that is not known."""
    number = 2 * form.bits  # unsigned
    total: Expression = 0
    for axis in AXES:
        factor = form.coefficient(axis).constant
        if factor is None:
            return None
        if factor:
            read: Expression = (_REGISTERS[axis].value, number, ())
            scaled: Expression = (BinaryOperator.MULTIPLY.value, number, (factor % period, read))
            total = (BinaryOperator.ADD.value, number, (total, scaled))
    return (BinaryOperator.AND.value, number, (total, period - 1))


def fits_banks(scale: int | None, period: int) -> bool:
    """Do elements `scale` bytes apart fill whole words, and those of a period whole rows of banks?"""
    return scale is not None and scale > 0 and scale % BANK_BYTES == 0 and scale * period % ROW_OF_BANKS == 0
