"""How the parameters of a kernel hang together with the registers of its launch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple, assert_never


class RelationKind(Enum):
    """What an argument of a launch is along an axis: the extent of the block, that of the grid, a number that is no
    less than their product, one that is no more than it, or one that leaves no block without work: it is more than the
    threads of all blocks but one.  The last two hold together where the grid is the number divided and rounded up."""

    IS_BLOCK = "blockDim"
    IS_GRID = "gridDim"
    COVERS = "gridDim * blockDim <= n"
    WITHIN = "n <= gridDim * blockDim"
    EXCEEDS = "(gridDim - 1) * blockDim < n"


class ArgumentRelation(NamedTuple):
    """What the argument at a position is along an axis (0, 1, 2), whatever the numbers are."""

    kind: RelationKind
    axis: int
    argument: int


class ProductRelation(NamedTuple):
    """The same of the product of two arguments, signed integers of 32 bits whose product is one as well; never that it
    is an extent."""

    kind: RelationKind
    axis: int
    left: int
    right: int

    @property
    def of_product(self) -> ArgumentRelation:
        """What is said of the product."""
        return ArgumentRelation(self.kind, self.axis, self.left)


def is_related(number: int, relation: ArgumentRelation, block: Sequence[int], grid: Sequence[int]) -> bool:
    """Whether a number fits what a relation says of it in such a launch."""
    return related_number(number, (relation,), block, grid) == number


def related_number(
    number: int,
    relations: Iterable[ArgumentRelation],
    block: Sequence[int],
    grid: Sequence[int],
    multiple: int = 1,
) -> int:
    """A number that fits what relations say of one argument in such a launch, and is a multiple: that one, where it
    does, and else the next one, if there is any."""
    least: int | None = None
    most: int | None = None
    for kind, axis, _ in relations:
        threads, blocks = block[axis], grid[axis]
        match kind:
            case RelationKind.IS_BLOCK:
                return threads
            case RelationKind.IS_GRID:
                return blocks
            case RelationKind.COVERS:
                least = max(blocks * threads, least or 0)
            case RelationKind.EXCEEDS:
                least = max((blocks - 1) * threads + 1, least or 0)
            case RelationKind.WITHIN:
                most = blocks * threads if most is None else min(most, blocks * threads)
            case _:
                assert_never(kind)
    return _multiple_between(_between(number, least, most), multiple, least, most)


def _between(number: int, least: int | None, most: int | None) -> int:
    if least is not None and most is not None and least <= most:
        return number if least <= number <= most else least + (number - 1) % (most - least + 1)
    if least is not None and number < least:
        return least + max(number - 1, 0)
    return number if most is None else min(number, most)


def _multiple_between(number: int, multiple: int, least: int | None, most: int | None) -> int:
    """The number itself where no multiple lies between the bounds."""
    above = -(-number // multiple) * multiple
    below = above - multiple
    if most is None or above <= most:
        return above
    return below if least is None or below >= least else number


def related_factors(
    left: int,
    right: int,
    relations: Iterable[ArgumentRelation],
    block: Sequence[int],
    grid: Sequence[int],
    *,
    keeps_left: bool = False,
    keeps_right: bool = False,
    multiples: tuple[int, int] = (1, 1),
) -> tuple[int, int]:
    """Two positive numbers whose product fits what relations say of it: those, where it does or nothing near does.

    `multiples`: what the numbers have to be multiples of.
    """
    said = tuple(relations)
    product = left * right
    wanted = related_number(product, said, block, grid)
    if wanted == product or left < 1 or right < 1 or wanted < 1:
        return left, right
    tries = [
        *([(left, one) for one in (-(-wanted // left), wanted // left)] if not keeps_right else ()),
        *([(one, right) for one in (-(-wanted // right), wanted // right)] if not keeps_left else ()),
        *([(wanted, 1)] if not (keeps_left or keeps_right) else ()),
    ]
    for one, other in tries:
        is_possible = one > 0 and other > 0 and one % multiples[0] == other % multiples[1] == 0
        if is_possible and related_number(one * other, said, block, grid) == one * other:
            return one, other
    return left, right


def related_extent(extent: int, number: int, relations: Iterable[ArgumentRelation], axis: int, threads: int) -> int:
    """The extent of a grid along an axis that fits an argument with that number, in blocks of so many threads along it:
    that one, where it does."""
    least, most = 1, extent
    for kind, along, _ in relations:
        if along != axis or kind is RelationKind.IS_BLOCK or number < 1:
            continue
        whole, up = number // threads, -(-number // threads)
        match kind:
            case RelationKind.IS_GRID:
                return number
            case RelationKind.COVERS:
                most = min(most, whole)
            case RelationKind.EXCEEDS:
                most = min(most, up)
            case RelationKind.WITHIN:
                least = max(least, up)
            case _:
                assert_never(kind)
    return max(least, most)
