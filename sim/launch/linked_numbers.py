"""Numbers that host code computes from other arguments, for what those are.

Rules    `tiles = (bodies + 255) / 256; k<<<grid, 256>>>(x, bodies, tiles)`: with 2048 bodies there are 8 tiles.
         `pairs = n % (2 * step) ? n / step + 1 : n / step; k<<<grid, 256>>>(x, n, step, pairs)`: likewise; where the
         grid says how many pairs there are, one of the other numbers is doubled until so many are computed.
         Only the first launch that says anything, and only for numbers that were chosen: what is known stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from analysis.ir.types import IntegerType, Type
from analysis.launches import Launch
from analysis.launches.formulas import ArgumentFormula, computed, positions_in
from sim.launch.scalars import ChosenNumber

MOST: Final = 1 << 22


def linked_numbers(
    launches: Sequence[Launch],
    parameters: Sequence[str],
    leaves: Mapping[str, Type],
    numbers: Mapping[str, ChosenNumber],
    decided: AbstractSet[str],
) -> Mapping[str, ChosenNumber]:
    """By parameter; `numbers` are all others, of which the `decided` ones stay."""
    launch = next((launch for launch in launches if launch.links or launch.formulas), None)
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
    for formula in () if launch is None else launch.formulas:
        found.update(_by_formula(formula, parameters, leaves, {**numbers, **found}, decided | found.keys()))
    return found


def _by_formula(
    one: ArgumentFormula,
    parameters: Sequence[str],
    leaves: Mapping[str, Type],
    numbers: Mapping[str, ChosenNumber],
    decided: AbstractSet[str],
) -> Mapping[str, ChosenNumber]:
    """The argument, or another one for which it is what it has to be."""
    positions = sorted(positions_in(one.formula))
    if max(one.argument, *positions) >= len(parameters):
        return {}
    name, others = parameters[one.argument], [parameters[position] for position in positions]
    if not all(isinstance(leaves.get(each), IntegerType) for each in (name, *others)):
        return {}
    known = {each: int(numbers[each].value) for each in others if each in numbers}
    if len(known) < len(others):
        return {}
    behind = " and ".join(others) if len(others) < 3 else "other arguments"

    def value_with(changed: Mapping[str, int]) -> int:
        now = {**known, **changed}
        value = computed(one.formula, {position: now[each] for position, each in zip(positions, others, strict=True)})
        return value if isinstance(value, int) else 0

    if name not in decided:
        value = value_with({})
        return {name: ChosenNumber(value, f"host code computes it from {behind}")} if 0 < value <= MOST else {}
    wanted = int(numbers[name].value) if name in numbers else 0
    if wanted <= 0 or value_with({}) >= wanted:
        return {}
    for other in (each for each in others if each not in decided and known[each] > 0):
        number = known[other]
        while number <= MOST and value_with({other: number}) < wanted:
            number *= 2
        if number <= MOST:
            return {other: ChosenNumber(number, f"host code computes {name} from {behind}")}
    return {}
