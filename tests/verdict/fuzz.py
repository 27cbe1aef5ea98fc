"""`python -m tests.verdict.fuzz 5000 [first seed]`: referees many random kernels, prints the first that refutes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

from analysis.affine.analysis import analyze_affine
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.printer import print_function
from tests.support.evaluator import Grid, run
from tests.verdict.programs import guarded_kernel
from tests.verdict.referee import refute
from tests.verdict.strided import strided_kernel

STEPS = 60
SHAPES = ((8, 1, 1), (16, 1, 1), (6, 1, 1), (9, 1, 1), (8, 2, 1), (4, 3, 1), (2, 4, 1), (3, 2, 2))
ARGUMENTS = (0, 1, 2, 3, 5, 7, -2, 2**31 - 1)


def referee(function: Function, random: Random) -> Iterator[str]:
    """The claims about one kernel that some launch contradicts."""
    shape, warp = random.choice(SHAPES), random.choice((2, 4))
    grid = Grid(shape, 2, warp)
    exact = (BlockShape(*shape),)
    known = random.choice(
        (
            LaunchKnowledge(warp_size=warp),
            LaunchKnowledge(warp_size=warp),
            LaunchKnowledge(exact, warp_size=warp),
            LaunchKnowledge(one_dimensional=shape[1] == 1, warp_size=warp),
        )
    )
    control = ControlFlow.of(function)
    divergence = analyze_divergence(function, control, known, DivergenceOptions())
    affine = analyze_affine(function, control, divergence)
    levels = affine.warp_levels()
    if levels:
        divergence = analyze_divergence(function, control, known, DivergenceOptions(), levels)
        affine = analyze_affine(function, control, divergence)
    number, pointer = (parameter.value for parameter in function.parameters)
    for argument in random.sample(ARGUMENTS, 2):
        traces = run(function, grid, {number: argument, pointer: ("x", 0)}, STEPS)
        for claim in refute(function, control, divergence, affine, grid, traces):
            yield f"{claim}; n = {argument}, {grid}, {known}"


def check_seed(seed: int) -> None:
    random = Random(seed)
    function = strided_kernel(random) if seed % 4 == 3 else guarded_kernel(random, structured=seed % 3 != 2)
    wrong = next(referee(function, random), None)
    if wrong is not None:
        raise AssertionError(f"seed {seed}: {wrong}\n{print_function(function)}")


def main(count: int, first: int) -> None:
    for seed in range(first, first + count):
        check_seed(seed)
    print(f"{count} kernels from seed {first}: nothing refuted")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
