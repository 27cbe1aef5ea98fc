"""What melding the arms of a branch would save, in words: for findings, hovers and explanations."""

from __future__ import annotations

from analysis.facts.model import FunctionFacts
from analysis.ir.function import FunctionKind
from analysis.refactor.meld.model import Opportunity
from analysis.verdict.grade import Grade


def share_text(share: float, qualifier: str = "about") -> str:
    """`about 12 %`: an estimate, so no more than whole percents."""
    percents = round(100 * share)
    return f"{qualifier} {percents} %" if percents >= 1 else "less than 1 %"


def whole_text(function: FunctionFacts) -> str:
    """What a predicted saving is a share of: the kernel, or a device function that no known kernel calls."""
    if function.kind is FunctionKind.KERNEL:
        return "this kernel's"
    is_of_kernel = function.callers_known and not function.rests_on_callers  # calls elsewhere are no part of its root
    return "its kernel's" if is_of_kernel else "this function's"


def saving_text(found: Opportunity, function: FunctionFacts) -> str:
    """`about 12 % of this kernel's issue slots`.

    A bounds check splits one warp of a row at most: where it is not known how many there are, the saving is that of a
    block which has no other.
    """
    is_most = found.branch.grade is Grade.BOUNDARY and found.branch.splits is None
    share = share_text(found.predicted_saving, "up to" if is_most else "about")
    return f"{share} of {whole_text(function)} issue slots"
