"""SYN103: some threads leave before a barrier that the others wait at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final, final

from analysis.ir.record import record
from analysis.rules.barrier_finding import BarrierFinding
from analysis.rules.barrier_text import barrier_words
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import BarrierClaim
from analysis.verdict.barriers import BarrierReason

_RETURN: Final = re.compile(r"\b(?:return|asm|__trap)\b")
_PORTABILITY: Final = (
    " Since compute capability 7.0 a barrier waits only for threads that have not exited, earlier devices count whole"
    " warps; the programming model asks all threads of the block to arrive."
)


@final
@record
class EarlyExitBeforeBarrier(BarrierFinding):
    """## What it does

    Reports a barrier that some threads of the block never reach because they return, or jump past it, before.

    ## Why is this bad?

    `__syncthreads()` is defined to wait for all threads of the block. Devices of compute capability 7.0 and later wait
    only for the threads that have not exited; earlier ones count whole warps. Code that relies on one of the two is not
    portable, and threads that jump past the barrier without exiting are waited for on every device.

    ## Example

    ```cuda
    __global__ void smooth(const float *x, float *y, int n) {
      __shared__ float tile[256];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      tile[threadIdx.x] = x[i];
      __syncthreads();  //~ early-exit-before-barrier
      y[i] = tile[threadIdx.x] + tile[0];
    }
    ```

    ## Use instead

    Turn the early return into guards around the work.

    ```cuda
    __global__ void smooth(const float *x, float *y, int n) {
      __shared__ float tile[256];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) tile[threadIdx.x] = x[i];
      __syncthreads();
      if (i < n) y[i] = tile[threadIdx.x] + tile[0];
    }
    ```

    The quick fix and `simt-lsp check --fix` write this: all barriers after the return stand outside of the guards, what
    is used behind one is declared before the first, and a condition that reads memory, or variables that change, is
    kept in `const bool active`. Both versions then run under every policy. Not written where threads leave from inside
    of a loop, where the function returns a value, or where the others would have to run more than barriers.

    ## Known noise

    A kernel that only runs on compute capability 7.0 and later, with grids that cover the data exactly, never shows the
    fault. Silence it there with `// NOLINT(simt-early-exit-before-barrier)`."""

    code: ClassVar[str] = "SYN103"
    slug: ClassVar[str] = "early-exit-before-barrier"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[EarlyExitBeforeBarrier]:
        for unsafe in subject.unsafe_barriers:
            if unsafe.reason is BarrierReason.EARLY_EXIT:
                yield cls(barrier_words(subject.analysis, unsafe))

    def message(self) -> str:
        leave = "they return earlier" if _RETURN.search(self.words.guard.body) else "they jump past it"
        portability = _PORTABILITY if self.words.guard.body and leave == "they return earlier" else ""
        return f"{self.words.who()}, because {leave}: {self.words.where()}.{portability}"

    def related(self) -> tuple[Related, ...]:
        return self.words.related

    def claim(self) -> BarrierClaim:
        return BarrierClaim(self.words.place)
