"""Is a split worth a report, and which share of its kernel does it take, in words?"""

from __future__ import annotations

from typing import Final, final

from analysis.facts.model import BranchFact, FunctionFacts, PartOf
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.record import record
from analysis.rules.diagnostic import KernelShare
from analysis.verdict.grade import Grade
from analysis.verdict.shares import Share

IDLE_FACTOR: Final = 3
"""Lanes that wait need that much more of it than lanes that run one after the other: no rewriting of the branch helps
them, only other work for them or another order of the data."""
LONG_WAIT: Final = 160
"""Issue slots.  Such an order pays for waits that are long each time, not for many short ones."""
CLOSE: Final = 1.5
"""Ends of a range that differ by no more are told as one number: all of it is an estimate."""


@final
@record
class SplitPrice:
    """What makes a split worth a report: arms that run one after the other, or lanes that wait."""

    part: PartOf
    is_wait: bool
    part_of_warps: float

    @property
    def cost(self) -> KernelShare:
        """What findings are sorted by."""
        return KernelShare(self.part.whole, self.part.share.expected * self.part_of_warps)


def split_price(branch: BranchFact, threshold: float) -> SplitPrice | None:
    """None where a warp that splits loses less than `threshold` percent of its kernel, and no lanes wait for long."""
    part = branch.cost_part
    if part is not None and 100 * part.share.expected * part_of_warps(branch) >= threshold:
        return SplitPrice(part, is_wait=False, part_of_warps=part_of_warps(branch))
    part = branch.idle_part
    if part is None or branch.grade is not Grade.DATA_DEPENDENT or branch.idle < LONG_WAIT:
        return None
    if 100 * part.share.expected < IDLE_FACTOR * threshold:
        return None
    return SplitPrice(part, is_wait=True, part_of_warps=1.0)


def part_of_warps(branch: BranchFact) -> float:
    """Of a branch, which part of the block's warps splits, as far as it is counted; a loop's price has it inside."""
    is_loop = branch.kind is SourceBranchKind.LOOP
    return 1.0 if branch.splits is None or is_loop else branch.splits.share


def price_text(price: SplitPrice, function: FunctionFacts) -> str:
    """`a split takes about 12 % of this kernel's issue slots`, or what lanes wait."""
    words = part_text(price.part, function)
    return f"lanes on the shorter way are idle for {words}" if price.is_wait else f"a split takes {words}"


def part_text(part: PartOf, function: FunctionFacts) -> str:
    """`about 12 % of this kernel's issue slots`; the kernel is named where the branch is in what it calls."""
    return f"{range_text(part.share)} of {_whole_text(part, function)}"


def _whole_text(part: PartOf, function: FunctionFacts) -> str:
    if part.is_kernel:
        is_own = function.kind is FunctionKind.KERNEL
        return "this kernel's issue slots" if is_own else f"the issue slots of kernel `{part.whole}`"
    return "this function's issue slots" if part.whole == function.name else f"the issue slots of `{part.whole}`"


def range_text(share: Share) -> str:
    """`about 12 %`, `3 % to 12 %`, `up to 12 %`; estimates, so whole percents."""
    low, high = round(100 * share.low), round(100 * share.high)
    if high < 1:
        return "less than 1 %"
    if share.high <= CLOSE * share.low:
        return f"about {max(1, round(100 * share.expected))} %"
    return f"up to {high} %" if low < 1 else f"{low} % to {high} %"


def count_text(branch: BranchFact) -> str:
    """` It splits 8 of 8 warps of a 256-thread block.`; empty where they are not counted."""
    splits = branch.splits
    if splits is None:
        return ""
    most = "" if splits.exact else "up to "
    return f" It splits {most}{splits.splitting} of {_warps(splits.warps)} of a {splits.threads}-thread block."


def _warps(number: int) -> str:
    return "1 warp" if number == 1 else f"{number} warps"
