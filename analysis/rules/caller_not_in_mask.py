"""WRP201: a lane runs an operation of the warp with a mask that does not name it."""

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
class CallerNotInMask(WarpFinding):
    """## What it does

    Reports a `*_sync` operation or a `__syncwarp(mask)` that some lane runs although the mask does not name it. The
    masks are computed lane by lane, as far as they follow from thread indices and constants.

    ## Why is this bad?

    The behavior is undefined: results of the operation are arbitrary, and the lanes may not wait for each other.

    ## Example

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      v += __shfl_down_sync(0xffff, v, 8);  //~ caller-not-in-mask
      x[threadIdx.x] = v;
    }
    ```

    ## Use instead

    Name all lanes that come, or let only those come that are named.

    ```cuda
    __global__ void sum(float *x) {
      float v = x[threadIdx.x];
      v += __shfl_down_sync(0xffffffff, v, 8);
      x[threadIdx.x] = v;
    }
    ```

    ## Known noise

    None is known. A mask that depends on arguments is believed, and so is one that a vote has computed, unless the
    whole warp votes once on what thread indices and numbers decide.
    """

    code: ClassVar[str] = "WRP201"
    slug: ClassVar[str] = "caller-not-in-mask"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[CallerNotInMask]:
        for found in records_of(subject, WarpProblemKind.CALLER):
            case = found.problem.case
            if case is None:
                continue
            yield cls(
                found.site,
                found.problem.tier,
                f"{lanes_text(case.wrong).capitalize()} {'runs' if case.wrong.bit_count() == 1 else 'run'} "
                f"{operation_words(found)} with the mask {mask_text(case.mask, found.warp_size)}, which does not name "
                f"{'it' if case.wrong.bit_count() == 1 else 'them'}{case_text(case)}.",
                related_of(subject, found),
                MaskClaim(found.operation),
            )
