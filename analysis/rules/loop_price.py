"""What lanes that leave a loop early lose, in words: a figure where it is known, else what decides it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.facts.model import FunctionFacts
from analysis.rules.price import SplitPrice, is_range, is_wide, part_text
from analysis.verdict.rounds_by import RoundsBy
from analysis.verdict.shares import FEW, MANY, Share

WAITS: Final[Mapping[RoundsBy, str]] = {
    RoundsBy.LENGTHS: "each lane loads its own length, and the shorter ones wait for the longest of their warp",
    RoundsBy.WALK: "each lane goes where its data lead, and those that are done wait for the longest way of their warp",
    RoundsBy.SEARCH: "each lane looks for its own end, and those that found it wait for the last of their warp",
    RoundsBy.LOOKUP: (
        "each lane looks entry by entry for the place of its own value, and those that found it wait for the last of "
        "their warp"
    ),
    RoundsBy.RETRY: "lanes that are in each other's way try again, and the others wait",
    RoundsBy.NUMBERS: "each lane's own number decides, and those that are done wait for the last of their warp",
    RoundsBy.INDEX: "lanes that are done wait for the last of their warp",
    RoundsBy.UNKNOWN: "lanes that are done wait for the last of their warp, and nothing here says how long",
    RoundsBy.NEIGHBOURS: "lanes that are done wait for the last of their warp, but neighbours compute nearly the same",
    RoundsBy.MERGED: "each round takes one step through one of two rows, so all lanes make about as many",
    RoundsBy.CLIPPED: "lanes that are done wait for the last of their warp, where bounds are clipped",
    RoundsBy.HALVING: "lanes that are done wait for the last of their warp: a round or two, as each round halves",
}


def loop_price_text(price: SplitPrice, function: FunctionFacts) -> str:
    """`lanes that are done wait for about 12 % of this kernel's issue slots`; what the whole loop takes otherwise."""
    if price.rounds_by is None:
        return f"lanes that are done wait for {part_text(price.part, function)}"
    waits = WAITS[price.rounds_by]
    if price.within is None or is_wide(price.within.share):
        return waits
    return f"{waits}; the loop takes {part_text(price.within, function)}{_assumed_rounds(price.within.share)}"


def _assumed_rounds(share: Share) -> str:
    """The ends of a range are those of rounds that nothing in the text says."""
    return f" ({FEW} to {MANY} rounds assumed)" if is_range(share) else ""
