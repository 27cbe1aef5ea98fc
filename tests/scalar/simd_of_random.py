"""Random kernels of the simulator's tests as vectors: the memory that they leave, beside the simulator's.

`python -m tests.scalar.simd_of_random COUNT SEED`; all of them have to have a vector form, but those that call
themselves: a call that is not inlined has none.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

import numpy as np

from analysis.scalar.simd.model import NotVectorised
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Array, Scalar
from tests.scalar.simd_machine import run_simd, simd_code
from tests.sim.random.choices import Choices, Seeded
from tests.sim.random.kernels import NAME, RandomKernel, random_kernel
from tests.sim.running import kernel_of


def kernel_of_seed(seed: int) -> RandomKernel:
    source = Seeded(seed)
    return random_kernel(source, has_numbers=Choices(source).chance(2))


def difference(kernel: RandomKernel) -> str | None:
    """What is wrong with the vector form of a kernel; None if nothing is."""
    launch = kernel.launch
    code = simd_code(kernel.text, launch.warp_size)
    if isinstance(code, NotVectorised):
        return None if "recursion" in kernel.features else f"refused: {code.construct}"
    given: dict[str, Any] = {}
    for parameter in code.function.parameters:
        argument = launch.arguments[parameter.name]
        type = str(code.function.type_of(parameter.value))
        if isinstance(argument, Array):
            given[parameter.name] = argument.data
        elif isinstance(argument, Scalar):
            given[parameter.name] = (np.uint32 if "signed=False" in type else np.int32)(argument.value)
    found = run_simd(
        kernel.text,
        given,
        grid=launch.grid,
        block=launch.block,
        shared=launch.dynamic_shared_bytes,
        warp_size=launch.warp_size,
    )
    simulated = simulate(kernel_of(kernel.text, NAME, launch.warp_size), launch, Ipdom, [])
    if simulated.faults:
        return None
    names = [name for name, array in found.items() if not np.array_equal(*_bytes(array, simulated.arrays[name]))]
    return f"other contents of {', '.join(names)}" if names else None


def _bytes(one: Any, other: Any) -> tuple[Any, Any]:
    return one.reshape(-1).view(np.uint8), np.ascontiguousarray(other).reshape(-1).view(np.uint8)


def main(count: int, first: int) -> int:
    started, wrong, features = time.process_time(), 0, Counter[str]()
    for seed in range(first, first + count):
        kernel = kernel_of_seed(seed)
        features.update(kernel.features)
        problem = difference(kernel)
        if problem is not None:
            wrong += 1
            print(f"seed {seed}: {problem}\n{kernel.text if wrong < 3 else ''}", flush=True)
    print("features: " + ", ".join(f"{name} {number}" for name, number in sorted(features.items())))
    print(f"{count} kernels, {wrong} wrong, {time.process_time() - started:.1f} s")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
