"""Which warps of a block does a condition split?  Counted exactly, where it is a function of the thread index alone.

Method    The condition is evaluated for every thread of each known block shape (`analysis.divergence.thread_index`); of
          a `switch` its targets count, not its values.
Boundary  At most one warp per row splits, at most half of the warps (or one) in all, and no row changes more than
          twice: `threadIdx.x == 0` in a block of 256 x 1, not `threadIdx.x % 2` in 32 x 8, where each row is a warp.
Cost      kept per expression and shape, across functions and edits.
Gives up  at more than 4 shapes, at no known shape, at what is not small and not defined for every thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias, final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.thread_index import MAX_SHAPES, Expression, thread_values
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Switch
from analysis.ir.record import record

Targets: TypeAlias = tuple[tuple[int, BasicBlockId], ...] | None
"""Where the values of a `switch` lead; None for a condition."""


@final
@record
class SplitCount:
    """Of the `warps` in a block of `threads` threads, `splitting` have lanes that disagree.

    `exact`: every time the branch is reached; else at most so many, since some threads may not come.
    """

    splitting: int
    warps: int
    threads: int
    exact: bool

    @property
    def share(self) -> float:
        return self.splitting / self.warps


@final
@record
class ShapeSplit:
    """The answer for one block shape."""

    splitting: int
    warps: int
    threads: int
    is_boundary: bool


def count_splits(expression: Expression, targets: Targets, launch: LaunchKnowledge) -> tuple[ShapeSplit, ...] | None:
    """One answer per known shape; None where one of them is not known."""
    if not launch.shapes or len(launch.shapes) > MAX_SHAPES:
        return None
    found: list[ShapeSplit] = []
    for shape in launch.shapes:
        split = _count(expression, targets, shape, launch.warp_size)
        if split is None:
            return None
        found.append(split)
    return tuple(found)


def targets_of(switch: Switch) -> Targets:
    """None as well where a label is not known; then every value counts as a way of its own."""
    known = [(case.value, case.target) for case in switch.cases if case.value is not None]
    return (*known, (_DEFAULT, switch.default)) if len(known) == len(switch.cases) else None


_DEFAULT = -(1 << 70)


@lru_cache(maxsize=2048)
def _count(expression: Expression, targets: Targets, shape: BlockShape, warp_size: int) -> ShapeSplit | None:
    values = thread_values(expression, (shape.x, shape.y, shape.z), warp_size)
    if values is None:
        return None
    threads = shape.threads
    warps = -(-threads // warp_size)
    ways: Sequence[int] = (values,) * threads if isinstance(values, int) else values
    if targets is not None:
        table = dict(targets)
        ways = [table.get(value, table[_DEFAULT]) for value in ways]
    splitting = sum(len(set(ways[start : start + warp_size])) > 1 for start in range(0, threads, warp_size))
    rows = shape.y * shape.z
    is_boundary = (
        splitting <= rows
        and (splitting <= 1 or 2 * splitting <= warps)
        and all(_changes(ways[start : start + shape.x]) <= 2 for start in range(0, threads, shape.x))
    )
    return ShapeSplit(splitting, warps, threads, is_boundary)


def _changes(row: Sequence[int]) -> int:
    return sum(before != after for before, after in pairwise(row))
