"""CAL706: a launch that asks for more than any GPU has, so that no kernel runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.launches import Launch, Shape
from analysis.launches.model import LaunchNumbers
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.rules.shared_bytes import static_shared_bytes
from analysis.rules.side_text import declared_at
from analysis.sides.device_limits import MAX_BLOCK, MAX_GRID, MAX_SHARED, MAX_STATIC_SHARED, MAX_THREADS
from analysis.syntax.environment import Language
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class LaunchOverLimits:
    """## What it does

    Reports a launch with more than 1,024 threads in a block, with more of them along `z` than 64, with a grid of more
    than 65,535 blocks along `y` or `z`, with more threads than the kernel's `__launch_bounds__` say, or with more
    shared memory than a block may have: 48 KiB with the kernel's own arrays, unless the program asks for more with
    `cudaFuncSetAttribute`, and 227 KiB on any GPU.

    ## Why is this bad?

    The launch fails: nothing runs, and only who asks `cudaGetLastError()` sees it. What the kernel should have written
    is what was there before.

    ## Example

    ```cuda
    __global__ void clear(float *x) { x[threadIdx.y * blockDim.x + threadIdx.x] = 0.0f; }

    void cleared(float *x) {
      clear<<<1, dim3(64, 64)>>>(x);  //~ launch-over-limits
    }
    ```

    ## Use instead

    ```cuda
    __global__ void clear(float *x) {
      x[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = 0.0f;
    }

    void cleared(float *x) {
      clear<<<4, dim3(64, 16)>>>(x);
    }
    ```

    ## Known noise

    A launch that a test of the same number keeps from running is reported. Only numbers count that the host code of
    the file is known to pass; where they differ from call to call, one launch that is made is enough. Where a header
    is missing, nothing is said of shared memory that has to be asked for.
    """

    code: ClassVar[str] = "CAL706"
    slug: ClassVar[str] = "launch-over-limits"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    text: str
    kernels: Sequence[Item]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find_launches(cls, subject: HostSubject) -> Iterator[LaunchOverLimits]:
        for one in subject.numbered_launches:
            text = _excess(subject, one.launch, one.kernels)
            if text is not None and (one.launch.is_made or not subject.is_conditional(one.launch)):
                yield cls(one.name, text, one.kernels)

    def message(self) -> str:
        return f"{self.text} The launch fails, and the kernel does not run."

    def related(self) -> tuple[Related, ...]:
        return declared_at(self.kernels, "the kernel is declared here")


def _excess(subject: HostSubject, launch: Launch, kernels: Sequence[Item]) -> str | None:
    """What is too much in every launch that is made here, or in one of those that are."""
    bounds = _launch_bounds(subject, kernels)
    made = launch.called if launch.is_made else ()
    for numbers in (launch.own_numbers, *made):
        found = _too_many_threads(numbers, bounds) or _too_many_blocks(numbers)
        if found is not None:
            return found
    return _too_much_shared(subject, launch, kernels)


def _too_many_threads(numbers: LaunchNumbers, bounds: int | None) -> str | None:
    block = numbers.block
    if block is None:
        return None
    threads = block.x * block.y * block.z
    if threads > MAX_THREADS:
        return f"A block of {_spelled(block)} threads: at most {MAX_THREADS:,} are possible."
    if block.z > MAX_BLOCK[2]:
        return f"A block of {_spelled(block)} threads: at most {MAX_BLOCK[2]} are possible along z."
    if bounds is not None and threads > bounds:
        return f"A block of {_spelled(block)} threads: `__launch_bounds__` of the kernel says at most {bounds:,}."
    return None


def _spelled(block: Shape) -> str:
    threads = block.x * block.y * block.z
    axes = " × ".join(f"{extent:,}" for extent in block[: 3 if block.z > 1 else 2 if block.y > 1 else 1])
    return axes if threads == block.x else f"{axes} = {threads:,}"


def _too_many_blocks(numbers: LaunchNumbers) -> str | None:
    for axis, extent, most in zip("xyz", numbers.grid or (), MAX_GRID, strict=False):
        if extent > most:
            return f"A grid of {extent:,} blocks along {axis}: at most {most:,} are possible."
    return None


def _too_much_shared(subject: HostSubject, launch: Launch, kernels: Sequence[Item]) -> str | None:
    if not launch.shared_bytes or subject.sides.unit.environment.language is Language.HIP:
        return None
    own = static_shared_bytes(subject.analysis, kernels) or 0
    whole = launch.shared_bytes + own
    words = f"{launch.shared_bytes:,} bytes of dynamic shared memory"
    words += f" and {own:,} of the kernel's arrays" if own else ""
    if whole > MAX_SHARED:
        return f"{words}: no GPU has more than {MAX_SHARED:,} for a block."
    if whole > MAX_STATIC_SHARED and not _asks_for_more(subject):
        more = "`cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)`"
        return f"{words}: more than {MAX_STATIC_SHARED:,} have to be asked for with {more}."
    return None


def _asks_for_more(subject: HostSubject) -> bool:
    """Whether any text that is read asks for more shared memory, or one that is not read may."""
    return subject.sides.is_incomplete or subject.sides.says(b"FuncSetAttribute", b"MaxDynamicSharedMemorySize")


def _launch_bounds(subject: HostSubject, kernels: Sequence[Item]) -> int | None:
    """The number of threads that all declarations with bounds give, as a literal."""
    found: set[int | None] = set()
    for kernel in kernels:
        if b"__launch_bounds__" not in kernel.identifiers:
            continue
        bounds = subject.sides.unit.plain_snippet(kernel).launch_bounds
        if bounds:
            found.add(int(bounds[0]) if bounds[0].strip().isdigit() else None)
    return found.pop() if len(found) == 1 else None
