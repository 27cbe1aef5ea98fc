"""DIV402: a loop whose lanes leave at different times, at a price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact, Location
from analysis.ir.function import SourceBranchKind
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.cost import divergence_cost
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.divergent_branch import splits_warps
from analysis.rules.origin import cause_text, chain_of, origin_text
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier


@final
@dataclass(frozen=True, slots=True)
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

    How different the trip counts are is not known: a loop that varies by one round is reported like one that varies by
    a thousand. Silence a known case with `// NOLINT(simt-divergent-loop)`.
    """

    code: ClassVar[str] = "DIV402"
    slug: ClassVar[str] = "divergent-loop"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    keyword: str
    condition: str | None
    by_condition: bool
    origin: str | None
    chain: tuple[Related, ...]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[DivergentLoop]:
        for branch in subject.function.branches:
            if branch.kind is not SourceBranchKind.LOOP or branch.trips is not Level.VARYING:
                continue
            if not splits_warps(branch) or divergence_cost(subject.text, branch) <= subject.cost_threshold:
                continue
            yield cls._of(subject, branch)

    @classmethod
    def _of(cls, subject: Subject, branch: BranchFact) -> DivergentLoop:
        steps = subject.analysis.why_branch(subject.function, branch)
        condition = condition_text(subject.text, branch)
        return cls(
            subject.text.location(branch.keyword),
            keyword_text(subject.text, branch),
            condition,
            branch.level is Level.VARYING,
            origin_text(subject.analysis, steps, condition, subject.text.line(branch.keyword)),
            chain_of(steps),
        )

    def message(self) -> str:
        start = f"Lanes of one warp leave this `{self.keyword}` loop after different numbers of rounds"
        if not self.by_condition:
            return f"{start}: a `break` or `return` in it is taken by some threads only."
        return f"{start}: {cause_text(self.condition, self.origin)}."

    def related(self) -> tuple[Related, ...]:
        return self.chain
