"""How the parameters of a kernel hang together with the registers of its launch."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class RelationKind(Enum):
    """What an argument of a launch is along an axis: the extent of the block, that of the grid, or a number that is no
    less than their product."""

    IS_BLOCK = "blockDim"
    IS_GRID = "gridDim"
    COVERS = "gridDim * blockDim"


class ArgumentRelation(NamedTuple):
    """What the argument at a position is along an axis (0, 1, 2), whatever the numbers are."""

    kind: RelationKind
    axis: int
    argument: int
