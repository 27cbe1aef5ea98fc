"""WRP204: the active mask used as the mask of an operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import operation_words, records_of
from analysis.warp.model import WarpProblemKind


@final
@record
class ActivemaskAsMask(WarpFinding):
    """## What it does

    Reports a shuffle, a vote or a `__syncwarp` whose mask comes from `__activemask()`.

    ## Why is this bad?

    `__activemask()` says which lanes happen to be running. Lanes that have parted need not have come together
    again, even where the code looks as if they had: the operation then runs in several groups, and each gets a part
    of the result.

    ## Example

    ```cuda
    __global__ void sum(float *x, int n) {
      float v = x[threadIdx.x];
      if (v > 0.0f) v += __shfl_down_sync(__activemask(), v, 1);  //~ activemask-as-mask
      x[threadIdx.x] = v;
    }
    ```

    ## Use instead

    A ballot before the branch, which all lanes take part in.

    ```cuda
    __global__ void sum(float *x, int n) {
      float v = x[threadIdx.x];
      unsigned mask = __ballot_sync(0xffffffff, v > 0.0f);
      if (v > 0.0f) v += __shfl_down_sync(mask, v, 1);
      x[threadIdx.x] = v;
    }
    ```

    ## Known noise

    Code that works for whichever lanes are there, one group after the other. Left alone are a shuffle from a leader
    that is chosen from the same mask, matches and reductions, because this is how such code usually looks.
    """

    code: ClassVar[str] = "WRP204"
    slug: ClassVar[str] = "activemask-as-mask"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[ActivemaskAsMask]:
        path, text = subject.analysis.facts.path, subject.analysis.document.text
        for found in records_of(subject, WarpProblemKind.ACTIVE_MASK):
            # Libraries ask for the active mask as well: a group of whoever is there is what it says it is.
            asked = found.other
            if asked is None or asked.path != path or not text.startswith(b"__activemask", asked.start):
                continue
            message = (
                f"The mask of {operation_words(found)} comes from `__activemask()`, which names the lanes that happen "
                "to run together, not those that will come here."
            )
            yield cls(found.site, found.problem.tier, message, (Related(asked, "The active mask is read here."),))
