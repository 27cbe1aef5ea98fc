"""What is asked of an index expression, and what is found."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.graph.cycles import CycleId
from analysis.ir.ids import ValueId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import IntegerType

Extents: TypeAlias = tuple[int, int, int]

LARGEST_GRID: Final[Extents] = ((1 << 31) - 1, 65535, 65535)
"""Blocks along each axis that a device takes."""


class Admitted(Enum):
    """What says that sizes get so large."""

    LAUNCH = "launch"
    COMMENT = "comment"
    BOUND = "bound"
    """A constant that the thread's place is compared with."""
    WIDE = "wide"
    """A number of 64 bits that it is compared with, so that somebody expects more than 32 hold."""


@final
@record
class Launched:
    """A launch: threads and blocks along each axis, and the integers that are passed, by their values in the function.

    A value that is not among them is not known.
    """

    block: Extents
    grid: Extents
    scalars: Mapping[ValueId, int]
    admitted: Admitted = Admitted.LAUNCH
    warp_size: int = 32
    assumed: frozenset[ValueId] = frozenset()
    """Those of the scalars which hold their number if what sets them ran before."""


@final
@record
class Point:
    """One thread at one moment: `thread` in its block, `at` its block, and the rounds of the loops around (from 0)."""

    thread: Extents
    at: Extents
    rounds: Mapping[CycleId, int]


@final
@record
class Overflow:
    """An index that is another number than its text says.

    `value` at `span` is the first that its type does not hold.  What is computed of it in 32 bits, at `shown`, is
    `number` in the integers of mathematics, and `type` does not hold that.
    `launched` is the smallest launch that is known to do it, `of` the one that is made.
    `is_assumed`: memory decides whether the thread comes there, or what the numbers are.
    """

    value: ValueId
    span: Span
    shown: Span
    number: int
    type: IntegerType
    launched: Launched
    of: Launched
    point: Point
    is_assumed: bool
    path: tuple[ValueId, ...]
    """What is computed from it, up to the index; the index last."""
