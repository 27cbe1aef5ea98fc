"""`python -m tests.affine.fuzz 5000 [first seed]`: referees many random kernels, prints the first that refutes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

from analysis.affine.analysis import analyze_affine
from analysis.affine.facts import AffineFacts
from analysis.affine.forms import FormPass
from analysis.affine.result import AffineResult
from analysis.affine.uniformity import Uniformity
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.printer import print_function
from tests.affine.programs import index_kernel
from tests.affine.referee import refute
from tests.support.evaluator import Grid, run
from tests.support.programs import random_kernel
from tests.support.referee import refute as refute_levels

STEPS = 40
SHAPES = ((4, 1, 1), (8, 1, 1), (6, 1, 1), (5, 1, 1), (2, 2, 1), (4, 2, 1), (3, 2, 1), (2, 2, 2), (2, 4, 1))
OTHERS = ((8, 1, 1), (4, 1, 1), (4, 2, 1), (2, 2, 1))
ARGUMENTS = (0, 1, 3, 5, -2, 2**31 - 1, -(2**31))


def referee(function: Function, random: Random) -> Iterator[str]:
    """The claims about one kernel that some launch contradicts."""
    shape = random.choice(SHAPES)
    warp = random.choice((2, 4, 4))
    grid = Grid(shape, 1 + random.randrange(2), warp)
    known = random.choice(
        (
            LaunchKnowledge(warp_size=warp),
            LaunchKnowledge((BlockShape(*shape),), warp_size=warp),
            LaunchKnowledge((BlockShape(*shape),), warp_size=warp),
            LaunchKnowledge((BlockShape(*shape), BlockShape(*random.choice(OTHERS))), warp_size=warp),
            LaunchKnowledge(one_dimensional=shape[1] == 1, warp_size=warp),
        )
    )
    control = ControlFlow.of(function)
    divergence = analyze_divergence(function, control, known, DivergenceOptions())
    result = analyze_affine(function, control, divergence)
    informed = analyze_divergence(function, control, known, DivergenceOptions(), result.warp_levels())
    yield from _found_otherwise(function, control, result, informed)
    number, pointer = (parameter.value for parameter in function.parameters)
    for argument in random.sample(ARGUMENTS, 1 + random.randrange(2)):
        traces = run(function, grid, {number: argument, pointer: ("x", 0)}, STEPS, keep_states=True)
        for claim in refute(result, function, grid, traces):
            yield f"{claim}; n = {argument}, {grid}, {known}"
        for claim in refute_levels(informed, grid, traces):
            yield f"{claim}, once it knows {result.warp_levels()}; n = {argument}, {grid}, {known}"


def _found_otherwise(
    function: Function, control: ControlFlow, first: AffineResult, informed: DivergenceResult
) -> Iterator[str]:
    """What is found again because of levels is what is found from the beginning."""
    facts, whole = (
        AffineFacts(function, informed, first.bounds, first.ranges, Uniformity(function, control, informed))
        for _ in range(2)
    )
    if not FormPass(facts, control).go_on_from(first.facts):
        return
    FormPass(whole, control).run()
    for value, (one, other) in enumerate(zip(facts.forms, whole.forms, strict=True)):
        if one != other or facts.proven[value] != whole.proven[value]:
            yield f"%{value} is {one} or {other}, once it knows {first.warp_levels()}"


def kernel(seed: int) -> tuple[Function, Random]:
    random = Random(seed)
    draw = random_kernel if seed % 5 == 4 else index_kernel
    return draw(random, structured=seed % 3 != 2), random


def check_seed(seed: int) -> None:
    function, random = kernel(seed)
    wrong = next(referee(function, random), None)
    if wrong is not None:
        raise AssertionError(f"seed {seed}: {wrong}\n{print_function(function)}")


def main(count: int, first: int) -> None:
    for seed in range(first, first + count):
        check_seed(seed)
    print(f"{count} kernels from seed {first}: nothing refuted")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
