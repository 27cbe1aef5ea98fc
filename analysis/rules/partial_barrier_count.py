"""SYN106: a named barrier that counts part of a warp, or more threads than there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.facts.named_counts import WrongCount
from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix, Related, Severity
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier


@final
@record
class PartialBarrierCount:
    """## What it does

    Reports a named barrier (`bar.sync id, n`, `bar.arrive id, n`, `barrier.sync`) that waits for a number of threads
    which is no multiple of the warp size, or for more threads than the block has.

    ## Why is this bad?

    Whole warps arrive at a barrier. One that counts part of a warp has undefined behavior; one that counts more
    threads than can come is never complete, and who waits there waits for ever.

    ## Example

    ```cuda
    __global__ void stage(float *out, const float *in) {
      __shared__ float tile[96];
      tile[threadIdx.x] = in[threadIdx.x];
      asm volatile("bar.sync 1, 80;");  //~ partial-barrier-count
      out[threadIdx.x] = tile[95 - threadIdx.x];
    }
    void launch(float *out, const float *in) { stage<<<1, 96>>>(out, in); }
    ```

    ## Use instead

    ```cuda
    __global__ void stage(float *out, const float *in) {
      __shared__ float tile[96];
      tile[threadIdx.x] = in[threadIdx.x];
      asm volatile("bar.sync 1, 96;");
      out[threadIdx.x] = tile[95 - threadIdx.x];
    }
    void launch(float *out, const float *in) { stage<<<1, 96>>>(out, in); }
    ```

    ## Known noise

    None is known. The fix writes the next multiple of the warp, or what the block has; it is unsafe, because who is to
    come is not known. Counts that the program computes, and roles whose sizes do not add up to the count, are left to
    `simulate`; where some threads only arrive, a count above the size of the block is not reported.
    """

    code: ClassVar[str] = "SYN106"
    slug: ClassVar[str] = "partial-barrier-count"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    count: int
    block: int | None
    warp_size: int
    replacement: Fix | None

    @property
    def tier(self) -> Tier | None:
        return Tier.PROVEN

    @classmethod
    def find(cls, subject: Subject) -> Iterator[PartialBarrierCount]:
        for wrong in subject.analysis.wrong_counts(subject.function):
            fix = _fix(subject, wrong)
            yield cls(subject.text.location(wrong.span), wrong.count, wrong.block, wrong.warp_size, fix)

    def message(self) -> str:
        if self.block is None:
            return f"This barrier waits for {self.count} threads, no multiple of the warp size {self.warp_size}."
        return f"This barrier waits for {self.count} threads, and the warps of the block have {self.block}."

    def related(self) -> tuple[Related, ...]:
        return ()

    def fix(self) -> Fix | None:
        return self.replacement


def _fix(subject: Subject, wrong: WrongCount) -> Fix | None:
    """A count that a barrier can have; None where the number does not stand in the text once."""
    size = wrong.warp_size
    right = wrong.block if wrong.block is not None else max(-(-wrong.count // size), 1) * size
    start, end = subject.text.start(wrong.span), subject.text.end(wrong.span)
    number = re.compile(rb"(?<![\w.%%])%d(?![\w.])" % wrong.count)
    found = list(number.finditer(subject.analysis.document.text, start, end))
    if len(found) != 1:
        return None
    edit = Replacement(found[0].start(), found[0].end(), str(right))
    return Fix(f"Wait for {right} threads", (edit,), Applicability.UNSAFE)
