"""Is a split worth a report, and what does it cost, in words?"""

from __future__ import annotations

from typing import Final

from analysis.facts.model import BranchFact
from analysis.verdict.grade import Grade

IDLE_FACTOR: Final = 10
"""Lanes that wait need that much more of it than lanes that run one after the other: no rewriting of the branch helps
them, only other work for them or another order of the data, and that pays for long waits alone."""


def is_dear(branch: BranchFact, threshold: int) -> bool:
    """Whether a split warp loses more than `threshold` issue slots, or leaves lanes idle for far longer."""
    return branch.cost > threshold or _is_long_wait(branch, threshold)


def _is_long_wait(branch: BranchFact, threshold: int) -> bool:
    return branch.grade is Grade.DATA_DEPENDENT and branch.idle > IDLE_FACTOR * threshold


def price_text(branch: BranchFact, threshold: int) -> str:
    """`up to 40 issue slots for each split warp`, or what lanes wait."""
    if branch.cost > threshold or not _is_long_wait(branch, threshold):
        return f"up to {slots(branch.cost)} for each split warp"
    return f"in each split warp, lanes on the shorter way are idle for about {slots(branch.idle)}"


def count_text(branch: BranchFact) -> str:
    """` It splits 8 of 8 warps of a 256-thread block.`; empty where they are not counted."""
    splits = branch.splits
    if splits is None:
        return ""
    most = "" if splits.exact else "up to "
    return f" It splits {most}{splits.splitting} of {_warps(splits.warps)} of a {splits.threads}-thread block."


def _warps(number: int) -> str:
    return "1 warp" if number == 1 else f"{number} warps"


def slots(number: int) -> str:
    """Estimates, so no more than two figures."""
    digits = max(0, len(str(number)) - 2)
    rounded = -(-number // 10**digits) * 10**digits
    return f"{rounded:,} issue slot{'' if rounded == 1 else 's'}"
