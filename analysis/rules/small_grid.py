"""CAL708: a launch whose blocks leave most of a large GPU idle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import ClassVar, Final, final

from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts, Location
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Constant, Convert, Math, Phi, ReadSpecial, Terminator
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME
from analysis.launches import Shape
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.rules.side_text import declared_at
from analysis.sides.device_limits import Gpu, large_gpu
from analysis.syntax.environment import Language
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class SmallGrid:
    """## What it does

    Hints at a launch of a kernel that takes any number of blocks (a loop goes on by `gridDim`) with fewer than a
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

    Silent are grids of one block, which are meant to be that, kernels whose grid is the size of the work, and loops
    whose bound is a constant that the grid covers. The work
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
            threads = prod((*launch.grid, *launch.block))
            if text is not None and _takes_any_grid(subject, one.kernels, threads):
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


def _takes_any_grid(subject: HostSubject, kernels: Sequence[Item], threads: int) -> bool:
    """Whether the kernel stands in the file, and more blocks would leave each thread fewer rounds of a loop."""
    places = {kernel.span.start for kernel in kernels if kernel.path == subject.analysis.facts.path}
    asks = all(b"gridDim" in kernel.identifiers for kernel in kernels if kernel.is_definition)
    found: list[FunctionFacts] = [one for one in subject.analysis.facts.functions if one.start in places]
    if not asks or not found:
        return False
    views = [[view for view in subject.analysis.views(one) if view.frame == OWN_FRAME] for one in found]
    return all(any(_has_strided_loop(view, threads) for view in of_one) for of_one in views)


def _has_strided_loop(view: FrameView, threads: int) -> bool:
    """Whether a loop goes on by the size of the grid, to a number that is not known or beyond all threads."""
    control, function = view.root.control, view.root.function
    for cycle in control.cycles:
        limits = [_limit(view, function.blocks[block].terminator) for block in control.exit_branches(cycle)]
        if limits and all(limit is not None and limit <= threads for limit in limits):
            continue
        for phi in function.blocks[cycle.header].phis:
            if any(_adds_grid(view, phi, value) for block, value in phi.incoming if block in cycle.blocks):
                return True
    return False


def _limit(view: FrameView, terminator: Terminator) -> int | None:
    """The constant that a counter is compared with."""
    definition = view.root.divergence.definition
    condition = definition(terminator.operands[0]) if isinstance(terminator, Branch) else None
    if not isinstance(condition, Compare):
        return None
    for operand in condition.operands:
        item = definition(operand)
        while isinstance(item, Convert):
            item = definition(item.operand)
        if isinstance(item, Constant) and isinstance(item.value, int):
            return item.value
    return None


def _adds_grid(view: FrameView, phi: Phi, value: ValueId) -> bool:
    """Whether the next round's number is that of this one and a multiple of the grid."""
    seen, waiting, asks, goes_on = {value}, [value], False, False
    while waiting and len(seen) <= MAX_LOOKS:
        current = waiting.pop()
        if current == phi.result:
            goes_on = True
            continue
        item = view.root.divergence.definition(current)
        asks = asks or (isinstance(item, ReadSpecial) and item.register in _OF_GRID)
        new = [one for one in item.operands if one not in seen] if isinstance(item, _ARITHMETIC) else []
        seen.update(new)
        waiting.extend(new)
    return asks and goes_on


MAX_LOOKS: Final = 20
_ARITHMETIC: Final = (Binary, Convert, Math)
_OF_GRID: Final = frozenset({SpecialRegister.GRID_DIM_X, SpecialRegister.GRID_DIM_Y, SpecialRegister.GRID_DIM_Z})
MAX_RESIDENT: Final = 32
WARP: Final = 32
MAX_TAIL: Final = 0.2
"""Of a wave: what Nsight Compute calls a tail."""
