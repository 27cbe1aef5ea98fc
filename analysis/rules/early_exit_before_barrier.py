"""SYN103: some threads leave before barriers that the others wait at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.barrier_finding import BarrierFinding
from analysis.rules.barrier_survey import UnsafeBarrier, surest, worst_consequence
from analysis.rules.barrier_text import barrier_behind, barrier_words
from analysis.rules.consequence_text import consequence_text, related_need
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.leaving_statement import leaving_statement
from analysis.rules.rule import Subject
from analysis.rules.run_claim import BarrierClaim
from analysis.rules.wording import SCOPE_WORDS
from analysis.verdict.barriers import BarrierReason

MAX_LINES: Final = 5


@final
@record
class EarlyExitBeforeBarrier(BarrierFinding):
    """## What it does

    Reports an early `return` of some threads of the block, or a jump, past barriers that the others wait at: once, at
    the statement that leaves, however many barriers follow.

    ## Why is this bad?

    `__syncthreads()` is defined to wait for all threads of the block. Devices of compute capability 7.0 and later wait
    only for the threads that have not left the kernel; earlier ones count whole warps. So what is wrong depends on what
    the others need afterwards, and the message says it:

    - **error**, where something is missing: a shuffle or a vote whose mask names lanes that have left, a barrier that
      counts, elements of shared memory that these threads should have written and others read, or a barrier on their
      own way at which they wait instead.
    - **error** as well where it cannot be shown that nothing is missing. The message says "may".
    - **information**, where nothing is: every thread that stays reads what it wrote itself, what all threads wrote
      before, or elements of threads with a smaller index where those from some index on leave. This is allowed since
      compute capability 7.0, not by the programming model.

    ## Example

    ```cuda
    __global__ void smooth(const float *x, float *y, int n) {
      __shared__ float tile[256];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;  //~ early-exit-before-barrier
      tile[threadIdx.x] = x[i];
      __syncthreads();
      y[i] = tile[threadIdx.x] + tile[255 - threadIdx.x];
    }
    ```

    ## Use instead

    Turn the early return into guards around the work.

    ```cuda
    __global__ void smooth(const float *x, float *y, int n) {
      __shared__ float tile[256];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      tile[threadIdx.x] = i < n ? x[i] : 0.0f;
      __syncthreads();
      if (i < n) y[i] = tile[threadIdx.x] + tile[255 - threadIdx.x];
    }
    ```

    The quick fix and `simt-lsp check --fix` write guards: all barriers after the return stand outside of them, what
    is used behind one is declared before the first, and a condition that reads memory, or variables that change, is
    kept in `const bool active`. Both versions then run under every policy. What the missing threads should have
    written is yours to add. Not written where threads leave from inside of a loop, where the function returns a value,
    or where the others would have to run more than barriers.

    ## Known noise

    Memory that is reached through different pointer arguments is taken to be different. With grids that cover the data
    exactly, no thread leaves; silence the finding there with `// NOLINT(simt-early-exit-before-barrier)`, or state the
    launch above the kernel: `// simt: block=256`."""

    code: ClassVar[str] = "SYN103"
    slug: ClassVar[str] = "early-exit-before-barrier"
    severity: ClassVar[Severity] = Severity.ERROR

    barriers: tuple[Location, ...]
    """All that these threads miss, in the order of the text."""
    leaves: bool
    """They end the kernel or the function, and do not jump."""

    @classmethod
    def find(cls, subject: Subject) -> Iterator[EarlyExitBeforeBarrier]:
        for branch, missed in _by_branch(subject.unsafe_barriers).items():
            yield cls._of(subject.analysis, branch, missed)

    @classmethod
    def _of(cls, analysis: FileAnalysis, branch: Location, missed: Sequence[UnsafeBarrier]) -> EarlyExitBeforeBarrier:
        first, worst = surest(missed), worst_consequence(one.record for one in missed)
        words = barrier_words(analysis, first)
        statement = leaving_statement(analysis, branch)
        barriers = tuple(one.record.barrier for one in missed)
        related = (
            *(Related(barrier, "Others wait here.") for barrier in barriers),
            *(place for place in words.related if place not in related_need(first.record.needed)),
            *related_need(worst.needed),
        )
        words = replace(
            words,
            site=statement.location,
            related=related,
            barrier=_barriers_behind(analysis, missed),
            consequence=worst.consequence,
            aftermath=consequence_text(analysis, worst.consequence, worst.needed),
        )
        return cls(words, barriers, statement.leaves)

    def message(self) -> str:
        words = self.words
        passed = "it" if len(self.barriers) == 1 else "them"
        leave = "they return here" if self.leaves else f"they jump past {passed} here"
        return f"{words.who()}, because {leave}: {words.guard.cause}.{words.aftermath}"

    def related(self) -> tuple[Related, ...]:
        return self.words.related

    def claim(self) -> BarrierClaim:
        return BarrierClaim(self.words.place)


def _by_branch(barriers: Iterable[UnsafeBarrier]) -> dict[Location, list[UnsafeBarrier]]:
    """The barriers that threads miss by leaving before, by the branch at which they leave, in the order of the text."""
    found: dict[Location, list[UnsafeBarrier]] = {}
    for one in barriers:
        if one.reason is BarrierReason.EARLY_EXIT:
            found.setdefault(one.record.guards[0].branch, []).append(one)
    return {branch: sorted(those, key=lambda one: one.record.barrier.start) for branch, those in found.items()}


def _barriers_behind(analysis: FileAnalysis, missed: Sequence[UnsafeBarrier]) -> str:
    """ "the block barrier at line 6", "the 3 block barriers at lines 6, 9 and 12"."""
    first, *others = missed
    own = [one.record.barrier for one in missed if one.record.barrier.path == analysis.facts.path]
    if not others or len(own) < len(missed):
        return barrier_behind(analysis, first.record)
    lines = [str(analysis.document.lines.line_of(barrier.start) + 1) for barrier in own]
    shown = lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], "…"]
    return f"the {len(own)} {SCOPE_WORDS[first.record.scope]}s at lines {', '.join(shown[:-1])} and {shown[-1]}"
