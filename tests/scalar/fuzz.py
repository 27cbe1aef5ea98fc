"""`python -m tests.scalar.fuzz 5000 [first seed]`: referees many random kernels, prints the first that refutes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.printer import print_function
from analysis.scalar.listing import listing
from analysis.scalar.machine import Execution
from analysis.scalar.scalarize import Scalarization, scalarize
from tests.scalar.programs import memory_kernel
from tests.scalar.referee import refute
from tests.support.evaluator import Grid, run

STEPS = 60
ROWS = ((4, 1, 1), (8, 1, 1), (5, 1, 1), (4, 2, 1), (8, 2, 1))
"""Rows of a multiple of four threads, or one row: what is assumed where no shape is known."""
SHAPES = (*ROWS, (2, 2, 1), (3, 2, 1), (2, 2, 2), (2, 4, 1), (1, 4, 1))


def referee(function: Function, random: Random) -> Iterator[str]:
    """The claims about one kernel that some launch contradicts."""
    is_known = bool(random.randrange(2))
    shape = random.choice(SHAPES if is_known else ROWS)
    warp = random.choice((2, 4, 4))
    known = LaunchKnowledge((BlockShape(*shape),) if is_known else (), warp_size=warp)
    result = scalarize(function, ControlFlow.of(function), known, exit_optimization=random.randrange(3) == 0)
    number, pointer = (parameter.value for parameter in function.parameters)
    for argument in (0, 3):
        grid = Grid(shape, 2, warp)
        arguments = {number: argument, pointer: ("x", 0)}
        traces = run(function, grid, arguments, STEPS)
        for claim in refute(result, grid, traces, arguments, STEPS):
            yield f"{claim}; n = {argument}, {grid}, {known}\n{text(result)}"


def text(result: Scalarization) -> str:
    return "\n".join([*listing(result.conventional), "", *listing(result.scalarized)])


def check_seed(seed: int) -> None:
    random = Random(seed)
    function = memory_kernel(random, structured=seed % 3 != 2)
    wrong = next(referee(function, random), None)
    if wrong is not None:
        raise AssertionError(f"seed {seed}: {wrong}\n{print_function(function)}")


def executions(count: int, first: int) -> Counter[Execution]:
    """How the instructions of random kernels execute: the referee must have something to look at."""
    found: Counter[Execution] = Counter()
    for seed in range(first, first + count):
        function = memory_kernel(Random(seed), structured=seed % 3 != 2)
        result = scalarize(function, ControlFlow.of(function), LaunchKnowledge(warp_size=4))
        found.update(result.whole.scalarized.instructions)
    return found


def main(count: int, first: int) -> None:
    for seed in range(first, first + count):
        check_seed(seed)
    print(f"{count} kernels from seed {first}: nothing refuted; {dict(executions(min(count, 200), first))}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
