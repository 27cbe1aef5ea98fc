"""CAL703: a variable of the host that device code uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.compiled import is_compiled
from analysis.rules.device_mentions import device_location, device_mentions
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.side_text import declared_at
from analysis.sides.side import ON_DEVICE, side_of
from analysis.sides.variables import Home, home_of
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class HostVariableOnDevice:
    """## What it does

    Reports a variable at file level without `__device__`, `__constant__` or `__managed__` that device code uses.

    ## Why is this bad?

    It does not compile: the variable lies in the memory of the host, which the device does not see.

    ## Example

    ```cuda
    float gain = 0.5f;

    __global__ void amplify(float *x) {
      x[threadIdx.x] *= gain;  //~ host-variable-on-device
    }
    ```

    ## Use instead

    An argument of the kernel, or a variable of the device that the host writes with `cudaMemcpyToSymbol`.

    ```cuda
    __constant__ float gain;

    __global__ void amplify(float *x) {
      x[threadIdx.x] *= gain;
    }
    ```

    ## Known noise

    None is known. It is about variables of plain numbers and pointers to them; those that are `const` or `constexpr`
    are not reported, since compilers put their values into the code where they can.
    """

    code: ClassVar[str] = "CAL703"
    slug: ClassVar[str] = "host-variable-on-device"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    name: str
    declared: Sequence[Item]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[HostVariableOnDevice]:
        item, sides = subject.analysis.declaration(subject.function), subject.analysis.sides
        if side_of(item) not in ON_DEVICE or not sides.names_variables(item) or not sides.is_told:
            return
        seen: set[str] = set()
        for value in device_mentions(subject).values if is_compiled(subject) else ():
            if value.name in seen or any(not sides.is_declared(name) for name in value.within):
                continue
            seen.add(value.name)
            found = sides.variables(value.name, item)
            if found and all(home_of(one, sides.unit.plain_snippet(one)) is Home.HOST for one in found):
                yield cls(device_location(subject, value.node), value.name, found)

    def message(self) -> str:
        return f"`{self.name}` is a variable of the host: device code cannot use it."

    def related(self) -> tuple[Related, ...]:
        return declared_at(self.declared, "declared without `__device__` or `__constant__`")
