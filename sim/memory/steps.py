"""Places that are a step per block, row and column of threads apart: a view of memory in place of an index per thread.

    s[threadIdx.y][threadIdx.x]     extents (blocks, z, y, x), steps (1536, ..., 64, 4) bytes

Gain      to copy such a view of 65,536 numbers takes 7 us, to gather them by their indices 37; to write it 6 in place
          of 64.  The tiled product of matrices takes two thirds of its time.
"""

from __future__ import annotations

from math import gcd
from typing import Any, Final, final

import numpy as np

from analysis.ir.record import record
from sim.arrays import Lanes, Values
from sim.state.frame import Frame


@final
@record
class Steps:
    """`extents` of the threads of a frame, the first one of blocks, and how many bytes lie between neighbours along
    each; `origin` is how far behind the lowest place the first thread's lies.  `shape` is that of values."""

    shape: tuple[int, int]
    extents: tuple[int, ...]
    steps: tuple[int, ...]
    origin: int
    grain: int
    """All places are multiples of so many bytes apart; 0 where they are one."""
    are_apart: bool
    """Whether no two threads share a byte."""

    def lead_to(self, memory: Values, start: int) -> bool:
        """Whether they lead from `start` to numbers of this view and not between them."""
        return not (start % memory.itemsize or self.grain % memory.itemsize)

    def view(self, memory: Values, start: int) -> Values:
        """The numbers of all threads, the lowest of which is at byte `start`."""
        return np.ndarray(self.extents, memory.dtype, memory, start + self.origin, self.steps)

    def take(self, memory: Values, start: int) -> Values:
        return self.view(memory, start).copy().reshape(self.shape)

    def of_warps(self, warps: slice) -> Steps | None:
        """The steps of these warps of each block; None where a warp is no row of threads, nor some of them."""
        width, blocks, across, along = self.shape[1], self.extents[0], self.extents[-1], self.steps[-1]
        if across % width == 0 and blocks * across == self.shape[0] * width:
            extents, steps, of_warp = (width,), (along,), width * along
        elif width % across == 0 and len(self.extents) == 4 and self.extents[1] == 1:
            down = width // across
            extents, steps, of_warp = (down, across), self.steps[2:], down * self.steps[2]
        else:
            return None
        count = len(range(warps.start, warps.stop, warps.step))
        return Steps(
            (blocks * count, width),
            (blocks, count, *extents),
            (self.steps[0], warps.step * of_warp, *steps),
            self.origin + warps.start * of_warp,
            self.grain,
            self.are_apart,
        )

    def put(self, frame: Frame, memory: Values, start: int, values: Values, lanes: Lanes | None) -> bool:
        """Writes the numbers of these lanes; whether it did: not where threads may share a place, or few write.

        The lanes that do not write get back what was there.
        """
        if not self.are_apart or (lanes is not None and _are_few(lanes)):
            return False
        view = self.view(memory, start)
        if lanes is not None:
            if values.dtype != memory.dtype:
                return False
            values = frame.chooser.choose(lanes, values, view.copy().reshape(self.shape))
        if values.ndim and values.shape != self.shape:
            values = np.broadcast_to(values, self.shape)
        view[...] = values.reshape(self.extents) if values.ndim else values
        return True


_MANY: Final = 1 << 14


def _are_few(lanes: Lanes) -> bool:
    """Whether to write these alone costs less than to write all again."""
    return lanes.size >= _MANY and 4 * int(np.count_nonzero(lanes)) < lanes.size


def steps_of(addresses: Values, frame: Frame, width: int, stride: int | None) -> Steps | None:
    """The steps that lead to these addresses, for accesses of `width` bytes; None where there are none.

    With `stride`, they are those of one block, and the next one's lie so far behind.
    """
    extents = blocks, *inner = frame.extents
    own = (1 if stride is not None else blocks, *inner)
    if addresses.size != int(np.prod(own)):
        return None
    table = addresses.reshape(own)
    first = int(table.flat[0])
    steps = [
        int(table[tuple(int(axis == at and extent > 1) for at, extent in enumerate(own))]) - first
        for axis in range(len(own))
    ]
    ways = [np.arange(extent) * step for extent, step in zip(own, steps, strict=True)]
    made: Any = np.int64(first)
    for way in ways:
        made = np.add.outer(made, way)
    if not (made == table).all():
        return None
    if stride is not None:
        steps[0] = stride
    reach, are_apart = width, True
    for extent, step in zip(reversed(extents), reversed(steps), strict=True):
        are_apart = are_apart and (extent == 1 or abs(step) >= reach)
        reach += (extent - 1) * abs(step)
    origin = -sum((extent - 1) * min(step, 0) for extent, step in zip(extents, steps, strict=True))
    return Steps((frame.rows, frame.width), extents, tuple(steps), origin, gcd(*steps), are_apart)
