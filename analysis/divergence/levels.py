"""The lattice: the widest group of threads that agrees."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Level(IntEnum):
    """`GRID < BLOCK < WARP < VARYING`; the join is `max`.

    Of a value: the widest group whose threads see the same value in one dynamic instance of its definition.
    Of a basic block: the widest group of which all live threads execute an instance of the block, or none does.
    VARYING: not even a warp.
    """

    GRID = 0
    BLOCK = 1
    WARP = 2
    VARYING = 3


LEVELS: Final = tuple(Level)
"""By number: an index costs a tenth of the call `Level(number)`, and the answers are asked for very often."""
