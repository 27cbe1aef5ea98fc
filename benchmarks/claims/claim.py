"""What can be claimed of a kernel, how often it was claimed, and what a run said against it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from analysis.divergence.levels import Level
from analysis.ir.source import Span


class Claim(Enum):
    """Kinds of static claims; one is counted where a run came by, with more than nothing to say."""

    VALUE = "value agrees in its group"
    USE = "value agrees where it is read"
    DECISION = "branch goes one way in its group"
    TRIPS = "loop has one trip count in its group"
    CONVERGENCE = "block is entered by all of its group"
    FORM = "value is its linear form"
    USE_FORM = "linear form holds where it is read"
    RANGE = "value lies in its range"
    USE_RANGE = "value lies in its range where it is read"
    ALIGNMENT = "value is a multiple of its alignment"
    TAG = "register has its tag"
    TOGETHER = "lanes of a warp arrive together"
    BARRIER = "barrier is reached by all or none"
    SPLITS = "no more warps split than were counted"
    SPACE = "access is to its memory space"
    STRIDE = "access has its stride along x"
    PATTERN = "access has its pattern"
    SECTORS = "request touches no more sectors"
    WAYS = "request takes no more passes over the banks"
    REACHED = "exact cost is reached"
    OUTSIDE = "access misses its array"


@final
@dataclass(frozen=True, slots=True)
class Refutation:
    """`subject` names the value, block or access in the printed IR; `seen` is what happened."""

    claim: Claim
    subject: str
    span: Span
    claimed: str
    seen: str
    rests_on_undefined: bool = False
    """What is claimed leaves out values that no thread may rely on, and these are among its operands."""
    rests_on_memory: bool = True
    """Whether a race or a faulty access elsewhere can have to do with it."""
    is_exact: bool = True
    """False for a claim that says itself that it holds only if index arithmetic does not wrap."""


@final
@dataclass(slots=True)
class Findings:
    """Of one kernel under one launch knowledge."""

    checked: Counter[Claim] = field(default_factory=Counter[Claim])
    by_level: Counter[tuple[Claim, Level]] = field(default_factory=Counter[tuple[Claim, Level]])
    """Those of `checked` that are about groups of threads."""
    refutations: list[Refutation] = field(default_factory=list[Refutation])

    def count(self, claim: Claim, level: Level, seen: int = 1) -> None:
        """One more claim about groups of `level`, if a run came by."""
        if seen:
            self.checked[claim] += 1
            self.by_level[claim, level] += 1
