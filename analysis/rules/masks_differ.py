"""WRP203: lanes that meet pass different masks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import MaskClaim
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import case_text, lanes_text, mask_text, operation_words, records_of, related_of
from analysis.warp.model import WarpProblemKind


@final
@record
class MasksDiffer(WarpFinding):
    """## What it does

    Reports an operation of a warp at which a lane names another one that passes a different mask.

    ## Why is this bad?

    All lanes that a mask names must run the operation with the same mask; otherwise the behavior is undefined.

    ## Example

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      unsigned mask = threadIdx.x % 32 < 16 ? 0x0000ffff : 0xffffffff;
      x[threadIdx.x] = __shfl_xor_sync(mask, v, 1);  //~ masks-differ
    }
    ```

    ## Use instead

    Masks of groups that do not overlap.

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      unsigned mask = threadIdx.x % 32 < 16 ? 0x0000ffff : 0xffff0000;
      x[threadIdx.x] = __shfl_xor_sync(mask, v, 1);
    }
    ```

    ## Known noise

    None is known.
    """

    code: ClassVar[str] = "WRP203"
    slug: ClassVar[str] = "masks-differ"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[MasksDiffer]:
        for found in records_of(subject, WarpProblemKind.DIFFER):
            case = found.problem.case
            if case is None:
                continue
            yield cls(
                found.site,
                found.problem.tier,
                f"{lanes_text(case.wrong).capitalize()} meet at {operation_words(found)} with different masks, "
                f"{mask_text(case.mask, found.warp_size)} and {mask_text(case.source or 0, found.warp_size)}"
                f"{case_text(case)}.",
                related_of(subject, found),
                MaskClaim(found.operation),
            )
