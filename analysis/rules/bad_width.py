"""WRP205: a shuffle over a width that is no power of two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import case_text, operation_words, records_of, related_of
from analysis.warp.model import WarpProblemKind


@final
@record
class BadWidth(WarpFinding):
    """## What it does

    Reports a shuffle whose width is not a power of two between 1 and the size of the warp.

    ## Why is this bad?

    The behavior is undefined.

    ## Example

    ```cuda
    __global__ void sum(float *x) {
      x[threadIdx.x] += __shfl_down_sync(0xffffffff, x[threadIdx.x], 3, 12);  //~ bad-width
    }
    ```

    ## Use instead

    ```cuda
    __global__ void sum(float *x) {
      x[threadIdx.x] += __shfl_down_sync(0xffffffff, x[threadIdx.x], 3, 16);
    }
    ```

    ## Known noise

    None is known. A width that depends on arguments is believed.
    """

    code: ClassVar[str] = "WRP205"
    slug: ClassVar[str] = "bad-width"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[BadWidth]:
        for found in records_of(subject, WarpProblemKind.WIDTH):
            case = found.problem.case
            if case is None:
                continue
            yield cls(
                found.site,
                found.problem.tier,
                f"The width of {operation_words(found)} is {case.source}; it must be a power of two up to "
                f"{found.warp_size}{case_text(case)}.",
                related_of(subject, found),
            )
