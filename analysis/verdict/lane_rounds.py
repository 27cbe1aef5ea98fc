"""How many rounds of a loop does each thread of a known block take, and how much of that do lanes wait?

Question  A loop whose lanes leave within one round of each other is cheap because it has many rounds and a block has
          many warps.  Where it has one round, or the block one warp, that is not so: `while (t < 100)` in a block of
          128 threads keeps the fourth warp for four of its lanes.
Rules     Every exit that lanes may take apart compares linear forms with known numbers alone (`Rounds.schedules`): the
          first round in which a thread passes the bound follows from its index.  Exits on which the warp agrees may end
          the loop earlier for all.
Waited    of each warp the rounds of its last lane less those of its average lane, summed over the warps of the block;
          as a part of what all warps would take with the most rounds.
Cost      one pass over the threads of each known shape, kept across functions and edits.
Gives up  at unknown shapes, at more than 4 of them, at bounds, starts and steps that are no known numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.thread_index import MAX_SHAPES
from analysis.ir.record import record
from analysis.verdict.split_count import SplitCount


@final
@record
class Schedule:
    """A thread goes on while `base + step * round + factors * index` is below 0, asked before or after each round.

    `factors` are those of `threadIdx.x`, `.y`, `.z` and the lane; `step` is positive.
    """

    base: int
    step: int
    factors: tuple[int, int, int, int]
    is_asked_first: bool


@final
@record
class LaneRounds:
    """Of one loop and one block: the rounds of its last thread, and what part of the warps' time lanes wait."""

    most: int
    waited: float
    splits: SplitCount


def count_lane_rounds(schedules: Sequence[Schedule], launch: LaunchKnowledge) -> LaneRounds | None:
    """The shape in which lanes wait the most; None where no number of rounds follows from the index alone."""
    if not schedules or not launch.shapes or len(launch.shapes) > MAX_SHAPES:
        return None
    found = [_count(tuple(schedules), shape, launch.warp_size) for shape in launch.shapes]
    return max(found, key=lambda one: one.waited)


@lru_cache(maxsize=1024)
def _count(schedules: tuple[Schedule, ...], shape: BlockShape, warp_size: int) -> LaneRounds:
    rounds = [min(_rounds(one, shape, warp_size, thread) for one in schedules) for thread in range(shape.threads)]
    warps = [rounds[start : start + warp_size] for start in range(0, len(rounds), warp_size)]
    most = max(1, *rounds)
    waited = sum(max(warp) - sum(warp) / len(warp) for warp in warps) / (most * len(warps))
    splitting = sum(max(warp) != min(warp) for warp in warps)
    return LaneRounds(most, waited, SplitCount(splitting, len(warps), shape.threads, exact=False))


def _rounds(schedule: Schedule, shape: BlockShape, warp_size: int, thread: int) -> int:
    x, y, z, lane = schedule.factors
    first = (
        schedule.base
        + x * (thread % shape.x)
        + y * (thread // shape.x % shape.y)
        + z * (thread // (shape.x * shape.y))
        + lane * (thread % warp_size)
    )
    passed = max(0, -(first // schedule.step))  # the first round in which the difference is not below 0
    return passed if schedule.is_asked_first else passed + 1
