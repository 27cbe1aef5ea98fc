"""The state of the warps that run one function: the resident warps of a wave, or the callers of a real call."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from analysis.ir.index3 import Index3
from sim.arrays import Chooser, Lanes, LaneSets, Rows, Values
from sim.specification import LaunchSpecification

_MOST_SHARED: Final = 4096


@final
class Frame:
    """`registers` holds what lives across segments, written by generated code: a scalar where all threads agree,
    (rows, 1) where those of each warp do, else (rows, lanes).  `shared` are arrays in it, by identity, that others hold
    too.  `patterns` are those of accesses whose addresses are one, by access; before that how often each ran;
    `waves` are those that do not depend on which blocks these are.  `starts` are the places where the objects of each
    row or thread start, by who asks; `places` are the elements that an index in a register meant last, by who asks.

    `wave_rows` are the rows' positions among the resident warps, `warps` their positions in the launch.  `block_slot`
    and `thread_slot` number the resident blocks and the frame's threads: they select among objects of a region.
    `warps_per_block` are the rows of each block; 0 where these are not all there.  `extents` are those of the threads:
    of blocks, and within one those of its shape where it fills its warps.
    `local_bases` are the addresses of the regions of local variables, by symbol.
    """

    __slots__ = (
        "_chosen",
        "_first",
        "block_slot",
        "block_x",
        "block_y",
        "block_z",
        "chooser",
        "extents",
        "live",
        "local_bases",
        "patterns",
        "places",
        "registers",
        "rows",
        "shared",
        "starts",
        "thread_slot",
        "thread_x",
        "thread_y",
        "thread_z",
        "warp_index",
        "warps",
        "warps_per_block",
        "wave_rows",
        "waves",
        "width",
    )

    def __init__(self, launch: LaunchSpecification, warps: Rows) -> None:
        """The threads of these warps; memory and registers are added by who runs them."""
        width, per_block = launch.warp_size, launch.warps_per_block
        self.rows = len(warps)
        self.width = width
        self.warps_per_block = per_block
        blocks, is_filled = len(warps) // per_block, launch.threads_per_block == per_block * width
        self.extents = (blocks, *reversed(launch.block)) if is_filled else (blocks, per_block * width)
        self._turn_to(launch, warps)
        self.wave_rows: Rows = np.arange(len(warps))
        linear = np.arange(per_block * width).reshape(per_block, width)
        x, y, _ = launch.block

        def of_warps(values: Values) -> Values:
            """What holds for the warps of one block, for all of these."""
            return np.broadcast_to(values, (blocks, per_block, width)).reshape(self.rows, width)

        self.thread_x: Values = of_warps((linear % x).astype(np.uint32))
        self.thread_y: Values = of_warps((linear // x % y).astype(np.uint32))
        self.thread_z: Values = of_warps((linear // (x * y)).astype(np.uint32))
        self.warp_index: Values = (warps % per_block).astype(np.uint32)[:, None]
        self.live: Lanes = of_warps(linear < launch.threads_per_block)
        self.block_slot: Values = self.wave_rows[:, None] // per_block
        self.thread_slot: Values = np.arange(len(warps) * width).reshape(len(warps), width)
        self.starts: dict[Any, Values] = {}
        self._first: Frame | None = None
        self.local_bases: dict[int, int] = {}
        self._begin()

    def _turn_to(self, launch: LaunchSpecification, warps: Rows) -> None:
        self.warps = warps
        block = (warps // launch.warps_per_block)[:, None]
        across, down, _ = launch.grid
        self.block_x: Values = (block % across).astype(np.uint32)
        self.block_y: Values = (block // across % down).astype(np.uint32)
        self.block_z: Values = (block // (across * down)).astype(np.uint32)

    def _begin(self) -> None:
        """No registers yet, and nothing known of what they hold."""
        self.registers: list[Values] = []
        self.shared: set[int] = set()
        self.patterns: dict[Any, Any] = {}
        self.waves: dict[Any, Any] = {}
        self.places: dict[Any, tuple[Values, Values]] = {}
        self.chooser = Chooser()
        self._chosen: tuple[Rows, slice | None] | None = None

    def of_blocks(self, launch: LaunchSpecification, warps: Rows) -> Frame:
        """The frame for as many other blocks: their threads have the same places within a block."""
        following = self._copy()
        following._turn_to(launch, warps)
        following._begin()
        return following

    def _copy(self) -> Frame:
        copied = object.__new__(Frame)
        for name in Frame.__slots__:
            setattr(copied, name, getattr(self, name))
        return copied

    def first_block(self) -> Frame:
        """The threads of the first block alone, which is whole."""
        if self._first is None:
            self._first = self.part(np.arange(self.warps_per_block))
        return self._first

    def warps_of(self, rows: Rows) -> slice | None:
        """Which warps of each block these rows are, where they are the same ones of all blocks, evenly apart."""
        if self._chosen is None or self._chosen[0] is not rows:
            self._chosen = rows, self._find_warps(rows)
        return self._chosen[1]

    def _find_warps(self, rows: Rows) -> slice | None:
        blocks = self.extents[0]
        if not self.warps_per_block or len(rows) % blocks:
            return None
        table = rows.reshape(blocks, -1)
        first, last = int(table[0, 0]), int(table[0, -1])
        step = int(table[0, 1]) - first if table.shape[1] > 1 else 1
        warps = slice(first, last + 1, step)
        same = np.arange(0, self.rows, self.warps_per_block)[:, None] + np.arange(first, last + 1, step)
        is_same = (
            last < self.warps_per_block and same.shape == table.shape and np.count_nonzero(same == table) == len(rows)
        )
        return warps if is_same else None

    def part(self, rows: Rows) -> Frame:
        """A frame for a call from these rows: the same threads, no registers yet."""
        called = self._copy()
        for name in Frame.__slots__:
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                setattr(called, name, value[rows])
        called.rows = len(rows)
        called.thread_slot = np.arange(called.thread_slot.size).reshape(called.thread_slot.shape)
        called.warps_per_block, called.extents = 0, (called.rows, called.width)
        called.starts, called._first = {}, None
        called._begin()
        return called

    def share(self, array: Values) -> None:
        """Nobody may write to this array in place any more."""
        if len(self.shared) > _MOST_SHARED:
            self.registers[:] = [register.copy() for register in self.registers]
            self.shared.clear()
        self.shared.add(id(array))
        if array.base is not None:
            self.shared.add(id(array.base))


def thread_of(launch: LaunchSpecification, warp: int, lane: int) -> tuple[Index3, Index3]:
    """Block and thread index of a lane of the launch's `warp`-th warp."""
    block, inside = divmod(warp, launch.warps_per_block)
    linear = inside * launch.warp_size + lane
    x, y, _ = launch.block
    across, down, _ = launch.grid
    return (
        (block % across, block // across % down, block // (across * down)),
        (linear % x, linear // x % y, linear // (x * y)),
    )


def first_lane(sets: LaneSets) -> tuple[int, int]:
    """Row and lane of the first member."""
    row = int(np.flatnonzero(sets)[0])
    bits = int(sets[row])
    return row, (bits & -bits).bit_length() - 1
