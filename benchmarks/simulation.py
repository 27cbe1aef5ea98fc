"""`python -m benchmarks.simulation`: how long the simulator takes for three kernels, and from a cold start.

Kernels   a FIR filter of 64 taps, a bitonic sort of 256 keys per block, the Mandelbrot set with 256 iterations; each on
          64 blocks of 256 threads under the mask stack, with the counters that are always kept.
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
    launch = LaunchSpecification((BLOCKS, 1, 1), (BLOCK, 1, 1), arguments(name))
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
    return [
        Row(f"{name}: first run", first * 1e3, "ms"),
        Row(f"{name}: warm", min(warm) * 1e3, "ms", WARM_MS),
        Row(f"{name}: million warp instructions per second", rate, ""),
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
    return [*(row for name in ("fir", "bitonic", "mandelbrot") for row in measure(name)), *cold_start()]


def main() -> None:
    print_table(measure_all())


if __name__ == "__main__":
    main()
