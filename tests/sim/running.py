"""CUDA text and arrays in, the result of a run out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.ir.index3 import Index3
from analysis.lower.program import LowerSettings, Program
from analysis.pipeline import unit_of_text
from sim.events import Observer
from sim.kernel import Kernel, load_kernel
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Argument, Array, Budget, LaunchSpecification, Scalar

Given = Mapping[str, Argument | NDArray[Any] | int | float | bool]


def kernel_of(text: str, name: str = "k", warp_size: int = 32) -> Kernel:
    """The kernel called `name`, ready to run."""
    unit = unit_of_text(text)
    program = Program(unit, LowerSettings(warp_size))
    (wanted,) = (found for found in program.device_functions() if found.id.startswith(f"{name}("))
    return load_kernel(program, wanted.id)


def run(
    text: str,
    arguments: Given,
    *,
    grid: int | Index3 = 1,
    block: int | Index3 = 32,
    name: str = "k",
    variables: Given | None = None,
    shared: int = 0,
    seed: int = 0,
    warp_size: int = 32,
    havoc: bool = False,
    budget: Budget | None = None,
    policy: PolicyFactory = Ipdom,
    observers: Sequence[Observer] = (),
) -> Result:
    """Simulates the kernel called `name`; arrays and numbers may stand for themselves as arguments."""
    launch = LaunchSpecification(
        grid=(grid, 1, 1) if isinstance(grid, int) else grid,
        block=(block, 1, 1) if isinstance(block, int) else block,
        arguments={key: argument(value) for key, value in arguments.items()},
        variables={key: argument(value) for key, value in (variables or {}).items()},
        dynamic_shared_bytes=shared,
        seed=seed,
        warp_size=warp_size,
        havoc=havoc,
        budget=budget or Budget(seconds=60.0),
    )
    return simulate(kernel_of(text, name, warp_size), launch, policy, observers)


def argument(value: Argument | NDArray[Any] | int | float | bool) -> Argument:
    if isinstance(value, np.ndarray):
        return Array(value)
    if isinstance(value, bool | int | float):
        return Scalar(value)
    return value
