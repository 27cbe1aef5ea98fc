"""Numbers that hang together with the block and the grid in every launch of host code.

Rules    `k<<<blocks, threads>>>(x, threads, blocks)`: the block and the grid that run decide.
         `k<<<(n + 255) / 256, 256>>>(x, n)`: what was chosen for n is brought between the bounds that the grid says;
         where n is given, it decides the grid.
         `k<<<blocks, 256>>>(x, n * 1024)`: what was chosen for it is brought to a multiple.
         `k<<<(w * h + 255) / 256, 256>>>(x, w, h)`: likewise for the product, of which the second factor gives way.
         Only the first launch that says anything, and only for numbers that were chosen: what is known stays.
Limits   A grid that is given is not the one that host code computes: then nothing but the block counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from analysis.ir.index3 import Index3
from analysis.ir.launch_relation import ArgumentRelation, RelationKind, related_factors, related_number
from analysis.ir.types import IntegerType, Type
from analysis.launches import Launch
from sim.launch.scalars import ChosenNumber

MAX_MULTIPLE: Final = 1 << 12
"""What is larger would be more work than a run is worth."""
_EXTENTS: Final = (RelationKind.IS_BLOCK, RelationKind.IS_GRID)


def extents_related(
    launches: Sequence[Launch],
    parameters: Sequence[str],
    leaves: Mapping[str, Type],
    block: Index3,
    grid: Index3,
    *,
    is_grid_given: bool,
) -> Mapping[str, ChosenNumber]:
    """Parameters that are an extent of the block or the grid in every launch."""
    found: dict[str, ChosenNumber] = {}
    for name, relations in _by_parameter(launches, parameters, leaves, is_grid_given=is_grid_given).items():
        extents = [one for one in relations if one.kind in _EXTENTS]
        if extents:
            what = "its block" if extents[0].kind is RelationKind.IS_BLOCK else "its grid"
            why = f"a launch in the file passes the extent of {what}"
            found[name] = ChosenNumber(related_number(0, extents, block, grid), why)
    return found


def numbers_within(
    launches: Sequence[Launch],
    parameters: Sequence[str],
    leaves: Mapping[str, Type],
    block: Index3,
    grid: Index3,
    numbers: Mapping[str, ChosenNumber],
    *,
    is_grid_given: bool,
) -> Mapping[str, ChosenNumber]:
    """Chosen numbers that no launch would pass with this grid, brought to some that it may."""
    found: dict[str, ChosenNumber] = {}
    related = _by_parameter(launches, parameters, leaves, is_grid_given=is_grid_given)
    multiples = _multiples(launches, parameters, leaves)
    for name in dict.fromkeys((*related, *multiples)):
        chosen = numbers.get(name)
        if chosen is None or not chosen.is_chosen or not isinstance(chosen.value, int):
            continue
        relations, multiple = related.get(name, ()), multiples.get(name, 1)
        number = related_number(chosen.value, relations, block, grid, multiple)
        if number != chosen.value:
            is_multiple = related_number(chosen.value, relations, block, grid) == chosen.value
            why = f"passes a multiple of {multiple}" if is_multiple else "computes the grid from it"
            found[name] = ChosenNumber(number, f"a launch in the file {why}")
    if not is_grid_given:
        found |= _factors_within(launches, parameters, block, grid, {**numbers, **found}, multiples)
    return found


def _factors_within(
    launches: Sequence[Launch],
    parameters: Sequence[str],
    block: Index3,
    grid: Index3,
    numbers: Mapping[str, ChosenNumber],
    multiples: Mapping[str, int],
) -> Mapping[str, ChosenNumber]:
    """Factors of products."""
    launch = next((launch for launch in launches if launch.products), None)
    relations: dict[tuple[str, str], list[ArgumentRelation]] = {}
    for one in () if launch is None else launch.products:
        if max(one.left, one.right) < len(parameters):
            relations.setdefault((parameters[one.left], parameters[one.right]), []).append(one.of_product)
    found: dict[str, ChosenNumber] = {}
    for names, said in relations.items():
        factors = [found.get(name, numbers.get(name)) for name in names]
        left, right = factors
        if left is None or right is None or not isinstance(left.value, int) or not isinstance(right.value, int):
            continue
        fitting = related_factors(
            left.value,
            right.value,
            said,
            block,
            grid,
            keeps_left=not left.is_chosen,
            keeps_right=not right.is_chosen,
            multiples=(multiples.get(names[0], 1), multiples.get(names[1], 1)),
        )
        for name, before, number in zip(names, (left, right), fitting, strict=True):
            if number != before.value:
                found[name] = ChosenNumber(number, "a launch in the file computes the grid from it")
    return found


def _multiples(launches: Sequence[Launch], parameters: Sequence[str], leaves: Mapping[str, Type]) -> Mapping[str, int]:
    first = next((launch for launch in launches if launch.multiples), None)
    pairs = () if first is None else zip(parameters, first.multiples, strict=False)
    fitting = ((name, multiple) for name, multiple in pairs if 1 < multiple <= MAX_MULTIPLE)
    return {name: multiple for name, multiple in fitting if isinstance(leaves.get(name), IntegerType)}


def _by_parameter(
    launches: Sequence[Launch], parameters: Sequence[str], leaves: Mapping[str, Type], *, is_grid_given: bool
) -> Mapping[str, Sequence[ArgumentRelation]]:
    launch = next((launch for launch in launches if launch.relations), None)
    found: dict[str, list[ArgumentRelation]] = {}
    for relation in () if launch is None else launch.relations:
        name = parameters[relation.argument] if relation.argument < len(parameters) else ""
        is_of_block = relation.kind is RelationKind.IS_BLOCK
        if isinstance(leaves.get(name), IntegerType) and (is_of_block or not is_grid_given):
            found.setdefault(name, []).append(relation)
    return found


def extents_computed(
    launches: Sequence[Launch], parameters: Sequence[str], number_of: Callable[[str], int | None]
) -> Mapping[int, tuple[int, str]]:
    """Extents of the grid, by axis, that host code computes from numbers which are given, and the names of these.

    `number_of`: the number that somebody gave for a parameter.
    """
    launch = next((launch for launch in launches if launch.grid_units), None)
    found: dict[int, tuple[int, str]] = {}
    if launch is None:
        return found
    for unit in launch.grid_units:
        name = parameters[unit.argument] if unit.argument < len(parameters) else ""
        number = number_of(name)
        kinds = {one.kind for one in launch.relations if (one.axis, one.argument) == (unit.axis, unit.argument)}
        rest = 0 if kinds & {RelationKind.COVERS} else unit.size - 1
        extent = 0 if number is None else (number - unit.offset + rest) // unit.size
        if extent > 0 and extent > found.get(unit.axis, (0, ""))[0]:
            found[unit.axis] = extent, name
    return found
