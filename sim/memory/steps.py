"""Places that are a step per block, row and column of threads apart: a view of memory in place of an index per thread.

    s[threadIdx.y][threadIdx.x]     extents (blocks, z, y, x), steps (1536, ..., 64, 4) bytes

Gain      to copy such a view of 65,536 numbers takes 7 us, to gather them by their indices 37; to write it 6 in place
          of 64.  The tiled product of matrices takes two thirds of its time.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from analysis.ir.record import record
from sim.arrays import Lanes, Values
from sim.state.frame import Frame


@final
@record
class Steps:
    """`extents` of the threads of a frame, and how many bytes lie between neighbours along each."""

    extents: tuple[int, ...]
    steps: tuple[int, ...]
    are_apart: bool
    """Whether no two threads share a byte."""

    def view(self, memory: Values, start: int) -> Values:
        """The numbers from byte `start` on, one for each thread."""
        return np.ndarray(self.extents, memory.dtype, memory, start, self.steps)

    def put(self, frame: Frame, memory: Values, start: int, values: Values, lanes: Lanes | None) -> bool:
        """Writes the numbers of these lanes; whether it did: not where threads may share a place, or few write.

        The lanes that do not write get back what was there.
        """
        if not self.are_apart or (lanes is not None and 4 * np.count_nonzero(lanes) < lanes.size):
            return False
        view, shape = self.view(memory, start), (frame.rows, frame.width)
        if lanes is not None:
            if values.dtype != memory.dtype:
                return False
            values = frame.chooser.choose(lanes, values, view.copy().reshape(shape))
        view[...] = values.reshape(self.extents) if values.shape == shape else _spread(values, shape, self.extents)
        return True


def _spread(values: Values, shape: tuple[int, int], extents: tuple[int, ...]) -> Values:
    return np.broadcast_to(values, shape).reshape(extents) if values.ndim else values


def steps_of(distances: Values, extents: tuple[int, ...], width: int) -> Steps | None:
    """The steps that make these distances in bytes, which are not negative, for accesses of `width` bytes."""
    if not distances.ndim or distances.size != int(np.prod(extents)) or distances.flat[0]:
        return None
    table = np.ascontiguousarray(distances).reshape(extents)
    found: list[int] = []
    made: Any = np.int64(0)
    for axis, extent in enumerate(extents):
        second = [0] * len(extents)
        second[axis] = min(1, extent - 1)
        step = int(table[tuple(second)])
        found.append(step)
        made = np.add.outer(made, np.arange(extent) * step)
    if not (made == table).all():
        return None
    reach, are_apart = width, True
    for extent, step in zip(reversed(extents), reversed(found), strict=True):
        are_apart = are_apart and (extent == 1 or step >= reach)
        reach += (extent - 1) * step
    return Steps(extents, tuple(found), are_apart)
