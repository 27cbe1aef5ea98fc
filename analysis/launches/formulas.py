"""How host code computes an argument of a launch from others: `n / 32 < 4 ? n : n / 2`, as a tree.

Limits   Numbers are those of mathematics, quotients and remainders those of C: what a type cuts off is not modelled, so
         this serves the choice of inputs alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias, assert_never, final

from analysis.ir.record import record
from analysis.launches.file_constants import Number
from analysis.launches.host_arithmetic import OF_TWO, combined


@final
@record
class FixedNumber:
    """A constant, or what the host function is known to hold."""

    value: Number


@final
@record
class OtherArgument:
    """What the launch passes at a position."""

    position: int


@final
@record
class Operation:
    """`left sign right`, or a function of two numbers by its name."""

    sign: str
    left: Formula
    right: Formula


@final
@record
class Alternative:
    """`condition ? if_true : if_false`."""

    condition: Formula
    if_true: Formula
    if_false: Formula


Formula: TypeAlias = FixedNumber | OtherArgument | Operation | Alternative


class ArgumentFormula(NamedTuple):
    """What the argument at a position is computed by."""

    argument: int
    formula: Formula


def positions_in(formula: Formula) -> frozenset[int]:
    """Of the arguments that a formula depends on."""
    match formula:
        case FixedNumber():
            return frozenset()
        case OtherArgument(position=position):
            return frozenset((position,))
        case Operation(left=left, right=right):
            return positions_in(left) | positions_in(right)
        case Alternative(condition=condition, if_true=if_true, if_false=if_false):
            return positions_in(condition) | positions_in(if_true) | positions_in(if_false)
        case _:
            assert_never(formula)


def computed(formula: Formula, numbers: Mapping[int, Number]) -> Number | None:
    """The value for these arguments by position, which are all that it depends on; None for a division by 0."""
    match formula:
        case FixedNumber(value=value):
            return value
        case OtherArgument(position=position):
            return numbers[position]
        case Operation(sign=sign, left=left, right=right):
            first, second = computed(left, numbers), computed(right, numbers)
            if first is None or second is None:
                return None
            try:
                return OF_TWO[sign](first, second) if sign in OF_TWO else combined(sign, first, second)
            except ArithmeticError:
                return None
        case Alternative(condition=condition, if_true=if_true, if_false=if_false):
            decision = computed(condition, numbers)
            return None if decision is None else computed(if_true if decision else if_false, numbers)
        case _:
            assert_never(formula)
