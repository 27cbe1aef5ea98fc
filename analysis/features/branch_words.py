"""What a branch does to a warp, beside its grade: how many warps split, and what a split costs."""

from __future__ import annotations

from typing import Final

from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.features.summary import deciding_level
from analysis.ir.function import SourceBranchKind
from analysis.rules.price import part_text
from analysis.rules.wording import counted
from analysis.verdict.grade import Grade

NO_LAUNCH: Final = "no launch of the project reaches this"


def price_words(branch: BranchFact, function: FunctionFacts) -> tuple[str, ...]:
    """`8 of 8 warps split (blocks of 256 threads)`, `a split takes about 12 % of this kernel's issue slots`; empty: no
    warp splits."""
    if deciding_level(branch) is not Level.VARYING:
        return ()
    if branch.is_unreached:
        return (NO_LAUNCH,)
    return tuple(words for words in (_count(branch), _cost(branch, function), _idle(branch, function)) if words)


def _count(branch: BranchFact) -> str:
    splits = branch.splits
    if splits is None:
        return ""
    most = "" if splits.exact else "up to "
    verb = "splits" if splits.splitting == 1 else "split"
    return f"{most}{splits.splitting} of {counted(splits.warps, 'warp')} {verb} (blocks of {splits.threads} threads)"


def _cost(branch: BranchFact, function: FunctionFacts) -> str:
    if branch.cost_part is None:
        return "a split takes nothing more: sides this short are predicated" if branch.cost else ""
    if branch.rounds_by is not None and branch.wait_within is not None:
        return f"the loop takes {part_text(branch.wait_within, function)}, and data decide how much of it lanes wait"
    how = "in rounds that only some lanes make" if branch.kind is SourceBranchKind.LOOP else "one side after the other"
    return f"a split takes {part_text(branch.cost_part, function)}, {how}"


def _idle(branch: BranchFact, function: FunctionFacts) -> str:
    """Of a bounds check it is no news that most warps do not pay."""
    part = branch.idle_part
    if part is None or branch.grade is Grade.BOUNDARY or branch.idle <= branch.cost:
        return ""
    within = branch.wait_within or part
    return f"lanes that take the shorter way wait for the longer one, which is {part_text(within, function)}"
