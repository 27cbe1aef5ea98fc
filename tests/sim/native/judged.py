"""What a run computed otherwise, function by function and operator by operator, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.types import FloatFormat, FloatType
from tests.sim.native.comparison import ulps_between
from tests.sim.native.domains import UNDEFINED
from tests.sim.native.intrinsics import Batch, Function, is_bfloat16
from tests.sim.native.operators import ROWS, Sheet
from tests.sim.native.tolerances import tolerance_of

_SHOWN: Final = 3
_BFLOAT16_ULP: Final = 1 << 16
"""In ulps of float, as which such results are kept."""
Arrays = Mapping[str, NDArray[Any]]


def of_function(
    one: Batch, function: Function, wanted: Arrays, found: Arrays, *, both_may_err: bool = False
) -> Iterator[str]:
    """Beyond what is allowed for the function, where its result is defined.

    `both_may_err`: what is wanted is no exact result either, so that twice as much is allowed.
    """
    columns = [np.asarray(value) for name, value in one.case.arguments.items() if name.startswith("in_")]
    for at, type in enumerate(function.results):
        array, slot = one.places[function.name, at]
        rows = slice(slot * one.count, (slot + 1) * one.count)
        left, right = wanted[array][rows], found[array][rows]
        tolerance = tolerance_of(function.name, is_double=type == FloatType(FloatFormat.DOUBLE))
        if left.dtype.kind == "f":
            with np.errstate(all="ignore"):
                near = np.abs(left.astype(np.float64) - right.astype(np.float64)) <= tolerance.absolute
            allowed = tolerance.ulps * (2 if both_may_err else 1) * (_BFLOAT16_ULP if is_bfloat16(type) else 1)
            wrong = (ulps_between(left, right) > allowed) & ~near
        else:
            wrong = left != right
        if wrong.ndim > 1:
            wrong = wrong.any(axis=1)
        if function.name in UNDEFINED:
            wrong = wrong & ~UNDEFINED[function.name](columns)
        for row in np.flatnonzero(wrong)[:_SHOWN]:
            arguments = ", ".join(str(column[row]) for column in columns)
            yield f"{function.name}({arguments})[{at}] = {right[row]}, natively {left[row]}"


def of_sheet(one: Sheet, wanted: Arrays, found: Arrays, *, divides_by_zero: bool = True) -> Iterator[str]:
    """Bit by bit; without `divides_by_zero`, quotients of integers by zero may be anything."""
    for question, (array, slot) in zip(one.questions, one.slots, strict=True):
        rows = slice(slot * ROWS, (slot + 1) * ROWS)
        left, right = wanted[array][rows], found[array][rows]
        wrong = ulps_between(left, right) > 0 if array == "real" else left != right
        name = "" if question.right is None else question.right.name
        if not divides_by_zero and question.title in ("/", "/=") and array == "whole":
            wrong = wrong & (one.columns[name] != 0)
        for row in np.flatnonzero(wrong)[:_SHOWN]:
            given = one.columns["a"][row], None if not name else one.columns[name][row]
            yield f"{one.case.unit.name} {question.title} {name} of {given}: {right[row]}, natively {left[row]}"
