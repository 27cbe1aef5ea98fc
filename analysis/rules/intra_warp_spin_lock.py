"""WRP210: lanes of one warp wait for a lock that one of them holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import records_of
from analysis.warp.model import WarpProblemKind


@final
@record
class IntraWarpSpinLock(WarpFinding):
    """## What it does

    Reports a loop that lanes of one warp leave only with a lock, which is released behind the loop.

    ## Why is this bad?

    Where the lanes of a warp run together until all have left the loop, the one that holds the lock never comes to the
    release, and the warp runs for ever: so on devices before compute capability 7.0, and wherever the compiler
    keeps the loop together.

    ## Example

    ```cuda
    __global__ void count(int *lock, int *total) {
      while (atomicCAS(lock, 0, 1) != 0) {}  //~ intra-warp-spin-lock, divergent-loop
      __threadfence();
      *total += 1;
      __threadfence();
      atomicExch(lock, 0);
    }
    ```

    ## Use instead

    Release the lock in the round that took it, or let one lane of the warp take it for all.

    ```cuda
    __global__ void count(int *lock, int *total) {
      bool done = false;
      while (!done) {  //~ divergent-loop
        if (atomicCAS(lock, 0, 1) == 0) {
          __threadfence();
          *total += 1;
          __threadfence();
          atomicExch(lock, 0);
          done = true;
        }
      }
    }
    ```

    ## Known noise

    Code for compute capability 7.0 and later in which lanes may run ahead of each other usually ends. Locks that differ
    from lane to lane (`locks[i]`) are possible findings only.
    """

    code: ClassVar[str] = "WRP210"
    slug: ClassVar[str] = "intra-warp-spin-lock"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[IntraWarpSpinLock]:
        for found in records_of(subject, WarpProblemKind.SPIN_LOCK):
            yield cls(
                found.site,
                found.problem.tier,
                "Lanes of one warp wait here for a lock that another lane of the warp may hold, which releases it only "
                "behind the loop.",
                () if found.other is None else (Related(found.other, "The lock is released here."),),
            )
