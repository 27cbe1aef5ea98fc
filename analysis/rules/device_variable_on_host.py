"""CAL704: a variable of the device that host code reads, writes or passes on as if it were its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.rules.side_text import declared_at
from analysis.sides.side import Side
from analysis.sides.variables import Home, home_of, needs_memory
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class DeviceVariableOnHost:
    """## What it does

    Reports a `__device__` or `__constant__` variable that host code reads, writes, indexes or assigns.

    ## Why is this bad?

    It compiles with a warning. What host code sees under the name is a shadow on the host, of which the device knows
    nothing: what is written there is lost, and what is read is not what a kernel wrote.

    ## Example

    ```cuda
    __device__ int errors;
    __global__ void count() { atomicAdd(&errors, 1); }

    int counted() {
      count<<<1, 64>>>();
      cudaDeviceSynchronize();
      return errors;  //~ device-variable-on-host
    }
    ```

    ## Use instead

    ```cuda
    __device__ int errors;
    __global__ void count() { atomicAdd(&errors, 1); }

    int counted() {
      count<<<1, 64>>>();
      int result = 0;
      cudaMemcpyFromSymbol(&result, errors, sizeof(int));
      return result;
    }
    ```

    ## Known noise

    None is known. What is passed to functions is left alone, since those of the runtime take variables as symbols; so
    are variables that are `__managed__`. A function for both sides is read as the host compiles it, and nvcc warns of
    it whether host code calls it or not.
    """

    code: ClassVar[str] = "CAL704"
    slug: ClassVar[str] = "device-variable-on-host"
    severity: ClassVar[Severity] = Severity.WARNING

    site: Location
    name: str
    declared: Sequence[Item]
    side: Side

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[DeviceVariableOnHost]:
        sides, item = subject.sides, subject.function
        if item.is_constexpr or not subject.names_any(sides.device_variables):
            return
        for value in subject.mentions.values:
            if not needs_memory(value) or any(not sides.is_declared(name) for name in value.within):
                continue
            found = sides.variables(value.name, item)
            if found and all(home_of(one, sides.unit.plain_snippet(one)) is Home.DEVICE for one in found):
                yield cls(subject.location(value.node), value.name, found, subject.side)

    def message(self) -> str:
        if self.side is Side.BOTH:
            return (
                f"`{self.name}` lies on the device: where the host compiles this function for both sides, it sees a "
                "shadow of it."
            )
        return (
            f"`{self.name}` lies on the device: host code sees a shadow of it here, and has to copy it with "
            "`cudaMemcpyFromSymbol` or `cudaMemcpyToSymbol`."
        )

    def related(self) -> tuple[Related, ...]:
        return declared_at(self.declared, "declared on the device")
