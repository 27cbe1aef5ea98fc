"""From which lane a shuffle reads: PTX ISA, "shfl.sync", over segments of `width` lanes."""

from __future__ import annotations

from typing import assert_never

from analysis.ir.operators import ShuffleMode


def source_lane(mode: ShuffleMode, lane: int, operand: int, width: int, warp_size: int) -> int:
    """The lane itself where the source would lie outside of its segment."""
    first = lane - lane % width
    last = first + width - 1
    match mode:
        case ShuffleMode.INDEX:
            return first + operand % width
        case ShuffleMode.UP:
            source = lane - (operand & 0xFFFFFFFF)
            return lane if source < first else source
        case ShuffleMode.DOWN:
            source = lane + (operand & 0xFFFFFFFF)
            return lane if source > last else source
        case ShuffleMode.XOR:
            source = lane ^ (operand & 0xFFFFFFFF)
            return lane if source > last or source >= warp_size else source
        case _:
            assert_never(mode)


def is_width(width: int, warp_size: int) -> bool:
    return 1 <= width <= warp_size and width & (width - 1) == 0
