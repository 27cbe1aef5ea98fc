"""WRP207: a shuffle reads from a lane that takes no part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Severity
from analysis.rules.rule import Subject
from analysis.rules.run_claim import InactiveLaneClaim
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import case_text, lanes_text, operation_words, records_of, related_of
from analysis.warp.model import WarpProblemKind


@final
@record
class ReadOfInactiveLane(WarpFinding):
    """## What it does

    Reports a `__shfl_sync` in which all lanes that come read from one lane that does not.

    ## Why is this bad?

    What they get is undefined.

    ## Example

    ```cuda
    __global__ void spread(float *x) {
      float v = x[threadIdx.x];
      if (threadIdx.x % 32 >= 16) v = __shfl_sync(0xffff0000, v, 0);  //~ read-of-inactive-lane
      x[threadIdx.x] = v;
    }
    ```

    ## Use instead

    ```cuda
    __global__ void spread(float *x) {
      float v = x[threadIdx.x];
      if (threadIdx.x % 32 >= 16) v = __shfl_sync(0xffff0000, v, 16);
      x[threadIdx.x] = v;
    }
    ```

    ## Known noise

    None is known. Shuffles up, down and across are not judged: reductions read lanes that are not there and drop what
    they get.
    """

    code: ClassVar[str] = "WRP207"
    slug: ClassVar[str] = "read-of-inactive-lane"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[ReadOfInactiveLane]:
        for found in records_of(subject, WarpProblemKind.SOURCE):
            case = found.problem.case
            if case is None:
                continue
            yield cls(
                found.site,
                found.problem.tier,
                f"{lanes_text(case.wrong).capitalize()} read from lane {case.source} in {operation_words(found)}, and "
                f"that lane takes no part{case_text(case)}.",
                related_of(subject, found),
                InactiveLaneClaim(found.operation),
            )
