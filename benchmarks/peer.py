"""`python -m benchmarks.peer [--blocks N] [--native-blocks N]`: this simulator against others who run the same kernels.

All run the same launch on the same inputs, in turns in one process, and must leave the same bits in memory.
Numba     numba.cuda under NUMBA_ENABLE_CUDASIM=1: the simulator that programmers without a GPU have today.  It runs
          every thread as a Python thread, so launches are small: 16 blocks of 256 threads unless given.  What this
          simulator gains by doing many warps at once is smaller there.
Native    the kernels as C++ for one core, compiled with g++: what they cost without a simulator, which also checks each
          access and counts each instruction.  Launches are larger, 1,024 blocks unless given.
Times     processor seconds of a warm run, the best of several; Numba's from one run where that takes seconds
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from benchmarks import peer_native
from benchmarks.simulation import kernel
from benchmarks.table import Row, print_table, write_json
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Array, LaunchSpecification, Scalar

EACH_BAR, MEAN_BAR, NATIVE_BAR = 30.0, 100.0, 10.0
BLOCKS: Final = 16
NATIVE_BLOCKS: Final = 1024
INSTALL: Final = "the peer is not installed: pip install 'simt-lsp[bench]' adds Numba's CUDA simulator to the table"
NO_COMPILER: Final = "no g++ here: with one the table compares with native code"
REPEATS: Final = 5
ENOUGH_SECONDS: Final = 2.0
"""Numba runs again until it took so long altogether."""


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """One launch; `arguments` in the order of the parameters, arrays are copied for each run."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: Mapping[str, NDArray[Any] | int]


def comparisons(blocks: int) -> tuple[Comparison, ...]:
    """Each of `blocks` blocks of 256 threads; the matrices of the nearest square number of blocks."""
    random = np.random.default_rng(1)
    threads, side = blocks * 256, max(1, round(math.sqrt(blocks)))
    line, square = (blocks, 1, 1), (side, side, 1)
    block, tile = (256, 1, 1), (16, 16, 1)
    size, per_thread = side * 16, 8

    def reals(count: int) -> NDArray[np.float32]:
        return random.random(count, dtype=np.float32)

    def zeros(count: int, kind: type[Any]) -> NDArray[Any]:
        return np.zeros(count, kind)

    sorted_keys = random.integers(0, 1 << 32, threads, np.uint32)
    octets = random.integers(0, 256, threads * per_thread, np.uint8)
    picture = {"width": 128, "height": threads // 128, "limit": 256}
    matrices = {"a": reals(size * size), "b": reals(size * size), "c": zeros(size * size, np.float32), "n": size}
    return (
        Comparison(
            "fir", line, block, {"x": reals(threads + 63), "h": reals(64), "y": zeros(threads, np.float32), "taps": 64}
        ),
        Comparison("bitonic", line, block, {"values": sorted_keys}),
        Comparison("mandelbrot", line, block, {"iterations": zeros(threads, np.int32), **picture}),
        Comparison("reduction", line, block, {"x": reals(threads), "sums": zeros(blocks, np.float32)}),
        Comparison("matmul", square, tile, matrices),
        Comparison(
            "histogram", line, block, {"bytes": octets, "counts": zeros(256, np.uint32), "per_thread": per_thread}
        ),
    )


def is_installed() -> bool:
    return importlib.util.find_spec("numba") is not None


def missing() -> list[str]:
    """What to say about those who are not here."""
    return [*(() if is_installed() else (INSTALL,)), *(() if peer_native.compiler() else (NO_COMPILER,))]


def measure(blocks: int = BLOCKS, native_blocks: int = NATIVE_BLOCKS) -> list[Row]:
    """Ratios of processor time; no rows for who is not installed."""
    return [
        *(measure_numba(blocks) if is_installed() else ()),
        *(measure_native(native_blocks) if peer_native.compiler() else ()),
    ]


def measure_native(blocks: int) -> list[Row]:
    with TemporaryDirectory() as folder:
        scalar = peer_native.build(Path(folder), peer_native.SCALAR)
        optimized = peer_native.build(Path(folder), peer_native.OPTIMIZED)
        rows: list[Row] = []
        for one in comparisons(blocks):
            ours, theirs, vectors = _in_turns(one, scalar(one.name), optimized(one.name))
            name = f"{one.name}, {_blocks(one)}"
            rows += [
                Row(f"{name}: here", ours * 1e3, "ms"),
                Row(f"{name}: scalar code, g++ -O2", theirs * 1e3, "ms"),
                Row(f"{name}: here / scalar code", ours / theirs, "x", NATIVE_BAR),
                Row(f"{name}: here / g++ -O2 with its vector code", ours / vectors, "x"),
            ]
    return rows


def _in_turns(one: Comparison, *natives: Callable[..., None]) -> tuple[float, ...]:
    """Best times, ours first; raises where they disagree about any bit."""
    loaded, launch = kernel(one.name), _launch(one)
    simulate(loaded, launch, Ipdom)
    times: list[list[float]] = [[] for _ in range(1 + len(natives))]
    for _ in range(REPEATS):
        start = time.process_time()
        result = simulate(loaded, launch, Ipdom)
        times[0].append(time.process_time() - start)
        for native, found in zip(natives, times[1:], strict=True):
            copies = [value.copy() if isinstance(value, np.ndarray) else value for value in one.arguments.values()]
            start = time.process_time()
            native(one.grid, one.block, *copies)
            found.append(time.process_time() - start)
            _require_same(one, result.arrays, copies)
    return tuple(map(min, times))


def _launch(one: Comparison) -> LaunchSpecification:
    given = {
        name: Array(value) if isinstance(value, np.ndarray) else Scalar(value) for name, value in one.arguments.items()
    }
    return LaunchSpecification(one.grid, one.block, given)


def _blocks(one: Comparison) -> str:
    return f"{'×'.join(f'{extent:,}' for extent in one.grid if extent > 1) or 1} blocks"


def measure_numba(blocks: int) -> list[Row]:
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    peers = importlib.import_module("benchmarks.peer_kernels")
    rows: list[Row] = []
    ratios: list[float] = []
    for one in comparisons(blocks):
        ours, theirs = _interleaved(one, getattr(peers, one.name))
        ratios.append(theirs / ours)
        name = f"{one.name}, {_blocks(one)}"
        rows += [
            Row(f"{name}: here", ours * 1e3, "ms"),
            Row(f"{name}: Numba", theirs * 1e3, "ms"),
            Row(f"{name}: Numba / here", ratios[-1], "x", EACH_BAR, "higher"),
        ]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return [*rows, Row("geometric mean: Numba / here", mean, "x", MEAN_BAR, "higher")]


def _interleaved(one: Comparison, peer: Any) -> tuple[float, float]:
    """Best times of both; raises where they disagree about any bit."""
    loaded, launch = kernel(one.name), _launch(one)
    simulate(loaded, launch, Ipdom)
    ours: list[float] = []
    theirs: list[float] = []
    while len(ours) < REPEATS:
        start = time.process_time()
        result = simulate(loaded, launch, Ipdom)
        ours.append(time.process_time() - start)
        if sum(theirs) < ENOUGH_SECONDS:
            copies = [value.copy() if isinstance(value, np.ndarray) else value for value in one.arguments.values()]
            start = time.process_time()
            peer[one.grid, one.block](*copies)
            theirs.append(time.process_time() - start)
            _require_same(one, result.arrays, copies)
    return min(ours), min(theirs)


def _require_same(one: Comparison, arrays: Mapping[str, NDArray[Any]], copies: list[Any]) -> None:
    for name, copy in zip(one.arguments, copies, strict=True):
        if isinstance(copy, np.ndarray) and copy.tobytes() != arrays[name].tobytes():
            raise AssertionError(f"{one.name}: {name} differs")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peer", description=__doc__)
    parser.add_argument("--blocks", type=int, default=BLOCKS, metavar="N", help=f"of 256 threads each ({BLOCKS})")
    parser.add_argument(
        "--native-blocks", type=int, default=NATIVE_BLOCKS, metavar="N", help=f"beside native code ({NATIVE_BLOCKS:,})"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to this file")
    options = parser.parse_args()
    rows = measure(options.blocks, options.native_blocks)
    print_table(rows)
    for message in missing():
        print(message)
    if options.json is not None:
        write_json(rows, options.json)


if __name__ == "__main__":
    main()
