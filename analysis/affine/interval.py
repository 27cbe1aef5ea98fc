"""Closed intervals of integers, with the arithmetic of mathematics (no wrap-around)."""

from __future__ import annotations

from typing import final

from analysis.ir.record import record
from analysis.ir.types import BooleanType, IntegerType


@final
@record
class Interval:
    """`low .. high`, both included; never empty."""

    low: int
    high: int

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high

    def within(self, other: Interval) -> bool:
        return other.low <= self.low and self.high <= other.high

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        if self.low >= 0 and other.low >= 0:
            return Interval(self.low * other.low, self.high * other.high)
        corners = (self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)
        return Interval(min(corners), max(corners))

    def join(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval | None:
        """None if they have nothing in common."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else None


BOOLEAN_RANGE = Interval(0, 1)
_SIGNED = {bits: Interval(-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64, 128)}
_UNSIGNED = {bits: Interval(0, (1 << bits) - 1) for bits in (8, 16, 32, 64, 128)}


def type_range(type_: IntegerType | BooleanType) -> Interval:
    """All values of the type."""
    if isinstance(type_, BooleanType):
        return BOOLEAN_RANGE
    return (_SIGNED if type_.signed else _UNSIGNED)[type_.bits]
