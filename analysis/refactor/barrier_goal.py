"""What a repair of barriers is for."""

from __future__ import annotations

from enum import Enum


class BarrierGoal(Enum):
    """The values are those of the protocol."""

    ORDER = "order"
    """`__syncwarp()` between what the lanes of a warp exchange through shared memory."""
    SEPARATE = "separate"
    """`__syncthreads()` between accesses by which threads of several warps race."""
    RECONVERGE = "reconverge"
    """`__syncwarp()` behind a branch, where lanes come together again."""
    MEET = "meet"
    """All threads of a block brought to the block barriers of a function."""
