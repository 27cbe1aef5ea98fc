"""WRP209: lanes of a warp exchange data through memory, and nothing orders them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import RaceClaim, RunClaim
from analysis.rules.warp_text import lanes_text, records_of
from analysis.verdict.barriers import Tier
from analysis.warp.model import WarpProblemKind


@final
@record
class MissingSyncwarp:
    """## What it does

    Reports volatile shared memory through which lanes of one warp exchange data without a `__syncwarp()` between the
    write and the read: code that was written for lanes that run in step. One report for each array: at the first read.

    ## Why is this bad?

    Since compute capability 7.0 lanes of a warp may run ahead of each other. `volatile` keeps the compiler from holding
    values in registers; it makes no lane wait.

    ## Example

    ```cuda
    __global__ void sum(int *x) {
      __shared__ volatile int s[32];
      int t = threadIdx.x;
      s[t] = x[t];
      if (t < 16) x[t] = s[t] + s[t + 16];  //~ missing-syncwarp
    }
    void host(int *x) { sum<<<1, 32>>>(x); }
    ```

    ## Use instead

    ```cuda
    __global__ void sum(int *x) {
      __shared__ volatile int s[32];
      int t = threadIdx.x;
      s[t] = x[t];
      __syncwarp();
      if (t < 16) x[t] = s[t] + s[t + 16];
    }
    void host(int *x) { sum<<<1, 32>>>(x); }
    ```

    The editor's action "Insert `__syncwarp()`" and `simt-lsp check --fix` put the barriers between all accesses that
    exchange data in the kernels that run the function. Where a statement reads what another lane writes in it, no
    barrier can stand between, so it is taken apart: `s[t] += s[t + 16];` in a whole warp becomes

    ```text
    const auto value = s[t] + s[t + 16];
    __syncwarp();
    s[t] = value;
    ```

    Where only some lanes come (`if (t < 8)`), `__ballot_sync` before the branch says which, and the barriers have that
    mask. The new text is analysed, and both versions run under every policy: the results are those of lanes that run in
    step, and no race between lanes of a warp is left. What cannot be proven is not offered, with the reason.

    ## Known noise

    Lanes whose result nobody uses exchange as well (`s[t] += s[t + 16]` for all 32 lanes of a warp).
    """

    code: ClassVar[str] = "WRP209"
    slug: ClassVar[str] = "missing-syncwarp"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    tier: Tier | None
    reader: str
    write: Location | None
    line: int | None
    read: Location

    @classmethod
    def find(cls, subject: Subject) -> Iterator[MissingSyncwarp]:
        for found in records_of(subject, WarpProblemKind.UNORDERED):
            case = found.problem.case
            if case is None:
                continue
            is_here = found.other is not None and found.other.path == subject.analysis.facts.path
            line = None
            if is_here and found.other is not None:
                line = subject.analysis.document.lines.line_of(found.other.start) + 1
            yield cls(found.site, found.problem.tier, lanes_text(case.wrong), found.other, line, found.operation)

    def message(self) -> str:
        where = "" if self.line is None else f" at line {self.line}"
        reader = self.reader[0].upper() + self.reader[1:]
        return (
            f"{reader} of a warp reads here what another lane writes{where}, and no `__syncwarp()` is between them: "
            "lanes of a warp need not run in step."
        )

    def related(self) -> tuple[Related, ...]:
        return () if self.write is None else (Related(self.write, "The write."),)

    def claim(self) -> RunClaim | None:
        return None if self.write is None else RaceClaim(((self.write, self.read),))
