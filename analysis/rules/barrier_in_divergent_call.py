"""SYN104: a function that contains a barrier is called where threads of the block have parted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.barrier_finding import BarrierFinding
from analysis.rules.barrier_text import barrier_words
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import BarrierClaim
from analysis.verdict.barriers import BarrierReason


@final
@record
class BarrierInDivergentCall(BarrierFinding):
    """## What it does

    Reports a call, in code that only some threads of the block run, of a function that contains a barrier.

    ## Why is this bad?

    The barrier in the called function waits for all threads of the block, and those that skip the call never come. The
    fault is in the caller; the function alone is correct.  A destructor is called where its object ends: at the closing
    brace of the scope, and at each `return`, `break`, `continue` or `goto` that leaves it.

    Where those that do not come leave the kernel and nothing afterwards needs them, it is reported as information, as
    `early-exit-before-barrier` says.

    ## Example

    ```cuda
    __device__ float sum(float *tile, float value) {
      tile[threadIdx.x] = value;
      __syncthreads();
      return tile[0] + tile[1];
    }

    __global__ void half_sum(float *x) {
      __shared__ float tile[256];
      if (threadIdx.x % 2 == 0) {
        x[threadIdx.x] = sum(tile, x[threadIdx.x]);  //~ barrier-in-divergent-call
      }
    }
    ```

    ## Use instead

    Call the function with all threads and guard what is done with its result.

    ```cuda
    __device__ float sum(float *tile, float value) {
      tile[threadIdx.x] = value;
      __syncthreads();
      return tile[0] + tile[1];
    }

    __global__ void half_sum(float *x) {
      __shared__ float tile[256];
      float total = sum(tile, x[threadIdx.x]);
      if (threadIdx.x % 2 == 0) x[threadIdx.x] = total;
    }
    ```

    A call of a function that only waits is taken out of the branch by the quick fix and `simt-lsp check --fix`. Any
    other is yours to move: threads that skip it now would run what it does.

    ## Known noise

    As for `divergent-barrier`. A call that is not followed (recursion, a very large function) is not reported."""

    code: ClassVar[str] = "SYN104"
    slug: ClassVar[str] = "barrier-in-divergent-call"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[BarrierInDivergentCall]:
        for unsafe in subject.unsafe_barriers:
            if unsafe.reason is BarrierReason.CALL:
                yield cls(barrier_words(subject.analysis, unsafe))

    def message(self) -> str:
        words = self.words
        return f"{words.call()} leads to a barrier in divergent code. {words.who()}: {words.where()}.{words.aftermath}"

    def related(self) -> tuple[Related, ...]:
        return self.words.related

    def claim(self) -> BarrierClaim:
        return BarrierClaim(self.words.place)
