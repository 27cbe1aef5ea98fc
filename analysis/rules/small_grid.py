"""CAL708: a launch whose blocks leave most of a large GPU idle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, final

from analysis.facts.model import FunctionFacts, Location
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.launches import Shape
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.rules.rule import Finding, Subject
from analysis.rules.side_text import declared_at
from analysis.sides.device_limits import Gpu, large_gpu
from analysis.syntax.environment import Language
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class SmallGrid:
    """## What it does

    Hints at a launch of a kernel that takes any number of blocks (it asks for `gridDim` in a loop) with fewer than a
    large GPU of the architecture has multiprocessors, or with a few more than fit at once, so that a second wave of
    them runs almost alone.

    ## Why is this bad?

    A block runs on one multiprocessor. With 16 blocks, 92 of the 108 multiprocessors of an A100 have nothing to do;
    with a second wave of a tenth of the blocks the kernel takes twice as long as with the first one alone.

    ## Example

    ```cuda
    __global__ void scale(float *x, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2.0f;
    }

    void scaled(float *x, int n) {
      scale<<<16, 256>>>(x, n);  //~ small-grid
    }
    ```

    ## Use instead

    Blocks for all multiprocessors, as many as `cudaOccupancyMaxActiveBlocksPerMultiprocessor` says for each.

    ```cuda
    __global__ void scale(float *x, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2.0f;
    }

    void scaled(float *x, int n, int multiprocessors) {
      scale<<<multiprocessors * 8, 256>>>(x, n);
    }
    ```

    ## Known noise

    Silent are grids of one block, which are meant to be that, and kernels whose grid is the size of the work. The work
    may be little, and other kernels may run beside this one and fill the GPU. How many blocks fit at once is computed
    from the threads of a block alone; registers and shared memory may allow fewer.
    """

    code: ClassVar[str] = "CAL708"
    slug: ClassVar[str] = "small-grid"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    text: str
    kernels: Sequence[Item]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[Finding]:
        return iter(())

    @classmethod
    def find_launches(cls, subject: HostSubject) -> Iterator[SmallGrid]:
        environment = subject.sides.unit.environment
        if environment.language is Language.HIP:
            return
        seen: set[str] = set()
        for one in subject.numbered_launches:
            launch = one.launch
            if launch.grid is None or launch.block is None or not launch.is_made or launch.kernel in seen:
                continue
            text = _idle(launch.grid, launch.block, large_gpu(environment.architecture))
            if text is not None and _takes_any_grid(subject, one.kernels):
                seen.add(launch.kernel)
                yield cls(one.name, text, one.kernels)

    def message(self) -> str:
        return self.text

    def related(self) -> tuple[Related, ...]:
        return declared_at(self.kernels, "the kernel is declared here")


def _idle(grid: Shape, block: Shape, gpu: Gpu) -> str | None:
    blocks, threads = grid.x * grid.y * grid.z, block.x * block.y * block.z
    if 1 < blocks < gpu.multiprocessors:
        idle = gpu.multiprocessors - blocks
        return (
            f"A grid of {blocks:,} blocks: {idle} of the {gpu.multiprocessors} multiprocessors of a large GPU "
            f"({gpu.name}) are idle."
        )
    at_once = gpu.multiprocessors * min(MAX_RESIDENT, gpu.threads // max(-(-threads // WARP) * WARP, 1))
    last = blocks - at_once
    if at_once and 0 < last <= at_once * MAX_TAIL:
        return (
            f"A grid of {blocks:,} blocks: {at_once:,} of {threads:,} threads fit on a large GPU ({gpu.name}) at once, "
            f"and the last {last:,} run in a wave of their own."
        )
    return None


def _takes_any_grid(subject: HostSubject, kernels: Sequence[Item]) -> bool:
    """Whether the kernel stands in the file, has a loop and asks how large the grid is."""
    places = {kernel.span.start for kernel in kernels if kernel.path == subject.analysis.facts.path}
    asks = all(b"gridDim" in kernel.identifiers for kernel in kernels if kernel.is_definition)
    found: list[FunctionFacts] = [one for one in subject.analysis.facts.functions if one.start in places]
    return asks and bool(found) and all(any(b.kind is SourceBranchKind.LOOP for b in one.branches) for one in found)


MAX_RESIDENT: Final = 32
WARP: Final = 32
MAX_TAIL: Final = 0.2
"""Of a wave: what Nsight Compute calls a tail."""
