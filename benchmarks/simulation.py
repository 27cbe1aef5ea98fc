"""`python -m benchmarks.simulation`: how long the simulator takes for six kernels, and from a cold start.

Kernels   a FIR filter of 64 taps, a bitonic sort of 256 keys per block, the Mandelbrot set with 256 iterations; three
          whose lanes walk apart: the queens of a board of 11 rows by depth-first search, tiles of the table of two
          sequences' alignment (32 threads per block), a histogram in shared memory.  Each on 64 blocks of 256 threads
          under the mask stack, with the counters that are always kept.
Times     processor seconds, the best of several runs; `first` includes reading the kernel and generating its code.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from analysis.lower.program import Program
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit
from benchmarks.table import Row, print_table
from sim.kernel import Kernel, load_kernel
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Argument, Array, LaunchSpecification, Scalar

KERNELS: Final = Path(__file__).parent / "kernels"
BLOCKS, BLOCK, TAPS = 64, 256, 64
THREADS: Final = BLOCKS * BLOCK
REPEATS: Final = 5
WARM_MS, COLD_MS = 150.0, 600.0
TILE: Final = 32
TOGETHER, APART = ("fir", "bitonic", "mandelbrot"), ("queens", "needle", "histogram")
APART_RATE: Final = 1.0
"""Million warp instructions per second of kernels whose lanes walk apart."""


def arguments(name: str) -> Mapping[str, Argument]:
    """The same for every run."""
    random = np.random.default_rng(1)
    match name:
        case "fir":
            samples = random.random(THREADS + TAPS - 1, dtype=np.float32)
            weights = random.random(TAPS, dtype=np.float32)
            return {
                "x": Array(samples),
                "h": Array(weights),
                "y": Array(np.zeros(THREADS, np.float32)),
                "taps": Scalar(TAPS),
            }
        case "bitonic":
            return {"values": Array(random.integers(0, 1 << 32, THREADS, np.uint32))}
        case "queens":
            return {"ways": Array(np.zeros(THREADS, np.int32)), "n": Scalar(11), "first_rows": Scalar(4)}
        case "needle":
            columns = BLOCKS * TILE + 1
            return {
                "table": Array(np.zeros(columns * columns, np.int32)),
                "match": Array(random.integers(-5, 10, columns * columns, np.int32)),
                "columns": Scalar(columns),
                "diagonal": Scalar(BLOCKS - 1),
                "gap": Scalar(10),
            }
        case "histogram":
            octets = random.integers(0, 256, THREADS * 16, np.uint8)
            return {"bytes": Array(octets), "counts": Array(np.zeros(256, np.uint32)), "per_thread": Scalar(16)}
        case _:
            sizes = {"width": Scalar(128), "height": Scalar(128), "limit": Scalar(256)}
            return {"iterations": Array(np.zeros(THREADS, np.int32)), **sizes}


def kernel(name: str) -> Kernel:
    text = (KERNELS / f"{name}.cu").read_bytes()
    unit = TranslationUnit.build(f"{name}.cu", Document.open(text), DictLoader(), Environment())
    program = Program(unit)
    (wanted,) = program.device_functions()
    return load_kernel(program, wanted.id)


def measure(name: str) -> list[Row]:
    block = TILE if name == "needle" else BLOCK
    launch = LaunchSpecification((BLOCKS, 1, 1), (block, 1, 1), arguments(name))
    start = time.process_time()
    loaded = kernel(name)
    result = simulate(loaded, launch, Ipdom)
    first = time.process_time() - start
    assert not result.faults
    assert result.truncated is None
    warm: list[float] = []
    for _ in range(REPEATS):
        start = time.process_time()
        simulate(loaded, launch, Ipdom)
        warm.append(time.process_time() - start)
    rate = result.warp_instructions / min(warm) / 1e6
    bars = (WARM_MS, None) if name in TOGETHER else (None, APART_RATE)
    return [
        Row(f"{name}: first run", first * 1e3, "ms"),
        Row(f"{name}: warm", min(warm) * 1e3, "ms", bars[0]),
        Row(f"{name}: million warp instructions per second", rate, "", bars[1], "higher"),
    ]


def cold_start() -> list[Row]:
    """A new process that simulates the FIR filter, interpreter and imports included."""
    program = "from benchmarks.simulation import measure_cold; measure_cold()"
    times = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        for _ in range(REPEATS)
    ]
    return [Row("cold process, FIR filter", min(times) * 1e3, "ms", COLD_MS)]


def measure_cold() -> None:
    """Prints the processor time of this process after one run."""
    simulate(kernel("fir"), LaunchSpecification((BLOCKS, 1, 1), (BLOCK, 1, 1), arguments("fir")), Ipdom)
    print(time.process_time())


def measure_all() -> list[Row]:
    return [*(row for name in TOGETHER + APART for row in measure(name)), *cold_start()]


def main() -> None:
    print_table(measure_all())


if __name__ == "__main__":
    main()
