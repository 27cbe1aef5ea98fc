"""What the launch says about registers: bounds and multiples.

Assumes   a grid has fewer than 2^31 - 1024 threads along each axis, so that `blockIdx.x * blockDim.x + threadIdx.x`
          fits an `int` (`docs/limitations.md`).
Source    CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability".
"""

from __future__ import annotations

from functools import lru_cache
from typing import final

from analysis.affine.atoms import RegisterAtom
from analysis.affine.interval import Interval
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS, LaunchKnowledge
from analysis.ir.integers import power_of_two_in
from analysis.ir.operators import SpecialRegister

MAX_GRID_X = (1 << 31) - 1
MAX_GRID_YZ = (1 << 16) - 1
MAX_THREADS_ALONG_AXIS = (1 << 31) - 1 - MAX_BLOCK_THREADS
MAX_BLOCK_Z = 64
MAX_RESIDENT_WARPS = 64

THREAD_INDICES = (SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z)
BLOCK_EXTENTS = (SpecialRegister.BLOCK_DIM_X, SpecialRegister.BLOCK_DIM_Y, SpecialRegister.BLOCK_DIM_Z)
BLOCK_INDICES = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)
GRID_EXTENTS = (SpecialRegister.GRID_DIM_X, SpecialRegister.GRID_DIM_Y, SpecialRegister.GRID_DIM_Z)


@final
class LaunchBounds:
    """Worst over all shapes that the launch may have."""

    def __init__(self, launch: LaunchKnowledge) -> None:
        self.launch = launch
        self.registers: dict[SpecialRegister, Interval] = {}
        self.products: dict[frozenset[SpecialRegister], Interval] = {}
        """Bounds of `blockIdx * blockDim` and `gridDim * blockDim` along one axis."""
        self.extents = tuple(self._extent(axis) for axis in range(3))
        for axis, extent in enumerate(self.extents):
            self._bound_axis(axis, extent)
        warp = launch.warp_size
        self.registers[SpecialRegister.LANE] = Interval(0, warp - 1)
        self.registers[SpecialRegister.WARP_SIZE] = Interval(warp, warp)
        self.registers[SpecialRegister.WARP_INDEX] = Interval(0, max(MAX_RESIDENT_WARPS, MAX_BLOCK_THREADS // warp) - 1)

    def _extent(self, axis: int) -> Interval:
        shapes = self.launch.shapes
        if shapes:
            sizes = [(shape.x, shape.y, shape.z)[axis] for shape in shapes]
            return Interval(min(sizes), max(sizes))
        if axis and self.launch.one_dimensional:
            return Interval(1, 1)
        return Interval(1, MAX_BLOCK_Z if axis == 2 else MAX_BLOCK_THREADS)

    def _bound_axis(self, axis: int, extent: Interval) -> None:
        most = min(MAX_GRID_YZ if axis else MAX_GRID_X, MAX_THREADS_ALONG_AXIS // extent.low)
        index, size = BLOCK_INDICES[axis], GRID_EXTENTS[axis]
        self.registers[THREAD_INDICES[axis]] = Interval(0, extent.high - 1)
        self.registers[BLOCK_EXTENTS[axis]] = extent
        self.registers[index] = Interval(0, most - 1)
        self.registers[size] = Interval(1, most)
        whole = min(MAX_THREADS_ALONG_AXIS, most * extent.high)
        self.products[frozenset((size, BLOCK_EXTENTS[axis]))] = Interval(extent.low, whole)
        self.products[frozenset((index, BLOCK_EXTENTS[axis]))] = Interval(0, whole - extent.low)

    def product(self, left: SpecialRegister, right: SpecialRegister) -> Interval | None:
        return self.products.get(frozenset((left, right)))

    def constant(self, register: SpecialRegister) -> int | None:
        """The value of a register that is the same in every launch that is known."""
        found = self.registers.get(register)
        return found.low if found is not None and found.low == found.high else None

    def alignment(self, atom: RegisterAtom) -> int:
        """The largest power of two that divides the register in every known launch."""
        register = atom.register
        if register is SpecialRegister.WARP_SIZE:
            return power_of_two_in(self.launch.warp_size)
        if register not in BLOCK_EXTENTS or not self.launch.shapes:
            return 1
        axis = BLOCK_EXTENTS.index(register)
        return min(power_of_two_in((shape.x, shape.y, shape.z)[axis]) for shape in self.launch.shapes)


@lru_cache(maxsize=256)
def launch_bounds(launch: LaunchKnowledge) -> LaunchBounds:
    """The bounds, made once per launch: many functions share one."""
    return LaunchBounds(launch)
