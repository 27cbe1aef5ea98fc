"""SYN107: a barrier that orders nothing."""

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
class BarrierOrdersNothing:
    """## What it does

    Reports a `__syncthreads()` that no access to memory needs: of what threads do in front of it and behind it, up to
    the next barrier on each path and around loops, nothing is written by one thread and used by another.

    ## Why is this bad?

    Who reads the kernel looks for what the barrier protects, and there is nothing. Often the barrier belongs to code
    that is gone, or it was meant for another place. Taking it out may make the kernel faster, or not at all.

    ## Example

    ```cuda
    __global__ void reversed(float *out, const float *in) {
      __shared__ float s[256];
      s[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = s[255 - threadIdx.x];
      __syncthreads();  //~ barrier-orders-nothing
    }
    ```

    ## Use instead

    ```cuda
    __global__ void reversed(float *out, const float *in) {
      __shared__ float s[256];
      s[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = s[255 - threadIdx.x];
    }
    ```

    ## Known noise

    Nothing is reported where code is not understood, where two pointers may lead to the same array, and in functions
    whose callers are not all known. A barrier that only keeps warps close to each other, for the sake of caches, is
    reported.
    """

    code: ClassVar[str] = "SYN107"
    slug: ClassVar[str] = "barrier-orders-nothing"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[BarrierOrdersNothing]:
        for barrier in subject.analysis.barriers_without_order(subject.function):
            yield cls(subject.text.location(barrier))

    def message(self) -> str:
        return "This barrier orders nothing: no thread uses what another one writes around it."

    def related(self) -> tuple[Related, ...]:
        return ()
