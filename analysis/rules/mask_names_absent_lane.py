"""WRP202: a mask names a lane that does not come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import MaskClaim
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import (
    case_text,
    lanes_text,
    mask_text,
    operation_words,
    records_of,
    related_of,
    where_text,
)
from analysis.warp.model import WarpProblemKind


@final
@record
class MaskNamesAbsentLane(WarpFinding):
    """## What it does

    Reports a `*_sync` operation or a `__syncwarp` whose mask names a lane that takes another way through the code: a
    full mask in a branch that half of the warp takes, or in a loop that lanes leave after different numbers of rounds.

    ## Why is this bad?

    The operation waits for all lanes that it names and that have not exited. The behavior is undefined if one never
    comes: the warp hangs, stops with an illegal instruction, or computes with what it finds.

    ## Example

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      if (threadIdx.x % 32 < 16) v += __shfl_down_sync(0xffffffff, v, 8);  //~ mask-names-absent-lane
      x[threadIdx.x] = v;
    }
    ```

    ## Use instead

    Let all lanes come, name only those that do, or let a ballot before the branch say who they are.

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      if (threadIdx.x % 32 < 16) v += __shfl_down_sync(0x0000ffff, v, 8);
      unsigned mask = __ballot_sync(0xffffffff, v > 0.0f);
      if (v > 0.0f) v += __shfl_xor_sync(mask, v, 0);
      x[threadIdx.x] = v;
    }
    ```

    ## Known noise

    A lane that returned before counts as exited and is not waited for. Where only some arguments of the kernel let
    lanes part (`if (i < n)`), the finding is a possible one: the program may never pass them.
    """

    code: ClassVar[str] = "WRP202"
    slug: ClassVar[str] = "mask-names-absent-lane"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[MaskNamesAbsentLane]:
        for found in records_of(subject, WarpProblemKind.ABSENT):
            case = found.problem.case
            where = where_text(subject, found)
            yield cls(
                found.site,
                found.problem.tier,
                f"The mask of {operation_words(found)} names all lanes, and some may not come{where}."
                if case is None
                else f"The mask {mask_text(case.mask, found.warp_size)} of {operation_words(found)} names "
                f"{lanes_text(case.wrong)}, which {'does' if case.wrong.bit_count() == 1 else 'do'} not come{where}"
                f"{case_text(case)}.",
                related_of(subject, found),
                MaskClaim(found.operation),
            )
