"""DIV401: a branch that can split a warp, at a price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final, TypeAlias, final

from analysis.facts.model import BranchFact, Location, PartOf
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.rules.assumption_text import assumption_text
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.diagnostic import KernelShare, Related, Severity
from analysis.rules.one_change import Change, MacroUse, Roles, change_of, only_leaves
from analysis.rules.one_wait import told_by_branch, told_by_loops
from analysis.rules.origin import cause_text, chain_of, ends_in_opaque, origin_text
from analysis.rules.parting import reports_loop, splits_warps, sure_loops
from analysis.rules.price import SplitPrice, count_text, price_text, split_price, turns_price
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier
from analysis.verdict.grade import Grade
from analysis.verdict.shares import NOTHING, scaled

MOST_JOINED: Final = 8
"""Branches that are cheap alone: so many rungs of a ladder may add up to what is told."""


@final
@record
class DivergentBranch:
    """## What it does

    Reports an `if`, `switch`, `?:`, `&&` or `||` at which the lanes of one warp can go different ways, when what a
    split takes is a share of the kernel that matters: 5 % of its issue slots, or what `shareThreshold` says.

    ## Why is this bad?

    The lanes of a warp share one instruction stream. Where they disagree, the warp executes one side with some lanes
    masked off, then the other side with the rest: the time is the sum, not the maximum. So a split costs what the
    shorter side takes. An `if` without `else` costs nothing in this sense: the lanes that skip it are idle, but no
    other way to write the branch would help them. It is reported only if its condition depends on data and the wait is
    long, each time and as a share of the kernel (three times the threshold), since then another order of the data may
    pay.

    The rungs of an `else if` ladder are one finding, at its first `if`, with what they take together; so are the uses
    of one macro in a function, and branches on one condition of the thread's index. An `if` that only leaves a loop is
    told by the loop's own DIV402.

    ## Example

    ```cuda
    __global__ void scale(const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (x[i] > 0.0f) {  //~ divergent-branch, meldable-branch
        y[i] = x[i] * 2.0f + 1.0f;
      } else {
        y[i] = x[i] * 3.0f - 1.0f;
      }
    }
    ```

    ## Use instead

    Select operands instead of paths, or sort the work so that neighbouring threads agree.

    ```cuda
    __global__ void scale(const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      bool positive = x[i] > 0.0f;
      y[i] = x[i] * (positive ? 2.0f : 3.0f) + (positive ? 1.0f : -1.0f);
    }
    ```

    A bounds check is not reported: at most one warp of a row splits there. It is where the shape of the block is known
    and that warp is one of two or the only one: what a split takes is weighed by the part of the warps that split.

    ```cuda
    __global__ void scale(const float *x, float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) {
        y[i] = x[i] * 2.0f + x[i] * x[i] - 1.0f;
      }
    }
    ```

    ## Known noise

    The price is an estimate: issue slots from a table of instructions, as a share of those of the whole kernel, in a
    warp that splits each time. Where a loop has no bound that is known its trip count stays open: the share is a range
    if it depends on that ("3 % to 12 %"), and no figure is told where its ends lie too far apart; if it may be too
    small to matter, the finding is a hint, and also if the shorter side is a loop that lanes leave as data decide. So
    is a test for markers in a list of indices (`if (neighbour >= 0)`): there are few of them as a rule. Of a device
    function that no known kernel calls it is the share of the function. A condition that agrees in every warp because
    of what the data hold is still reported. A condition on what is not known (a call that is not understood, an
    argument of an unknown caller unless lanes also part when all threads pass the same) is of tier *assumed* and shown
    only when asked for. Silence a known case with `// NOLINT(simt-divergent-branch)`.
    """

    code: ClassVar[str] = "DIV401"
    slug: ClassVar[str] = "divergent-branch"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    keyword: str
    condition: str | None
    grade: Grade
    origin: str | None
    price: str
    """In words: "a split takes about 12 % of this kernel's issue slots"."""
    cost: KernelShare
    count: str
    assumption: str
    """What decides it and is not known, as a sentence with a blank in front; or empty."""
    chain: tuple[Related, ...]
    tier: Tier | None
    """ASSUMED where it is not known whether the condition varies, else None."""
    is_hint: bool
    """Whether how often loops run decides if it is worth anything, and that is not known."""

    @classmethod
    def find(cls, subject: Subject) -> Iterator[DivergentBranch]:
        """One for each change that a person would make (`one_change.py`), at its first place."""
        branches = subject.function.branches
        joined: dict[tuple[Change, Tier | None], list[_Priced]] = {}
        for branch, price, found in cls._each(subject):
            key = change_of(subject.text, branch, branches), found.tier
            joined.setdefault(key, []).append((price, found))
        for (change, _), members in joined.items():
            total = _total(change, [price for price, _ in members], subject.share_threshold)
            if total is not None:
                yield cls._of_change(subject, change, total, [found for _, found in members])

    @classmethod
    def _each(cls, subject: Subject) -> Iterator[tuple[BranchFact, SplitPrice, DivergentBranch]]:
        """Also those that are cheap alone: several may be mended by one change."""
        function, threshold = subject.function, subject.share_threshold
        loops = [branch for branch in function.branches if reports_loop(branch, threshold)]
        sure = [*sure_loops(subject)]
        for branch, if_callers_agree in zip(function.branches, function.branches_if_callers_agree, strict=True):
            if branch.kind is SourceBranchKind.LOOP or not splits_warps(branch):
                continue
            price = split_price(branch, threshold) or split_price(branch, threshold / MOST_JOINED)
            if price is None or only_leaves(subject.text, branch, loops):
                continue
            if not told_by_loops(subject.text, branch, sure, threshold):
                blames_callers = not splits_warps(if_callers_agree)
                yield branch, price, cls._of(subject, branch, price, blames_callers=blames_callers)

    @classmethod
    def _of_change(
        cls, subject: Subject, change: Change, total: SplitPrice, members: Sequence[DivergentBranch]
    ) -> DivergentBranch:
        """At the first of a ladder or of the uses of a macro; of several ladders, at the one that costs most."""
        first, *others = members
        if not others:
            return first
        if isinstance(change, Roles):
            first = max((one for one in members if one.condition == first.condition), key=_share)
            others = [one for one in members if one is not first]
        places = tuple(Related(one.site, _words(change, first, one)) for one in others)
        price = price_text(total, subject.function)
        return replace(first, chain=(*first.chain, *places), cost=total.cost, price=price, is_hint=total.is_guess)

    @classmethod
    def _of(cls, subject: Subject, branch: BranchFact, price: SplitPrice, *, blames_callers: bool) -> DivergentBranch:
        assert branch.grade is not None
        steps = subject.analysis.why_branch(subject.function, branch)
        condition = condition_text(subject.text, branch)
        inside = [one for one in subject.function.branches if one.kind is SourceBranchKind.LOOP]
        arms = [loop for loop in inside if told_by_branch(loop, [branch], subject.share_threshold)]
        loops = [Related(subject.text.location(loop.keyword), "an arm is nearly all this loop") for loop in arms]
        is_unread = ends_in_opaque(subject.analysis, steps)
        return cls(
            subject.text.location(branch.keyword),
            keyword_text(subject.text, branch),
            condition,
            branch.grade,
            origin_text(subject.analysis, steps, condition, subject.text.line(branch.keyword)),
            price_text(price, subject.function),
            price.cost,
            count_text(branch),
            assumption_text(subject, branch, price, blames_callers=blames_callers),
            (*chain_of(steps), *loops),
            Tier.ASSUMED if blames_callers or is_unread else None,
            price.is_guess or is_unread,
        )

    def message(self) -> str:
        cause = cause_text(self.condition, self.origin)
        start = f"Lanes of one warp can go different ways at this `{self.keyword}`: {cause}; {self.price}."
        return f"{start}{self.count}{self.assumption}"

    def related(self) -> tuple[Related, ...]:
        return self.chain


_Priced: TypeAlias = tuple[SplitPrice, DivergentBranch]


def _total(change: Change, prices: Sequence[SplitPrice], threshold: float) -> SplitPrice | None:
    """What all of them take that run in turns; the longest wait where none does; None where that is too little."""
    dearest = max(prices, key=lambda price: (not price.is_wait, price.cost.share))
    alike = [price for price in prices if price.part.whole == dearest.part.whole and not price.is_wait]
    if dearest.is_wait or len(alike) < 2:
        return dearest if any(price.passes(threshold) for price in prices) else None
    share = NOTHING
    for price in alike:
        share = share.plus(scaled(price.part.share, *[price.part_of_warps] * 3))
    part = PartOf(share, dearest.part.whole, dearest.part.is_kernel)
    total = turns_price(part, threshold)
    total = replace(total, is_guess=total.is_guess or all(price.is_guess for price in alike))
    return total if total.passes(threshold) else None


def _words(change: Change, first: DivergentBranch, other: DivergentBranch) -> str:
    if isinstance(change, MacroUse):
        return f"another use of `{change.name.decode()}`"
    return (
        "the same condition" if isinstance(change, Roles) and other.condition == first.condition else "the same ladder"
    )


def _share(found: DivergentBranch) -> float:
    return found.cost.share
