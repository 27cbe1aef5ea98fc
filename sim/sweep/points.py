"""From the axes of a sweep to its units, in an order in which those that share an analysis stand together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from sim.sweep.model import Form, LaunchPoint, SweptKernel, Unit


@final
@record
class Axes:
    """Values of each axis, at least one; None leaves it to the file.  `arguments` by name, each with its values."""

    grids: tuple[Index3 | None, ...] = (None,)
    blocks: tuple[Index3 | None, ...] = (None,)
    arguments: tuple[tuple[str, tuple[str, ...]], ...] = ()
    shared_bytes: tuple[int | None, ...] = (None,)
    seeds: tuple[int, ...] = (1,)
    policies: tuple[str, ...] = ("ipdom",)
    warp_sizes: tuple[int, ...] = ()
    """Empty: that of each kernel."""
    forms: tuple[Form, ...] = (Form.AS_WRITTEN,)

    @property
    def launches(self) -> int:
        """Of one kernel with one size of warps."""
        count = len(self.grids) * len(self.blocks) * len(self.shared_bytes) * len(self.seeds)
        for _, values in self.arguments:
            count *= len(values)
        return count


def launch_points(axes: Axes) -> Iterator[LaunchPoint]:
    """Seeds change fastest: launches of one size follow each other."""
    names = [name for name, _ in axes.arguments]
    texts = product(*(values for _, values in axes.arguments))
    for grid, block, shared, given, seed in product(axes.grids, axes.blocks, axes.shared_bytes, texts, axes.seeds):
        yield LaunchPoint(grid, block, tuple(zip(names, given, strict=True)), shared, seed)


def units_of(axes: Axes, kernels: Sequence[tuple[SweptKernel, int]]) -> Iterator[Unit]:
    """All of a sweep; `kernels` with the size of warps that each has where the axes name none."""
    for kernel, own in kernels:
        for warp_size in axes.warp_sizes or (own,):
            for launch in launch_points(axes):
                yield Unit(kernel, warp_size, launch, axes.forms, axes.policies)
