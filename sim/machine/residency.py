"""Does a launch fit, and how many of its blocks are resident at a time?"""

from __future__ import annotations

from typing import Final

from analysis.ir.function import Function, SymbolKind
from analysis.ir.instructions import GridBarrier
from sim.memory.arena import PAGE, Arena
from sim.refusals import LaunchError
from sim.specification import Array, LaunchSpecification
from sim.values.scalars import NoParts, storage_of

RESIDENT_WARPS: Final = 2048
MAX_THREADS: Final = 1 << 26
"""A run of more would not end; what observers remember of each thread would not fit."""
PRIVATE_BYTES: Final = 256 << 20
"""Shared and local memory of all resident blocks; fewer are resident where they need more."""


def check_launch(launch: LaunchSpecification) -> None:
    """LaunchError where the shapes are impossible."""
    if any(extent < 1 for extent in (*launch.grid, *launch.block)):
        raise LaunchError("every extent of grid and block must be at least 1")
    if launch.threads_per_block > 1024:
        raise LaunchError(f"a block of {launch.threads_per_block:,} threads; the hardware allows 1,024")
    threads = launch.blocks * launch.threads_per_block
    if threads > MAX_THREADS:
        raise LaunchError(f"a launch of {threads:,} threads; at most {MAX_THREADS:,} fit: give a smaller grid")
    if launch.warp_size not in (4, 8, 16, 32, 64):
        raise LaunchError(f"a warp of {launch.warp_size} lanes; 4, 8, 16, 32 and 64 are possible")


def blocks_per_wave(kernel: Function, launch: LaunchSpecification) -> int:
    """All blocks where they wait for each other, else as many as fit."""
    if any(isinstance(one, GridBarrier) for _, one in kernel.instructions()):
        return launch.blocks_to_run
    fitting = PRIVATE_BYTES // _bytes_per_block(kernel, launch)
    return max(1, min(launch.blocks_to_run, RESIDENT_WARPS // launch.warps_per_block, fitting))


def bytes_expected(kernel: Function, launch: LaunchSpecification) -> int:
    """Of given arrays and of the memory of all resident blocks; others may come to it."""
    arrays = sum(Arena.stride_of(one.data.nbytes) + PAGE for one in launch.arguments.values() if isinstance(one, Array))
    return arrays + blocks_per_wave(kernel, launch) * _bytes_per_block(kernel, launch)


def _bytes_per_block(kernel: Function, launch: LaunchSpecification) -> int:
    """Shared memory of a block and local memory of its threads, red zones included."""
    copies = {SymbolKind.SHARED: 1, SymbolKind.LOCAL: launch.warps_per_block * launch.warp_size}
    return 1 + sum(
        Arena.stride_of(symbol_bytes(kernel, number)) * copies.get(symbol.kind, 0)
        for number, symbol in enumerate(kernel.symbols)
    )


def symbol_bytes(function: Function, symbol: int) -> int:
    """Bytes of a variable; 0 where its type is not known, so that any access is out of bounds."""
    try:
        return storage_of(function.symbols[symbol].type, function.structs)[0]
    except NoParts:
        return 0
