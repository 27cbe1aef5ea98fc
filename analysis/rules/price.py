"""Is a split worth a report, and which share of its kernel does it take, in words?"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, final

from analysis.facts.model import BranchFact, FunctionFacts, PartOf
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.record import record
from analysis.rules.diagnostic import KernelShare
from analysis.verdict.grade import Grade
from analysis.verdict.rounds_by import APART, RoundsBy
from analysis.verdict.shares import Share

IDLE_FACTOR: Final = 3
"""Lanes that wait need that much more of it than lanes that run one after the other: no rewriting of the branch helps
them, only other work for them or another order of the data."""
LONG_WAIT: Final = 160
"""Issue slots.  Such an order pays for waits that are long each time, not for many short ones."""
ONE_PERCENT: Final = 0.01
WIDE: Final = 4
"""Ends of a range that differ by more say nothing: no figure is told then."""
CLEAR: Final = 2
"""Times the threshold: what is expected to take that much is told, though it may be less."""
CLOSE: Final = 1.5
"""Ends of a range that differ by no more are told as one number: all of it is an estimate."""


@final
@record
class SplitPrice:
    """What makes a split worth a report: arms that run one after the other, or lanes that wait.

    `within`: where data decide how long lanes wait, what the others run meanwhile; of a loop `rounds_by` is what
    decides.  `is_guess`: it may as well be worth nothing, for all that is known.
    """

    part: PartOf
    is_wait: bool
    part_of_warps: float
    within: PartOf | None
    rounds_by: RoundsBy | None
    is_guess: bool

    @property
    def cost(self) -> KernelShare:
        """What findings are sorted by."""
        return KernelShare(self.part.whole, self.part.share.expected * self.part_of_warps)

    def passes(self, threshold: float) -> bool:
        """Whether it is worth a report by itself."""
        return 100 * self.cost.share >= threshold * (IDLE_FACTOR if self.is_wait else 1)


def split_price(branch: BranchFact, threshold: float) -> SplitPrice | None:
    """None where a warp that splits loses less than `threshold` percent of its kernel, and no lanes wait for long."""
    part = branch.cost_part
    if part is not None and 100 * part.share.expected * part_of_warps(branch) >= threshold:
        return _turns(branch, part, threshold)
    part = branch.idle_part
    if part is None or branch.grade is not Grade.DATA_DEPENDENT or branch.idle < LONG_WAIT:
        return None
    if 100 * part.share.expected < IDLE_FACTOR * threshold:
        return None
    within = branch.wait_within
    is_guess = within is not None and is_wide(within.share) and 100 * within.share.low < threshold
    return SplitPrice(part, True, 1.0, within, None, is_guess or _is_doubtful(branch))


def _turns(branch: BranchFact, part: PartOf, threshold: float) -> SplitPrice:
    by = branch.rounds_by
    if by is None:
        price = turns_price(part, threshold)
        may_be_little = branch.hangs_on_data and is_wide(part.share) and 100 * part.share.low < threshold
        is_guess = price.is_guess or _is_doubtful(branch) or may_be_little
        return replace(price, part_of_warps=part_of_warps(branch), is_guess=is_guess)
    return SplitPrice(part, False, 1.0, branch.wait_within, by, by not in APART or branch.rests_on_rows)


def _is_doubtful(branch: BranchFact) -> bool:
    """Whether lanes hardly part there, if at all."""
    return branch.tests_marker or branch.rests_on_rows


def turns_price(part: PartOf, threshold: float) -> SplitPrice:
    """Of arms that run one after the other in all warps."""
    share = part.share
    is_doubtful = 100 * share.low < threshold and 100 * share.expected < CLEAR * threshold
    return SplitPrice(part, False, 1.0, None, None, is_wide(share) and is_doubtful)


def part_of_warps(branch: BranchFact) -> float:
    """Of a branch, which part of the block's warps splits, as far as it is counted; a loop's price has it inside."""
    is_loop = branch.kind is SourceBranchKind.LOOP
    return 1.0 if branch.splits is None or is_loop else branch.splits.share


def price_text(price: SplitPrice, function: FunctionFacts) -> str:
    """`a split takes about 12 % of this kernel's issue slots`, or what lanes wait."""
    if not price.is_wait:
        return f"a split takes {part_text(price.part, function)}"
    if price.within is None or is_wide(price.within.share):
        return "lanes on the shorter way wait for the others, and data decide how many"
    longer = part_text(price.within, function)
    return f"lanes on the shorter way wait for the longer one, which is {longer}; data decide how many wait"


def part_text(part: PartOf, function: FunctionFacts) -> str:
    """`about 12 % of this kernel's issue slots`; the kernel is named where the branch is in what it calls."""
    return f"{range_text(part.share)} of {_whole_text(part, function)}"


def _whole_text(part: PartOf, function: FunctionFacts) -> str:
    if part.is_kernel:
        is_own = function.kind is FunctionKind.KERNEL
        return "this kernel's issue slots" if is_own else f"the issue slots of kernel `{part.whole}`"
    return "this function's issue slots" if part.whole == function.name else f"the issue slots of `{part.whole}`"


def range_text(share: Share) -> str:
    """`about 12 %`, `3 % to 12 %`, `at least 3 %`, `an unknown part`; estimates, so whole percents."""
    low, high = round(100 * share.low), round(100 * share.high)
    if high < 1:
        return "less than 1 %"
    if is_wide(share):
        return f"at least {low} %" if low > 1 else "an unknown part"
    if is_range(share):
        return f"{max(1, low)} % to {high} %"
    return f"about {max(1, round(100 * share.expected))} %"


def is_range(share: Share) -> bool:
    """Whether two ends are told."""
    low, high = max(1, round(100 * share.low)), round(100 * share.high)
    return high > low and not is_wide(share) and share.high > CLOSE * share.low


def is_wide(share: Share) -> bool:
    """Whether the ends are too far apart to say anything."""
    return share.high > WIDE * max(share.low, ONE_PERCENT)


def count_text(branch: BranchFact) -> str:
    """` It splits 8 of 8 warps of a 256-thread block.`; empty where they are not counted."""
    splits = branch.splits
    if splits is None:
        return ""
    most = "" if splits.exact else "up to "
    return f" It splits {most}{splits.splitting} of {_warps(splits.warps)} of a {splits.threads}-thread block."


def _warps(number: int) -> str:
    return "1 warp" if number == 1 else f"{number} warps"
