"""MEM504: a thread that misses the array, at every launch of the kernel that is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.access.model import AccessKind, Outside
from analysis.facts.model import AccessFact, Location
from analysis.ir.record import record
from analysis.rules.access_text import address_text, location_of
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.wording import counted
from analysis.verdict.barriers import Tier


@final
@record
class OutOfBoundsLane:
    """## What it does

    Reports an access that some threads of the block make outside of the array, when the block shape is known from the
    launch and the length of the array from its declaration.

    ## Why is this bad?

    The behavior is undefined: the thread reads or overwrites whatever lies behind the array, or the kernel is stopped.

    ## Example

    ```cuda
    __global__ void differences(float *x) {
      __shared__ float tile[128];
      tile[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = tile[threadIdx.x + 1] - tile[threadIdx.x];  //~ out-of-bounds-lane
    }
    void host(float *x) { differences<<<1, 128>>>(x); }
    ```

    ## Use instead

    Guard the access, or make room for it.

    ```cuda
    __global__ void differences(float *x) {
      __shared__ float tile[128];
      tile[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      if (threadIdx.x + 1 < 128) x[threadIdx.x] = tile[threadIdx.x + 1] - tile[threadIdx.x];
    }
    void host(float *x) { differences<<<1, 128>>>(x); }
    ```

    ## Known noise

    None is known: every report is the result of evaluating all threads of one block, in all rounds of loops that only
    count (`for (j = threadIdx.x; j < 100; j += blockDim.x)`). Accesses in other loops, and behind guards that read
    anything but thread indices, block extents and constants, are not decided.
    """

    code: ClassVar[str] = "MEM504"
    slug: ClassVar[str] = "out-of-bounds-lane"
    severity: ClassVar[Severity] = Severity.WARNING

    site: Location
    address: str
    kind: AccessKind
    variable: str | None
    bytes: int
    outside: Outside

    @property
    def tier(self) -> Tier | None:
        return Tier.PROVEN

    @classmethod
    def find(cls, subject: Subject) -> Iterator[OutOfBoundsLane]:
        reported: set[Location] = set()
        for access in subject.function.accesses:
            if access.outside is None or access.bytes is None:
                continue
            site = location_of(subject.text, access)
            if site not in reported:
                reported.add(site)
                yield cls._of(subject, access, site, access.bytes, access.outside)

    @classmethod
    def _of(cls, subject: Subject, access: AccessFact, site: Location, size: int, outside: Outside) -> OutOfBoundsLane:
        address = address_text(subject.text, access)
        return cls(site, address, access.kind, access.variable, size, outside)

    def message(self) -> str:
        outside = self.outside
        shape = " x ".join(map(str, outside.extent))
        threads = f"thread {outside.first}" if outside.count == 1 else f"threads {outside.first} to {outside.last}"
        if 1 < outside.count <= outside.last - outside.first:
            threads = f"{outside.count} threads from {outside.first} to {outside.last}"
        array = "the array" if self.variable is None else f"`{self.variable}`"
        element = outside.offset // self.bytes
        where = (
            f"{counted(-outside.offset, 'byte')} before the beginning of {array}"
            if outside.offset < 0
            else f"at element {element} of {array}, which has {outside.size // self.bytes}"
        )
        reach = "reaches" if outside.count == 1 else "reach"
        return f"In blocks of {shape} threads, {threads} {reach} `{self.address}` outside of the array: {where}."

    def related(self) -> tuple[Related, ...]:
        return ()
