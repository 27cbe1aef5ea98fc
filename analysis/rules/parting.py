"""Where the lanes of a warp part: at a branch, or on the way out of a loop; and which of these are sure to be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact
from analysis.ir.function import SourceBranchKind
from analysis.rules.origin import ends_in_opaque
from analysis.rules.price import split_price
from analysis.rules.rule import Subject
from analysis.verdict.grade import Grade

FEW_WARPS: Final = 0.5
"""One of two warps, or the only one."""


def splits_warps(branch: BranchFact) -> bool:
    """Whether lanes of one warp go different ways, other than at a bounds check: that splits one warp of a row.

    Of a block of one or two warps that is no small part, and of a loop its price says how small it is.
    """
    if branch.level is not Level.VARYING:
        return False
    if branch.grade is Grade.BOUNDARY and branch.splits is not None:
        return branch.kind is SourceBranchKind.LOOP or branch.splits.share >= FEW_WARPS
    return branch.grade in (Grade.STRUCTURED, Grade.DATA_DEPENDENT)


def reports_loop(branch: BranchFact, threshold: float) -> bool:
    """Whether DIV402 says of this loop that its lanes leave apart, whoever asks for it."""
    if branch.kind is not SourceBranchKind.LOOP or branch.trips is not Level.VARYING or branch.rests_on_step:
        return False
    if branch.level is Level.VARYING and not splits_warps(branch):  # then it is silent, whatever its exits do
        return False
    return split_price(branch, threshold) is not None


def culprit_of(branch: BranchFact, branches: Sequence[BranchFact]) -> BranchFact | None:
    """What lets lanes leave the loop apart: its own condition, or a branch in it; None where that is no finding."""
    if branch.kind is not SourceBranchKind.LOOP or branch.trips is not Level.VARYING:
        return None
    if branch.level is Level.VARYING:
        return branch if splits_warps(branch) else None
    return _way_out(branch, branches)


def _way_out(loop: BranchFact, branches: Sequence[BranchFact]) -> BranchFact | None:
    """The first branch in the loop that splits warps and decides whether they leave it."""
    by_keyword = {(branch.keyword.start, branch.keyword.end): branch for branch in branches}
    found = (by_keyword.get((keyword.start, keyword.end)) for keyword in loop.ways_out)
    return next((branch for branch in found if branch is not None and splits_warps(branch)), None)


def sure_loops(subject: Subject) -> Iterator[BranchFact]:
    """Those of which DIV402 speaks whatever callers pass, and with a reason that is understood."""
    function = subject.function
    for branch, agreeing in zip(function.branches, function.branches_if_callers_agree, strict=True):
        price = split_price(branch, subject.share_threshold)
        if price is None or price.is_guess or not reports_loop(branch, subject.share_threshold):
            continue
        if not reports_loop(agreeing, subject.share_threshold):
            continue
        culprit = culprit_of(agreeing, function.branches_if_callers_agree)
        if culprit is not None and _is_understood(subject, culprit):
            yield branch


def sure_branches(subject: Subject) -> Iterator[BranchFact]:
    """The same of DIV401."""
    function = subject.function
    for branch, agreeing in zip(function.branches, function.branches_if_callers_agree, strict=True):
        if branch.kind is SourceBranchKind.LOOP or split_price(branch, subject.share_threshold) is None:
            continue
        if splits_warps(branch) and splits_warps(agreeing) and _is_understood(subject, branch):
            yield branch


def _is_understood(subject: Subject, branch: BranchFact) -> bool:
    return not ends_in_opaque(subject.analysis, subject.analysis.why_branch(subject.function, branch))
