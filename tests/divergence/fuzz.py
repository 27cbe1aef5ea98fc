"""`python -m tests.divergence.fuzz 5000 [first seed]`: referees many random kernels, prints the first that refutes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.printer import print_function
from tests.support.evaluator import Grid, run
from tests.support.programs import random_kernel
from tests.support.referee import refute

STEPS = 80
"""Blocks per thread; a thread that needs more may be in an endless loop."""
OPTIONS = DivergenceOptions()
SHAPES = ((2, 1, 1), (1, 2, 1), (4, 1, 1), (3, 1, 1), (5, 1, 1), (2, 2, 1), (1, 4, 1), (3, 2, 1))


def referee(function: Function, random: Random) -> Iterator[str]:
    """The claims about one kernel that some launch contradicts."""
    shape = random.choice(SHAPES)
    grid = Grid(shape, 2, 2)
    shapes = (BlockShape(*shape),)
    one_dimensional = shape[1] == 1
    known = random.choice(
        (
            LaunchKnowledge(warp_size=2),
            LaunchKnowledge(shapes, warp_size=2),
            LaunchKnowledge(one_dimensional=one_dimensional, warp_size=2),
        )
    )
    result = analyze_divergence(function, ControlFlow.of(function), known, OPTIONS)
    number, pointer = (parameter.value for parameter in function.parameters)
    for argument in (0, 3):
        yield from refute(result, grid, run(function, grid, {number: argument, pointer: ("x", 0)}, STEPS))


def check_seed(seed: int) -> None:
    random = Random(seed)
    function = random_kernel(random, structured=seed % 2 == 0)
    wrong = next(referee(function, random), None)
    if wrong is not None:
        raise AssertionError(f"seed {seed}: {wrong}\n{print_function(function)}")


def main(count: int, first: int) -> None:
    for seed in range(first, first + count):
        check_seed(seed)
    print(f"{count} kernels from seed {first}: nothing refuted")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
