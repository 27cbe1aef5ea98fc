"""A branch and the loop that its arm consists of say the same: which of the two is the finding?

Around   An `if` whose arm is nearly all one loop, or that leaves a function whose rest is loops: lanes that skip it are
         lanes that make no round.  The loop tells it, and names the `if`.
Inside   A loop that is nearly all of what an arm runs in turns with the other one: whoever brings lanes together at the
         branch has gained most, so the branch tells it, and names the loop.
Contract Only findings that are certain to be made are told by; each is told by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from analysis.facts.model import BranchFact, PartOf
from analysis.ir.function import SourceBranchKind
from analysis.rules.price import split_price
from analysis.rules.source_text import FunctionText
from analysis.syntax.lexing import HIDDEN

NEARLY_ALL: Final = 0.8


def told_by_loops(
    text: FunctionText, branch: BranchFact, loops: Sequence[BranchFact], threshold: float
) -> tuple[BranchFact, ...]:
    """The loops that say what an `if` has to say, where all of that is waiting; empty if they do not."""
    price = split_price(branch, threshold)
    if price is None or not price.is_wait:
        return ()
    inside = [*_outermost(loop for loop in loops if _is_in_arm(text, branch, loop))]
    waited = sum(_expected(loop.cost_part, price.part.whole) for loop in inside)
    return tuple(inside) if waited >= NEARLY_ALL * price.part.share.expected else ()


def told_by_branch(loop: BranchFact, branches: Sequence[BranchFact], threshold: float) -> BranchFact | None:
    """The branch whose shorter arm is this loop, if what runs in turns is more than what lanes wait in the loop."""
    for branch in branches:
        price = split_price(branch, threshold)
        if price is None or price.is_wait or not _contains(branch, loop):
            continue
        waited, in_turns = _expected(loop.cost_part, price.part.whole), price.cost.share
        whole = _expected(loop.wait_within, price.part.whole) or waited
        if NEARLY_ALL * in_turns <= whole and waited <= in_turns:
            return branch
    return None


def _expected(part: PartOf | None, whole: str) -> float:
    return 0.0 if part is None or part.whole != whole else part.share.expected


def _contains(branch: BranchFact, loop: BranchFact) -> bool:
    return branch.extent.start < loop.extent.start and loop.extent.end <= branch.extent.end


def _is_in_arm(text: FunctionText, branch: BranchFact, loop: BranchFact) -> bool:
    if branch.kind is not SourceBranchKind.IF:
        return False
    if _contains(branch, loop):
        return True
    behind = loop.extent.start >= branch.extent.end
    return behind and _RETURNS.search(HIDDEN.sub(_blanks, text.bytes(branch.extent))) is not None


def _outermost(loops: Iterator[BranchFact]) -> Iterator[BranchFact]:
    end = -1
    for loop in loops:  # in the order of the text
        if loop.extent.start >= end:
            yield loop
            end = loop.extent.end


def _blanks(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


_RETURNS: Final = re.compile(rb"\)\s*\{?\s*return\b[^;{}]*;\s*\}?\s*\Z")
