"""SYN106: a named barrier that counts part of a warp, or more threads than there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
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

    None is known. Counts that the program computes, and roles whose sizes do not add up to the count, are left to
    `simulate`; where some threads only arrive, a count above the size of the block is not reported.
    """

    code: ClassVar[str] = "SYN106"
    slug: ClassVar[str] = "partial-barrier-count"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    count: int
    block: int | None
    warp_size: int

    @property
    def tier(self) -> Tier | None:
        return Tier.PROVEN

    @classmethod
    def find(cls, subject: Subject) -> Iterator[PartialBarrierCount]:
        for wrong in subject.analysis.wrong_counts(subject.function):
            yield cls(subject.text.location(wrong.span), wrong.count, wrong.block, wrong.warp_size)

    def message(self) -> str:
        if self.block is None:
            return f"This barrier waits for {self.count} threads, no multiple of the warp size {self.warp_size}."
        return f"This barrier waits for {self.count} threads, and the warps of the block have {self.block}."

    def related(self) -> tuple[Related, ...]:
        return ()
