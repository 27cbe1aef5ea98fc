"""What a branch takes together with those that one finding tells with it: rungs of a ladder, uses of a macro."""

from __future__ import annotations

from typing import assert_never

from analysis.facts.model import BranchFact, PartOf
from analysis.ir.function import SourceBranchKind
from analysis.rules.one_change import Alone, Change, MacroUse, Roles, Rung, change_of
from analysis.rules.parting import splits_warps
from analysis.rules.price import part_of_warps, part_text
from analysis.rules.source_text import FunctionText
from analysis.verdict.shares import NOTHING, scaled


def told_together(text: FunctionText, branch: BranchFact) -> str:
    """`all rungs of this ladder take about 12 % of this kernel's issue slots together`; empty for a branch alone."""
    if branch.kind is SourceBranchKind.LOOP or not splits_warps(branch) or branch.cost_part is None:
        return ""
    branches, whole = text.function.branches, branch.cost_part.whole
    change = change_of(text, branch, branches)
    parts = [
        (one.cost_part.share, part_of_warps(one))
        for one in branches
        if one.kind is not SourceBranchKind.LOOP and splits_warps(one) and change_of(text, one, branches) == change
        if one.cost_part is not None and one.cost_part.whole == whole
    ]
    if len(parts) < 2:
        return ""
    share = NOTHING
    for one, warps in parts:
        share = share.plus(scaled(one, *[warps] * 3))
    return f"{_who(change)} take {part_text(PartOf(share, whole, branch.cost_part.is_kernel), text.function)} together"


def _who(change: Change) -> str:
    match change:
        case MacroUse(name):
            return f"all uses of `{name.decode('utf-8', 'replace')}`"
        case Rung():
            return "all rungs of this ladder"
        case Roles():
            return "all branches on this condition and their ladders"
        case Alone():
            return "all that one finding tells"
        case _:
            assert_never(change)
