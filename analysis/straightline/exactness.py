"""Which results are those of the mathematics of whole numbers, so that sums may be taken apart across a widening?

`a[i + 1]` with an `int` is `a[i]` and four bytes only if `i + 1` does not overflow.

Signed    overflow of an `int` or a wider signed type is undefined, so compilers take for granted that there is none;
          not so of `<<`, which C++20 defines.
Unsigned  wraps; it is exact only where the ranges of values rule a wrap out.
New       what a transformation adds (`(C1 - C0) * s`) may overflow on the way; a value that is computed anew is exact
          if all that it is computed from is (`rewrite`).
Address   of 64-bit operands nothing need be known: addresses are numbers modulo 2^64 themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Unary
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import IntegerType
from analysis.straightline.code import Code

ADDRESS_BITS = 64


@final
class Exactness:
    """`fits`: of a value of the function, whether no launch lets it wrap."""

    def __init__(self, code: Code, fits: Callable[[ValueId], bool]) -> None:
        self._code = code
        self._fits = fits
        self._originals = len(code.function.types)

    def rewrite(self, value: ValueId, parts: Iterable[ValueId]) -> None:
        """`value` is computed from these from now on: it is a sum of them over the whole numbers if they are exact."""
        if not all(self.is_exact(part) for part in parts):
            self._code.inexact.add(value)

    def is_exact(self, value: ValueId) -> bool:
        """Is the result of an operation on integers what it would be over the whole numbers?"""
        definition = self._code.definitions.get(value)
        if not isinstance(definition, Binary | Unary):
            return True
        if value >= self._originals or value in self._code.inexact:
            return False
        if isinstance(definition, Binary) and definition.operator is BinaryOperator.SHIFT_LEFT:
            return self._fits(value)
        type_ = self._code.types[value]
        if isinstance(type_, IntegerType) and type_.signed and type_.bits >= 32:
            return True
        return self._fits(value)
