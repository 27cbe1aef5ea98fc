"""DIV403: the arms of a divergent branch do the same work on different operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.refactor.meld.model import Opportunity
from analysis.refactor.meld.outcomes import meld_opportunities
from analysis.rules.condition import keyword_text
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.meld_text import saving_text
from analysis.rules.origin import chain_of
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier

SAVING_FACTOR: Final = 4
"""Times the threshold of prices.  15 kernels were melded and timed on a GPU (docs/gpu.md): of the ten that promised a
fifth or more of their issue slots, seven got faster, two stayed and one got slower; of the five others, three did.
"""


@final
@record
class MeldableBranch:
    """## What it does

    Points out an `if` whose two arms, or a `switch` whose cases, run one after the other in a split warp although they
    do the same work on different operands, and says what one converged sequence would save.

    ## Why is this bad?

    A warp that splits pays for both arms. Where they load, compute and store alike, it pays for the same instructions
    twice. Melding selects the operands first and then runs the shared instructions once, with all lanes. Of branches
    inside each other, as the rungs of an `else if`, only the one that saves most is pointed out, and only where it
    would save a fifth of the kernel's issue slots (four times `shareThreshold`): on a GPU, melds that promised less
    lost as often as they gained.

    ## Example

    ```cuda
    __global__ void step(float *even, float *odd, const float *x, const float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i % 2 == 0) {  //~ divergent-branch, meldable-branch
        even[i] = x[i] * x[i] + 1.0f;
      } else {
        odd[i] = y[i] * y[i] + 1.0f;
      }
    }
    ```

    ## Use instead

    What both arms do, once, on selected addresses. The code action "Meld divergent arms" and `simt-lsp meld` write
    this, after the simulator ran both versions on the same inputs.

    ```cuda
    __global__ void step(float *even, float *odd, const float *x, const float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      const bool is_even = i % 2 == 0;
      const float value = (is_even ? x : y)[i];
      (is_even ? even : odd)[i] = value * value + 1.0f;
    }
    ```

    ## Known noise

    The saving is an estimate for warps that split; one whose lanes all agree gains nothing and pays for the selects.
    It counts issue slots and not time, and the registers of longer live ranges only roughly. A compiler keeps elements
    of shared memory that only one thread uses in registers, and makes predicates of short arms: a selected pointer
    takes that away, which is not counted. So time it. Which arms can be melded is set with `meldMethod` and
    `meldThreshold`; the code action is in the menu of any branch that can be melded, whatever it saves. Silence a known
    case with `// NOLINT(simt-meldable-branch)`.
    """

    code: ClassVar[str] = "DIV403"
    slug: ClassVar[str] = "meldable-branch"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    keyword: str
    saving: str
    """In words: "about 12 % of this kernel's issue slots"."""
    chain: tuple[Related, ...]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[MeldableBranch]:
        least = SAVING_FACTOR * subject.share_threshold / 100
        for found in _one_of_each_nest(meld_opportunities(subject.analysis, subject.function, subject.meld, least)):
            yield cls(
                subject.text.location(found.branch.keyword),
                keyword_text(subject.text, found.branch),
                saving_text(found, subject.function),
                chain_of(subject.analysis.why_branch(subject.function, found.branch)),
            )

    def message(self) -> str:
        return (
            f"The arms of this `{self.keyword}` do the same work on different operands: "
            f"melding them would save {self.saving}."
        )

    def related(self) -> tuple[Related, ...]:
        return self.chain


def _one_of_each_nest(opportunities: Sequence[Opportunity]) -> list[Opportunity]:
    """Of branches that contain each other the one that saves most, the outer one where they save the same.

    A ladder of `else if` is one nest: whoever melds its first rung melds the others with it.
    """
    chosen: list[Opportunity] = []
    for found in sorted(opportunities, key=lambda one: (-one.predicted_saving, one.branch.extent.start)):
        if not any(_contains(one, found) or _contains(found, one) for one in chosen):
            chosen.append(found)
    return sorted(chosen, key=lambda one: one.branch.keyword.start)


def _contains(outer: Opportunity, inner: Opportunity) -> bool:
    around, inside = outer.branch.extent, inner.branch.extent
    return around.start <= inside.start and inside.end <= around.end
