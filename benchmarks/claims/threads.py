"""Who the resident lanes are: their numbers, groups, indices, and the registers that their blocks share."""

from __future__ import annotations

from typing import assert_never, final

import numpy as np

from analysis.affine.atoms import Axis
from analysis.divergence.levels import Level
from analysis.ir.operators import SpecialRegister
from benchmarks.claims.agreement import Words
from sim.arrays import Lanes, Rows, lanes_of
from sim.events import Wave
from sim.specification import LaunchSpecification


@final
class Threads:
    """Of one wave; all answers are (rows, lanes) or (rows, 1)."""

    def __init__(self, launch: LaunchSpecification, wave: Wave) -> None:
        self._launch = launch
        size, per_block = launch.warp_size, launch.threads_per_block
        rows = np.arange(len(wave.live))
        self._block = wave.blocks[rows // wave.warps_per_block].astype(np.uint64)[:, None]
        inside = (rows % wave.warps_per_block)[:, None] * size + np.arange(size)
        self._inside = inside.astype(np.uint64)
        self._number = self._block * np.uint64(per_block) + self._inside
        self._warp = (
            self._block * np.uint64(wave.warps_per_block) + (rows % wave.warps_per_block).astype(np.uint64)[:, None]
        )
        self.exists: Lanes = lanes_of(wave.live, size)

    def numbers(self, rows: Rows) -> Words:
        """Linear numbers in the grid."""
        return self._number[rows]

    def warps(self, rows: Rows) -> Words:
        """Linear numbers of the warps in the grid."""
        return self._warp[rows]

    def blocks(self, rows: Rows) -> Words:
        return self._block[rows]

    def thread_rows(self, rows: Rows) -> Words:
        """Which row of threads of its block each lane lies in."""
        return self._inside[rows] // np.uint64(self._launch.block[0])

    def groups(self, level: Level, rows: Rows) -> Words:
        """One number for each group of that level."""
        match level:
            case Level.GRID:
                return np.zeros((len(rows), 1), np.uint64)
            case Level.BLOCK:
                return self._block[rows]
            case Level.WARP:
                return self._warp[rows]
            case Level.VARYING:
                return self._number[rows]
            case _:
                assert_never(level)

    def group_sizes(self, level: Level, rows: Rows) -> Words:
        """(rows,): how many threads each row's group has."""
        match level:
            case Level.GRID:
                return np.full(len(rows), self._launch.threads_per_block * self._launch.blocks, np.uint64)
            case Level.BLOCK:
                return np.full(len(rows), self._launch.threads_per_block, np.uint64)
            case Level.WARP:
                return np.count_nonzero(self.exists[rows], axis=1).astype(np.uint64)
            case Level.VARYING:
                return np.ones(len(rows), np.uint64)
            case _:
                assert_never(level)

    def axis(self, axis: Axis, rows: Rows) -> Words:
        inside = self._inside[rows]
        x, y, _ = map(np.uint64, self._launch.block)
        match axis:
            case Axis.THREAD_X:
                return inside % x
            case Axis.THREAD_Y:
                return inside // x % y
            case Axis.THREAD_Z:
                return inside // (x * y)
            case Axis.LANE:
                return inside % np.uint64(self._launch.warp_size)

    def register(self, register: SpecialRegister, rows: Rows) -> Words | None:
        """None for registers that the launch does not decide."""
        launch = self._launch
        block = self._block[rows]
        x, y, _ = map(np.uint64, launch.grid)
        shared = {
            **dict(zip(_BLOCK_DIMENSIONS, launch.block, strict=True)),
            **dict(zip(_GRID_DIMENSIONS, launch.grid, strict=True)),
            SpecialRegister.WARP_SIZE: launch.warp_size,
        }
        if register in shared:
            return np.full((1, 1), shared[register], np.uint64)
        match register:
            case SpecialRegister.BLOCK_X:
                return block % x
            case SpecialRegister.BLOCK_Y:
                return block // x % y
            case SpecialRegister.BLOCK_Z:
                return block // (x * y)
            case SpecialRegister.WARP_INDEX:
                return self._warp[rows] % np.uint64(launch.warps_per_block)
            case _:
                return None


_BLOCK_DIMENSIONS = (SpecialRegister.BLOCK_DIM_X, SpecialRegister.BLOCK_DIM_Y, SpecialRegister.BLOCK_DIM_Z)
_GRID_DIMENSIONS = (SpecialRegister.GRID_DIM_X, SpecialRegister.GRID_DIM_Y, SpecialRegister.GRID_DIM_Z)
