"""SYN102: a barrier in a loop that threads of the block leave at different times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.barrier_finding import BarrierFinding
from analysis.rules.barrier_text import barrier_words
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import BarrierClaim
from analysis.rules.witness_text import is_single, ranges_text, threads_text
from analysis.verdict.barriers import BarrierReason


@final
@record
class BarrierInVaryingLoop(BarrierFinding):
    """## What it does

    Reports a barrier in a loop that threads of the block leave after different numbers of rounds.

    ## Why is this bad?

    In the last rounds some threads wait at the barrier while others have left the loop and never come. The behavior is
    undefined; usually the kernel hangs, or the threads that left meet a later barrier that was not meant for them.

    Where those that do not come leave the kernel and nothing afterwards needs them, it is reported as information, as
    `early-exit-before-barrier` says.

    ## Example

    ```cuda
    __global__ void accumulate(float *x, int n) {
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        x[i] += 1.0f;
        __syncthreads();  //~ barrier-in-varying-loop
      }
    }
    ```

    ## Use instead

    Give every thread the same number of rounds and guard the work.

    ```cuda
    __global__ void accumulate(float *x, int n) {
      for (int start = 0; start < n; start += blockDim.x) {
        int i = start + threadIdx.x;
        if (i < n) x[i] += 1.0f;
        __syncthreads();
      }
    }
    ```

    The quick fix and `simt-lsp check --fix` write this where the loop counts up from a part of the thread's own to a
    bound of the block. Any other loop whose condition reads variables alone goes on while some thread has work, as in
    `while (__syncthreads_or(left > 0))`.

    ## Known noise

    A loop whose bound is always a multiple of the block is safe and still reported: nothing in the kernel says so."""

    code: ClassVar[str] = "SYN102"
    slug: ClassVar[str] = "barrier-in-varying-loop"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[BarrierInVaryingLoop]:
        for unsafe in subject.unsafe_barriers:
            if unsafe.reason is BarrierReason.LOOP:
                yield cls(barrier_words(subject.analysis, unsafe))

    def message(self) -> str:
        words = self.words
        loop = f"at {words.guard.place}, {words.guard.cause}"
        if words.witness is None:
            leave = "because they leave the loop at different times"
            return f"{words.who()} in every round, {leave}: {loop}.{words.aftermath}"
        more, fewer = threads_text(words.witness.arriving), ranges_text(words.witness.missing)
        verb = "runs" if is_single(words.witness.arriving) else "run"
        return (
            f"{more[0].upper()}{more[1:]} of {words.group} {verb} into {words.barrier} more often than {fewer} "
            f"({words.launch()}), because they leave the loop at different times: {loop}."
            f"{words.aftermath}"
        )

    def related(self) -> tuple[Related, ...]:
        return self.words.related

    def claim(self) -> BarrierClaim:
        return BarrierClaim(self.words.place)
