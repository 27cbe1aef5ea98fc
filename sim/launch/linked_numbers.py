"""Numbers that host code computes from another argument, for what that argument is.

Rules    `tiles = (bodies + 255) / 256; k<<<grid, 256>>>(x, bodies, tiles)`: with 2048 bodies there are 8 tiles.
         Only the first launch that says anything, and only for numbers that were chosen: what is known stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.ir.types import IntegerType, Type
from analysis.launches import Launch
from sim.launch.scalars import ChosenNumber


def linked_numbers(
    launches: Sequence[Launch],
    parameters: Sequence[str],
    leaves: Mapping[str, Type],
    numbers: Mapping[str, ChosenNumber],
) -> Mapping[str, ChosenNumber]:
    """By parameter; `numbers` are all others."""
    launch = next((launch for launch in launches if launch.links), None)
    found: dict[str, ChosenNumber] = {}
    for link in () if launch is None else launch.links:
        if max(link.argument, link.of) >= len(parameters):
            continue
        name, source = parameters[link.argument], parameters[link.of]
        type, behind = leaves.get(name), numbers.get(source)
        if not isinstance(type, IntegerType) or behind is None or not isinstance(behind.value, int) or name in found:
            continue
        number = link.of_number(behind.value)
        if source not in found and 0 < number < 1 << (type.bits - 1) and behind.value > 0:
            found[name] = ChosenNumber(number, f"host code computes it from {source}")
    return found
