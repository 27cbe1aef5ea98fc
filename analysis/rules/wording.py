"""The words for levels, groups and grades: the same in messages, hovers and explanations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.divergence.levels import Level
from analysis.facts.model import BarrierScope
from analysis.verdict.grade import Grade

LEVEL_WORDS: Final[Mapping[Level, str]] = {
    Level.GRID: "uniform in the grid",
    Level.BLOCK: "uniform in the block",
    Level.WARP: "uniform in the warp",
    Level.VARYING: "varying",
}

LEVEL_LABELS: Final[Mapping[Level, str]] = {
    Level.GRID: "uniform",
    Level.BLOCK: "block",
    Level.WARP: "warp",
    Level.VARYING: "varying",
}
"""Where there is room for one word only."""

CONVERGENCE_WORDS: Final[Mapping[Level, str]] = {
    Level.GRID: "all threads of the grid arrive here together",
    Level.BLOCK: "all threads of the block arrive here together, blocks may differ",
    Level.WARP: "all lanes of a warp arrive here together, warps may differ",
    Level.VARYING: "the lanes of a warp may not arrive here together",
}

GRADE_WORDS: Final[Mapping[Grade, str]] = {
    Grade.ALIGNED: "aligned: constant inside each warp",
    Grade.BOUNDARY: "boundary: each bound splits at most one warp per row",
    Grade.STRUCTURED: "structured: decided by thread indices and numbers that all lanes share",
    Grade.DATA_DEPENDENT: "data-dependent: decided by values that the analysis cannot know",
}

LOOP_BOUNDARY: Final = "boundary: lanes leave within one round of each other, apart from few warps per row"


_OF_LAST: Final = "boundary: at most one warp per row splits, in the last block along {} alone, as every launch says"


def grade_words(grade: Grade, *, of_loop: bool, last_along: int | None = None) -> str:
    """What the grade of a branch promises; `last_along`: see `BranchFact`."""
    if grade is Grade.BOUNDARY and last_along is not None:
        return _OF_LAST.format("xyz"[last_along])
    return LOOP_BOUNDARY if of_loop and grade is Grade.BOUNDARY else GRADE_WORDS[grade]


SCOPE_WORDS: Final[Mapping[BarrierScope, str]] = {
    BarrierScope.BLOCK: "block barrier",
    BarrierScope.WARP: "warp barrier",
    BarrierScope.GRID: "grid barrier",
}

GROUP_WORDS: Final[Mapping[BarrierScope, str]] = {
    BarrierScope.BLOCK: "the block",
    BarrierScope.WARP: "the warp",
    BarrierScope.GRID: "the grid",
}


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 barrier`, `2 barriers`, `no barriers`."""
    if count == 1:
        return f"1 {noun}"
    many = noun + "s" if plural is None else plural
    return f"{count} {many}" if count else f"no {many}"


def quantity(number: int, singular: str, plural: str | None = None) -> str:
    """For figures: `0 faults`, `1 fault`, `1,204 steps`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
