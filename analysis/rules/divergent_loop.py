"""DIV402: a loop whose lanes leave at different times, at a price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final, final

from analysis.facts.model import BranchFact, Location
from analysis.ir.record import record
from analysis.rules.assumption_text import assumption_text
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.diagnostic import KernelShare, Related, Severity
from analysis.rules.loop_price import loop_price_text
from analysis.rules.one_wait import told_by_branch, told_by_loops
from analysis.rules.origin import cause_text, chain_of, ends_in_opaque, origin_text
from analysis.rules.parting import culprit_of, sure_branches, sure_loops
from analysis.rules.price import SplitPrice, split_price
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier

NEARLY_ALL: Final = 0.9


@final
@record
class DivergentLoop:
    """## What it does

    Reports a loop that the lanes of one warp leave after different numbers of rounds.

    ## Why is this bad?

    A warp stays in the loop until its last lane is done; the lanes that left early wait, masked off. One long trip in
    a warp costs as much as thirty-two of them.

    ## Example

    ```cuda
    __global__ void collatz(const unsigned *start, int *steps) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      unsigned x = start[i];
      int count = 0;
      while (x != 1) {  //~ divergent-loop
        x = x % 2 ? 3 * x + 1 : x / 2;
        count++;
      }
      steps[i] = count;
    }
    ```

    ## Use instead

    Give all lanes of a warp the same number of rounds: split long work over the lanes, or sort the work by length.

    ```cuda
    __global__ void sums(const float *rows, float *out, int width) {
      int row = blockIdx.x * blockDim.x + threadIdx.x;
      float sum = 0.0f;
      for (int k = 0; k < width; k++) sum += rows[k * gridDim.x * blockDim.x + row];
      out[row] = sum;
    }
    ```

    A grid-stride loop is not reported: only its last round is incomplete.

    ```cuda
    __global__ void scale(float *x, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        x[i] = x[i] * 2.0f;
      }
    }
    ```

    ## Known noise

    How different the trip counts are is known only where they follow from the thread index. Elsewhere the message says
    what decides them, and which share of the kernel's issue slots the whole loop takes, as far as that is known. Rows
    of different length, lists, searches and retries are reported. The finding is a hint where neighbouring lanes seldom
    leave far apart (an escape loop over pixels, a merge of rows of one length, bounds that are clipped where the data
    end, halving), and where nothing says that they do. Of searches, one for the place of a number that follows from the
    thread's index is a hint if all lanes read the same table from the same place on (`while (first[j] <= i) j++`):
    neighbours look for numbers nearby. All others stay findings: for the place of a loaded value, since nothing says
    that the lanes' values are sorted; for an equal entry, which may stand anywhere; probes of a hash table, walks
    along pointers, and in a row of the lane's own. A loop is reported from 5 % of the kernel on, or from what
    `shareThreshold` says, taking lanes to wait for what is usual for such loops. Silence a known case with
    `// NOLINT(simt-divergent-loop)`.
    """

    code: ClassVar[str] = "DIV402"
    slug: ClassVar[str] = "divergent-loop"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    keyword: str
    culprit: str | None
    """The `if` that some lanes leave through, where it is not the loop's own condition: "the `if` at line 7"."""
    cause: str
    price: str
    """In words: "lanes that are done wait for about 12 % of this kernel's issue slots"."""
    cost: KernelShare
    chain: tuple[Related, ...]
    assumption: str
    """What decides it and is not known, as a sentence with a blank in front; or empty."""
    rests_on_step: bool
    """Whether lanes would leave within one round if a step that is not known covered the threads of a warp."""
    tier: Tier | None
    """ASSUMED where it is not known whether the condition varies, or how long a step is; else None."""
    is_hint: bool
    """Whether lanes seldom lie far apart in such a loop, or nothing says that they do."""

    @classmethod
    def find(cls, subject: Subject) -> Iterator[DivergentLoop]:
        branches, if_callers_agree = subject.function.branches, subject.function.branches_if_callers_agree
        found: list[tuple[BranchFact, DivergentLoop]] = []
        around = _branches_around(subject)
        sure = [*sure_branches(subject)]
        for branch, agreeing in zip(branches, if_callers_agree, strict=True):
            culprit = culprit_of(branch, branches)
            price = split_price(branch, subject.share_threshold)
            if culprit is None or price is None or told_by_branch(branch, sure, subject.share_threshold) is not None:
                continue
            surest = culprit_of(agreeing, if_callers_agree)
            rests_on_step = branch.rests_on_step or agreeing.rests_on_step
            one = cls._of(
                subject, branch, price, surest or culprit, blames_callers=surest is None, rests_on_step=rests_on_step
            )
            named = around.get(branch.keyword.start, ())
            found.append((branch, replace(one, chain=(*one.chain, *named)) if named else one))
        yield from _without_nested(found)

    @classmethod
    def _of(
        cls,
        subject: Subject,
        branch: BranchFact,
        price: SplitPrice,
        culprit: BranchFact,
        *,
        blames_callers: bool,
        rests_on_step: bool,
    ) -> DivergentLoop:
        steps = subject.analysis.why_branch(subject.function, culprit)
        condition = condition_text(subject.text, culprit)
        line = subject.text.line(culprit.keyword)
        is_unread = ends_in_opaque(subject.analysis, steps)
        is_own, is_assumed = culprit.keyword == branch.keyword, blames_callers or culprit.rests_on_rows
        way_out = None if is_own else f"the `{keyword_text(subject.text, culprit)}` at line {line}"
        return cls(
            subject.text.location(branch.keyword),
            keyword_text(subject.text, branch),
            way_out,
            cause_text(condition, origin_text(subject.analysis, steps, condition, line)),
            loop_price_text(price, subject.function),
            price.cost,
            chain_of(steps),
            assumption_text(subject, culprit, price, blames_callers=blames_callers) if is_assumed else "",
            rests_on_step,
            Tier.ASSUMED if blames_callers or rests_on_step or is_unread else None,
            price.is_guess or is_unread,
        )

    @property
    def way_out(self) -> str:
        """`through the `if` at line 7, …` or why its own condition varies."""
        return self.cause if self.culprit is None else f"through {self.culprit}, {self.cause}"

    def message(self) -> str:
        step = " It is assumed that a step of the loop is shorter than the warp." if self.rests_on_step else ""
        return (
            f"Lanes of one warp leave this `{self.keyword}` loop after different numbers of rounds: "
            f"{self.way_out}; {self.price}.{step}{self.assumption}"
        )

    def related(self) -> tuple[Related, ...]:
        return self.chain


def _branches_around(subject: Subject) -> Mapping[int, Sequence[Related]]:
    """By the keyword of a loop, the branches that say nothing else: DIV401 is silent there."""
    threshold, loops = subject.share_threshold, [*sure_loops(subject)]
    branches = [*sure_branches(subject)] if loops else []
    found: dict[int, list[Related]] = {}
    for branch in branches:
        telling = told_by_loops(subject.text, branch, loops, threshold)
        for loop in [loop for loop in telling if told_by_branch(loop, branches, threshold) is None][:1]:
            condition = condition_text(subject.text, branch)
            words = f"and lanes that skip it{'' if condition is None else f': `{condition}`'}"
            found.setdefault(loop.keyword.start, []).append(Related(subject.text.location(branch.keyword), words))
    return found


def _without_nested(found: Sequence[tuple[BranchFact, DivergentLoop]]) -> Iterator[DivergentLoop]:
    """A nest whose inner loop is nearly all of the outer one is one finding.

    It stands at the inner loop: there lanes wait in each round of the outer one, and only once for the outer one.
    """
    nests: list[list[tuple[BranchFact, DivergentLoop]]] = []
    for branch, one in found:  # loops come before those inside of them
        nest = next((nest for nest in nests if _is_nest(*nest[0], branch, one)), None)
        if nest is None:
            nests.append([(branch, one)])
        else:
            nest.insert(0, (branch, one))
    for (place, one), *others in nests:
        places = tuple(
            Related(
                loop.site,
                f"and this loop {'inside' if place.extent.start < at.extent.start else 'around it'}: {loop.way_out}",
            )
            for at, loop in others
        )
        yield replace(one, chain=(*one.chain, *places)) if places else one


def _is_nest(around: BranchFact, above: DivergentLoop, branch: BranchFact, one: DivergentLoop) -> bool:
    return (
        around.extent.start < branch.extent.start
        and branch.extent.end <= around.extent.end
        and above.tier == one.tier
        and above.is_hint == one.is_hint
        and above.cost.kernel == one.cost.kernel
        and _spent(branch, one) >= NEARLY_ALL * _spent(around, above)
    )


def _spent(branch: BranchFact, found: DivergentLoop) -> float:
    """In the whole loop where that is known, else waiting for its last lane."""
    return found.cost.share if branch.wait_within is None else branch.wait_within.share.expected
