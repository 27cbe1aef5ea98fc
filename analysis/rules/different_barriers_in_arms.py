"""SYN105: the arms of a branch wait at different barriers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.arms_in_step import pairs_in_step
from analysis.rules.barrier_finding import BarrierFinding
from analysis.rules.barrier_text import barrier_words
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import BarrierClaim
from analysis.rules.witness_text import is_single, ranges_text, threads_text


@final
@record
class DifferentBarriersInArms(BarrierFinding):
    """## What it does

    Reports a block-wide barrier in one arm of a branch on which threads of the block disagree, while the others wait at
    a barrier of the other arm. One report for each two: at the barrier of the first arm.

    ## Why is this bad?

    `__syncthreads()` in conditional code is allowed only where the condition is the same for all threads of the block.
    Devices that count who arrives let both arms go on together, so the code seems to work; nothing promises that, and
    one more barrier in one of the arms makes the block hang.

    ## Example

    ```cuda
    __global__ void stage(const float *x, float *y) {
      __shared__ float tile[256];
      int t = threadIdx.x;
      if (t < 100) {
        tile[t] = x[t];
        __syncthreads();  //~ different-barriers-in-arms
        y[t] = tile[255 - t];
      } else {
        tile[t] = 0.0f;
        __syncthreads();
      }
    }
    void host(const float *x, float *y) { stage<<<1, 256>>>(x, y); }
    ```

    ## Use instead

    One barrier behind what comes before both, with all threads.

    ```cuda
    __global__ void stage(const float *x, float *y) {
      __shared__ float tile[256];
      int t = threadIdx.x;
      tile[t] = t < 100 ? x[t] : 0.0f;
      __syncthreads();
      if (t < 100) y[t] = tile[255 - t];
    }
    ```

    The quick fix and `simt-lsp check --fix` split the branch at its barriers and write each two of them once, in
    between. Where lanes of one warp take both arms and exchange data, policies that run one arm before the other leave
    something else before the change, so that no run can check it: the shell then asks for `--unsafe-fixes`.

    ## Known noise

    As for `divergent-barrier`, which reports arms that wait a different number of times."""

    code: ClassVar[str] = "SYN105"
    slug: ClassVar[str] = "different-barriers-in-arms"
    severity: ClassVar[Severity] = Severity.WARNING

    other: Location
    line: int

    @classmethod
    def find(cls, subject: Subject) -> Iterator[DifferentBarriersInArms]:
        for pair in pairs_in_step(subject.analysis, subject.unsafe_barriers):
            other = pair.second.record.barrier
            line = subject.analysis.document.lines.line_of(other.start) + 1
            yield cls(barrier_words(subject.analysis, pair.first), other, line)

    def message(self) -> str:
        words = self.words
        if words.witness is None:
            here, there = f"Some threads of {words.group} may wait", "others wait"
            where = words.where()
        else:
            waiting, others = threads_text(words.witness.arriving), ranges_text(words.witness.missing)
            verb = "waits" if is_single(words.witness.arriving) else "wait"
            here, there = f"{waiting[0].upper()}{waiting[1:]} of {words.group} {verb}", f"{others} wait"
            where = f"{words.where()} ({words.launch()})"
        return f"{here} at this barrier while {there} at the one at line {self.line}: {where}."

    def related(self) -> tuple[Related, ...]:
        return (Related(self.other, "The barrier of the other arm."), *self.words.related)

    def claim(self) -> BarrierClaim:
        return BarrierClaim(self.words.place)
