"""The simulator as a referee of the oracle: which index does each thread compute when the kernel runs?

Extents are small and factors large, so that every launch can be run; the indices are written down instead of used.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tests.arithmetic.indices import IndexKernel
from tests.sim.running import run

UNWRITTEN: Final = -(1 << 63)


def simulated_problem(kernel: IndexKernel, name: str) -> str | None:
    """Whether some index is another number than is meant: exactly where the launch is said to overflow."""
    size = kernel.block[0] * kernel.block[1] * kernel.grid[0] * kernel.grid[1] * kernel.numbers["c"]
    given = {"out": np.full(size, UNWRITTEN, np.int64), **kernel.numbers}
    result = run(kernel.shown, given, grid=(*kernel.grid, 1), block=(*kernel.block, 1), name=name)
    out = result.arrays["out"]
    seen = {place: int(out[place]) for place in range(size) if out[place] != UNWRITTEN}
    if result.faults or seen.keys() != kernel.meant.keys():
        return f"other threads write:\n{kernel.shown}{result.faults}"
    wrong = [place for place, index in kernel.meant.items() if seen[place] != index]
    if bool(wrong) is kernel.overflows:
        return None
    where = f" at {wrong[0]}: {seen[wrong[0]]}, not {kernel.meant[wrong[0]]}" if wrong else ""
    return f"{'no index is wrapped' if kernel.overflows else 'an index is wrapped'}{where}:\n{kernel.shown}"
