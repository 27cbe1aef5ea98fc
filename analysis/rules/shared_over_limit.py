"""CAL707: a kernel whose arrays in shared memory are more than a block may have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.facts.item_text import name_span
from analysis.facts.model import Location
from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.rules.compiled import is_reached
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.shared_bytes import shared_arrays, shared_bytes
from analysis.sides.device_limits import MAX_STATIC_SHARED
from analysis.syntax.environment import Language
from analysis.verdict.barriers import Tier


@final
@record
class SharedOverLimit:
    """## What it does

    Reports a kernel whose `__shared__` arrays, with those of the functions that it calls, take more than 48 KiB.

    ## Why is this bad?

    It does not compile, whatever the GPU has: more is possible only as dynamic shared memory, for which the program
    asks before the launch.

    ## Example

    ```cuda
    __global__ void turned(const float *x, float *y) {  //~ shared-over-limit
      __shared__ float tile[128][128];
      for (int i = threadIdx.y; i < 128; i += blockDim.y) tile[i][threadIdx.x] = x[i * 128 + threadIdx.x];
      __syncthreads();
      for (int i = threadIdx.y; i < 128; i += blockDim.y) y[i * 128 + threadIdx.x] = tile[threadIdx.x][i];
    }
    ```

    ## Use instead

    A smaller tile, or `extern __shared__` with `cudaFuncSetAttribute` and the size in the launch.

    ```cuda
    __global__ void turned(const float *x, float *y) {
      extern __shared__ float tile[];
      for (int i = threadIdx.y; i < 128; i += blockDim.y) tile[i * 129 + threadIdx.x] = x[i * 128 + threadIdx.x];
      __syncthreads();
      for (int i = threadIdx.y; i < 128; i += blockDim.y) y[i * 128 + threadIdx.x] = tile[threadIdx.x * 129 + i];
    }
    ```

    ## Known noise

    Arrays that a compiler finds a way to do without are counted, as long as the code uses them.
    """

    code: ClassVar[str] = "CAL707"
    slug: ClassVar[str] = "shared-over-limit"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    kernel: str
    size: int
    arrays: tuple[Related, ...]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[SharedOverLimit]:
        function, analysis = subject.function, subject.analysis
        if function.kind is not FunctionKind.KERNEL or analysis.program.unit.environment.language is Language.HIP:
            return
        size = shared_bytes(analysis, function)
        if size is None or size <= MAX_STATIC_SHARED or not is_reached(subject):
            return
        item = analysis.declaration(function)
        name = name_span(item)
        site = Location(item.path, item.span.start + name.start, item.span.start + name.end)
        yield cls(site, item.name, size, tuple(_arrays(subject)))

    def message(self) -> str:
        return (
            f"The arrays of `{self.kernel}` in shared memory take {self.size:,} bytes: at most {MAX_STATIC_SHARED:,} "
            "are possible without dynamic shared memory."
        )

    def related(self) -> tuple[Related, ...]:
        return self.arrays


def _arrays(subject: Subject) -> Iterator[Related]:
    """Those that the kernel declares itself, the largest first."""
    function, path = subject.function, subject.analysis.declaration(subject.function).path
    own = next(view for view in subject.analysis.views(function) if view.frame == 0)
    found = [(size or 0, symbol) for symbol, size in shared_arrays(own) if symbol.span.frame == 0]
    for size, symbol in sorted(found, key=lambda one: (-one[0], one[1].span.start)):
        start, end = symbol.span.start, symbol.span.end
        if end > start:
            place = Location(path, function.start + start, function.start + end)
            yield Related(place, f"`{symbol.name}`: {size:,} bytes")
