"""CAL702: a host function that a `__host__ __device__` function calls where a kernel comes to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.compiled import is_reached
from analysis.rules.device_mentions import device_location, device_mentions
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.illegal_call import calls_of
from analysis.rules.rule import Subject
from analysis.rules.side_text import declared_at
from analysis.sides.side import Side, side_of
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class HostCallOnDevice:
    """## What it does

    Reports a call of a host function from a `__host__ __device__` function that a kernel calls, directly or not. What
    only the host compiles (`#ifndef __CUDA_ARCH__`) is left out.

    ## Why is this bad?

    The call is legal as long as the device does not run it, so nvcc accepts it with a warning. It has no code for the
    function on the device: it leaves the call out, and with it whatever needs the result. The kernel runs, and
    computes nothing.

    ## Example

    ```cuda
    float table_entry(float x) { return x * x; }
    __host__ __device__ float smoothed(float x) { return 0.5f * table_entry(x); }  //~ host-call-on-device

    __global__ void smooth(float *x) { x[threadIdx.x] = smoothed(x[threadIdx.x]); }
    ```

    ## Use instead

    ```cuda
    __host__ __device__ float table_entry(float x) { return x * x; }
    __host__ __device__ float smoothed(float x) { return 0.5f * table_entry(x); }

    __global__ void smooth(float *x) { x[threadIdx.x] = smoothed(x[threadIdx.x]); }
    ```

    ## Known noise

    A call behind a condition that is never true on the device is reported. Where only kernels of other files run the
    function, nothing is said.
    """

    code: ClassVar[str] = "CAL702"
    slug: ClassVar[str] = "host-call-on-device"
    severity: ClassVar[Severity] = Severity.WARNING

    site: Location
    callee: str
    caller: str
    declared: Sequence[Item]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[HostCallOnDevice]:
        item, sides = subject.analysis.declaration(subject.function), subject.analysis.sides
        if side_of(item) is not Side.BOTH or item.is_constexpr or not sides.is_told:
            return
        if not sides.may_call(item, partial(sides.unit.snippet, item), Side.HOST) or not is_reached(subject):
            return
        for call, found, _ in calls_of(device_mentions(subject), sides, item, frozenset({Side.HOST})):
            yield cls(device_location(subject, call.callee), call.name, item.name, found)

    def message(self) -> str:
        return (
            f"`{self.callee}` runs on the host alone, and a kernel comes to this call of it in `{self.caller}`: nvcc "
            "warns, and leaves it out of the device's code."
        )

    def related(self) -> tuple[Related, ...]:
        return declared_at(self.declared, "a host function: nothing says `__device__`")
