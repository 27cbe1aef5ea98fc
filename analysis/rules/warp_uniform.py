"""DIV404: a branch that whole warps take together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact, Location
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.origin import chain_of
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier


@final
@record
class WarpUniform:
    """## What it does

    Points out an `if`, `switch` or loop at which all lanes of a warp agree while the warps of a block may not.

    ## Why is this bad?

    It is not: no warp splits here, so the branch costs nothing extra, and warp-wide operations are safe behind it.
    Block barriers are not, because other warps of the block may go another way. The hint tells the two apart.

    ## Example

    ```cuda
    __global__ void __launch_bounds__(256) roles(float *x) {
      if (threadIdx.x / 32 == 0) {  //~ warp-uniform
        x[threadIdx.x] = 1.0f;
      }
    }
    ```

    ## Use instead

    Nothing, unless a block barrier has to stand behind the branch: then make it agree in the block.

    ```cuda
    __global__ void roles(float *x, float *y) {
      if (blockIdx.x == 0) {
        x[threadIdx.x] = 1.0f;
        __syncthreads();
        y[threadIdx.x] = x[blockDim.x - 1 - threadIdx.x];
      }
    }
    ```

    ## Known noise

    It is a hint about good code. Where it is not wanted, switch it off: severity `off`, or
    `// NOLINT(simt-warp-uniform)`.
    """

    code: ClassVar[str] = "DIV404"
    slug: ClassVar[str] = "warp-uniform"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    keyword: str
    condition: str | None
    chain: tuple[Related, ...]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[WarpUniform]:
        for branch in subject.function.branches:
            if branch.kind not in _KINDS or not _agrees_in_warps_only(branch):
                continue
            yield cls(
                subject.text.location(branch.keyword),
                keyword_text(subject.text, branch),
                condition_text(subject.text, branch),
                chain_of(subject.analysis.why_branch(subject.function, branch)),
            )

    def message(self) -> str:
        condition = "the condition" if self.condition is None else f"`{self.condition}`"
        return (
            f"All lanes of a warp agree at this `{self.keyword}`, warps of a block may not: "
            f"{condition} is uniform in the warp. No warp splits here; a block barrier behind it may be unsafe."
        )

    def related(self) -> tuple[Related, ...]:
        return self.chain


_KINDS = (SourceBranchKind.IF, SourceBranchKind.SWITCH, SourceBranchKind.LOOP)


def _agrees_in_warps_only(branch: BranchFact) -> bool:
    return (branch.level if branch.trips is None else max(branch.level, branch.trips)) is Level.WARP
