"""What a branch does to a warp, beside its grade: how many warps split, and what a split costs."""

from __future__ import annotations

from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact
from analysis.features.summary import deciding_level
from analysis.ir.function import SourceBranchKind
from analysis.rules.price import slots
from analysis.rules.wording import counted
from analysis.verdict.grade import Grade


def price_words(branch: BranchFact) -> tuple[str, ...]:
    """`8 of 8 warps split (blocks of 256 threads)`, `a split warp loses about 40 issue slots`; empty: none splits."""
    if deciding_level(branch) is not Level.VARYING:
        return ()
    return tuple(words for words in (_count(branch), _cost(branch), _idle(branch)) if words)


def _count(branch: BranchFact) -> str:
    splits = branch.splits
    if splits is None:
        return ""
    most = "" if splits.exact else "up to "
    verb = "splits" if splits.splitting == 1 else "split"
    return f"{most}{splits.splitting} of {counted(splits.warps, 'warp')} {verb} (blocks of {splits.threads} threads)"


def _cost(branch: BranchFact) -> str:
    if not branch.cost:
        return ""
    how = "in rounds that only some lanes make" if branch.kind is SourceBranchKind.LOOP else "one side after the other"
    return f"a split warp loses about {slots(branch.cost)}, {how}"


def _idle(branch: BranchFact) -> str:
    """Of a bounds check it is no news that most warps do not pay."""
    if branch.grade is Grade.BOUNDARY or branch.idle <= branch.cost:
        return ""
    return f"lanes that take the shorter way wait for about {slots(branch.idle)}"
