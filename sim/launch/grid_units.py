"""Numbers that host code computes the grid from: what they have to be for the grid that runs.

Rules    `kernel<<<dim3(n / 64, (m - 2) / 32), 256>>>(a, m, n)` with a grid of 4 x 2 blocks: n is 256, m is 66.
         Where a number is behind several extents, the largest that one of them asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.ir.index3 import Index3
from analysis.ir.types import IntegerType, Type
from analysis.launches import Launch
from sim.launch.scalars import ChosenNumber


def numbers_behind(
    launches: Sequence[Launch], parameters: Sequence[str], leaves: Mapping[str, Type], grid: Index3
) -> Mapping[str, ChosenNumber]:
    """By parameter; the first launch that says anything decides."""
    launch = next((launch for launch in launches if launch.grid_units), None)
    found: dict[str, ChosenNumber] = {}
    for unit in () if launch is None else launch.grid_units:
        name = parameters[unit.argument] if unit.argument < len(parameters) else ""
        type, number = leaves.get(name), unit.size * grid[unit.axis] + unit.offset
        if not isinstance(type, IntegerType) or not 0 < number < 1 << (type.bits - 1):
            continue
        if name not in found or number > found[name].value:
            found[name] = ChosenNumber(number, "a launch in the file computes the grid from it")
    return found
