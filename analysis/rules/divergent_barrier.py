"""SYN101: a barrier under a condition on which threads of the block disagree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.arms_in_step import pairs_in_step
from analysis.rules.barrier_finding import BarrierFinding
from analysis.rules.barrier_text import barrier_words
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import BarrierClaim
from analysis.verdict.barriers import BarrierReason


@final
@record
class DivergentBarrier(BarrierFinding):
    """## What it does

    Reports a block-wide (or grid-wide) barrier under a condition on which threads of the block (or grid) disagree.

    ## Why is this bad?

    A barrier waits for all threads of the block. If some of them go another way, the behavior is undefined: the threads
    that arrived can wait forever, or meet the others at a different barrier. Arms that wait equally often are reported
    by `different-barriers-in-arms`.

    Where those that do not come leave the kernel and nothing afterwards needs them, it is reported as information, as
    `early-exit-before-barrier` says.

    ## Example

    ```cuda
    __global__ void reverse(float *x) {
      __shared__ float tile[16];
      if (threadIdx.x < 16) {
        tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();  //~ divergent-barrier
        x[threadIdx.x] = tile[15 - threadIdx.x];
      }
    }
    ```

    ## Use instead

    Guard the work, not the barrier.

    ```cuda
    __global__ void reverse(float *x) {
      __shared__ float tile[16];
      if (threadIdx.x < 16) tile[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      if (threadIdx.x < 16) x[threadIdx.x] = tile[15 - threadIdx.x];
    }
    ```

    The quick fix and `simt-lsp check --fix` write this, also where the arm has several barriers or loops with barriers
    that all threads can run.

    ## Known noise

    Shown by default only with a launch in which threads part (tier *proven*). That launch is made up if none is in the
    file, so a condition that agrees in every launch the program really makes is still reported. State the shape in a
    comment above the kernel: `// simt: block=256`."""

    code: ClassVar[str] = "SYN101"
    slug: ClassVar[str] = "divergent-barrier"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[DivergentBarrier]:
        in_step = {
            one.record.barrier
            for pair in pairs_in_step(subject.analysis, subject.unsafe_barriers)
            for one in (pair.first, pair.second)
        }
        for unsafe in subject.unsafe_barriers:
            if unsafe.reason is BarrierReason.GUARD and unsafe.record.barrier not in in_step:
                yield cls(barrier_words(subject.analysis, unsafe))

    def message(self) -> str:
        return f"{self.words.who()}: {self.words.where()}.{self.words.aftermath}"

    def related(self) -> tuple[Related, ...]:
        return self.words.related

    def claim(self) -> BarrierClaim:
        return BarrierClaim(self.words.place)
