"""WRP206: a mask that looks mistyped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import operation_words, records_of, related_of
from analysis.warp.model import WarpProblemKind


@final
@record
class SuspiciousMask(WarpFinding):
    """## What it does

    Reports a mask that misses a digit (`0xFFFFFF`) or that is the number of a lane (`31`, `0x1f`, `32`), where it
    is not known which lanes come.

    ## Why is this bad?

    Lanes that the mask does not name take no part, or the behavior is undefined. Where the lanes that come are known,
    `caller-not-in-mask` and `mask-names-absent-lane` decide it.

    ## Example

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      if (v > 0.0f) v += __shfl_xor_sync(0xFFFFFF, v, 1);  //~ suspicious-mask
      x[threadIdx.x] = v;
    }
    ```

    ## Use instead

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      v += __shfl_xor_sync(0xFFFFFFFF, v, 1);
      x[threadIdx.x] = v;
    }
    ```

    ## Known noise

    Data may let exactly these lanes come.
    """

    code: ClassVar[str] = "WRP206"
    slug: ClassVar[str] = "suspicious-mask"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[SuspiciousMask]:
        for found in records_of(subject, WarpProblemKind.SUSPICIOUS):
            yield cls(
                found.site,
                found.problem.tier,
                f"The mask of {operation_words(found)} looks mistyped: all lanes of a warp are "
                f"{'0x' + 'f' * (found.warp_size // 4)}.",
                related_of(subject, found),
            )
