"""What melding the arms of a branch would save, in words: for findings, hovers and explanations."""

from __future__ import annotations

from analysis.facts.model import FunctionFacts
from analysis.ir.function import FunctionKind


def share_text(share: float) -> str:
    """`about 12 %`: an estimate, so no more than whole percents."""
    percents = round(100 * share)
    return f"about {percents} %" if percents >= 1 else "less than 1 %"


def whole_text(function: FunctionFacts) -> str:
    """What a predicted saving is a share of: the kernel, or a device function that no known kernel calls."""
    if function.kind is FunctionKind.KERNEL:
        return "this kernel's"
    return "its kernel's" if function.callers_known else "this function's"


def saving_text(share: float, function: FunctionFacts) -> str:
    """`about 12 % of this kernel's issue slots`."""
    return f"{share_text(share)} of {whole_text(function)} issue slots"
