"""DIV401: a branch that can split a warp, at a price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, final

from analysis.facts.model import BranchFact, Location
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.rules.assumption_text import assumption_text
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.diagnostic import KernelShare, Related, Severity
from analysis.rules.one_change import Change, MacroUse, change_of, only_leaves
from analysis.rules.one_wait import told_by_branch, told_by_loops
from analysis.rules.origin import cause_text, chain_of, ends_in_opaque, origin_text
from analysis.rules.parting import reports_loop, splits_warps, sure_loops
from analysis.rules.price import SplitPrice, count_text, price_text, split_price
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier
from analysis.verdict.grade import Grade


@final
@record
class DivergentBranch:
    """## What it does

    Reports an `if`, `switch`, `?:`, `&&` or `||` at which the lanes of one warp can go different ways, when what a
    split takes is a share of the kernel that matters: 3 % of its issue slots, or what `shareThreshold` says.

    ## Why is this bad?

    The lanes of a warp share one instruction stream. Where they disagree, the warp executes one side with some lanes
    masked off, then the other side with the rest: the time is the sum, not the maximum. So a split costs what the
    shorter side takes. An `if` without `else` costs nothing in this sense: the lanes that skip it are idle, but no
    other way to write the branch would help them. It is reported only if its condition depends on data and the wait is
    long, each time and as a share of the kernel (three times the threshold), since then another order of the data may
    pay.

    The rungs of an `else if` ladder are one finding, at its first `if`; so are the uses of one macro in a function. An
    `if` that only leaves a loop is told by the loop's own DIV402.

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
    if it depends on that ("3 % to 12 %"). Of a device function that no known kernel calls it is the share of the
    function. A condition that agrees in every warp
    because of what the data hold is still reported. A condition on what is not known (a call that is not understood,
    an argument of an unknown caller unless lanes also part when all threads pass the same) is of tier *assumed* and
    shown only when asked for. Silence a known case with `// NOLINT(simt-divergent-branch)`.
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
        joined: dict[tuple[Change, Tier | None], list[DivergentBranch]] = {}
        for branch, found in cls._each(subject):
            key = change_of(subject.text, branch, branches), found.tier
            joined.setdefault(key, []).append(found)
        for (change, _), (first, *others) in joined.items():
            yield first._with(change, others) if others else first

    @classmethod
    def _each(cls, subject: Subject) -> Iterator[tuple[BranchFact, DivergentBranch]]:
        function, threshold = subject.function, subject.share_threshold
        loops = [branch for branch in function.branches if reports_loop(branch, threshold)]
        sure = [*sure_loops(subject)]
        for branch, if_callers_agree in zip(function.branches, function.branches_if_callers_agree, strict=True):
            if branch.kind is SourceBranchKind.LOOP or not splits_warps(branch):
                continue
            price = split_price(branch, threshold)
            if price is None or only_leaves(subject.text, branch, loops):
                continue
            if not told_by_loops(subject.text, branch, sure, threshold):
                yield branch, cls._of(subject, branch, price, blames_callers=not splits_warps(if_callers_agree))

    def _with(self, change: Change, others: Sequence[DivergentBranch]) -> DivergentBranch:
        words = f"another use of `{change.name.decode()}`" if isinstance(change, MacroUse) else "the same ladder"
        places = tuple(Related(one.site, words) for one in others)
        return replace(self, chain=(*self.chain, *places), cost=max((self, *others), key=_share).cost)

    @classmethod
    def _of(cls, subject: Subject, branch: BranchFact, price: SplitPrice, *, blames_callers: bool) -> DivergentBranch:
        assert branch.grade is not None
        steps = subject.analysis.why_branch(subject.function, branch)
        condition = condition_text(subject.text, branch)
        arms = [loop for loop in subject.function.branches if told_by_branch(loop, [branch], subject.share_threshold)]
        loops = [Related(subject.text.location(loop.keyword), "an arm is nearly all this loop") for loop in arms]
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
            Tier.ASSUMED if blames_callers or ends_in_opaque(subject.analysis, steps) else None,
            price.is_guess,
        )

    def message(self) -> str:
        cause = cause_text(self.condition, self.origin)
        start = f"Lanes of one warp can go different ways at this `{self.keyword}`: {cause}; {self.price}."
        return f"{start}{self.count}{self.assumption}"

    def related(self) -> tuple[Related, ...]:
        return self.chain


def _share(found: DivergentBranch) -> float:
    return found.cost.share
