"""`python -m tests.straightline.fuzz COUNT SEED`: optimises random functions and runs them before and after.

What each thread loads and leaves in memory must be the same, and no function may need more instructions, weighted as
its loops run, for its threads or for its warps.  The first function that fails is printed.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from random import Random
from typing import Final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.printer import print_function
from analysis.ir.verifier import verify
from analysis.straightline.divisions import bypassed
from analysis.straightline.facts import straight_facts
from analysis.straightline.optimise import Optimised, optimise
from analysis.straightline.unroll import unrolled
from tests.straightline.programs import arithmetic_function
from tests.straightline.runs import Seen, seen_of
from tests.support.evaluator import Grid, Scalar

STEPS: Final = 60
SHAPES: Final = ((3, 1, 1), (2, 2, 1))
ARGUMENTS: Final = (0, 1, 5, -1, -2, -3, 70_000)


def check_seed(seed: int) -> Counter[str]:
    """What was checked; raises AssertionError with the function where something is wrong."""
    random = Random(seed)
    function = arithmetic_function(random, structured=seed % 4 != 3)
    shape = random.choice(SHAPES)
    launch = LaunchKnowledge((BlockShape(*shape),) if random.randrange(2) else ())
    flat = unrolled(function)
    facts = straight_facts(flat, launch)
    result = optimise(facts.code(), facts.counter, facts.permissions)
    found = Counter[str](functions=1, unrolled=int(flat is not function))
    found.update({stage.step.value: 1 for stage in result.stages})
    found["instructions before"] = result.before.of_thread
    found["instructions after"] = result.after.of_thread
    try:
        _judge(result)
        after = result.function()
        ways = {"unrolled": flat, "optimised": after, "bypassed": bypassed(after).function}
        for name, other in ways.items():
            assert not verify(other), (name, verify(other))
        grid = Grid(shape, 1 + (random.randrange(4) == 0), 32)
        found["threads compared"] += _compare(function, ways, grid, random.choice(ARGUMENTS))
    except AssertionError as problem:
        stages = "\n".join(
            f"after {stage.step.value}, {stage.counts}:\n{print_function(stage.code.finish())}"
            for stage in result.stages
        )
        raise AssertionError(f"seed {seed}: {problem}\n{print_function(flat)}\n{stages}") from problem
    return found


def _judge(result: Optimised) -> None:
    """Each stage is well formed and no dearer than the one before."""
    counts = result.before
    for stage in result.stages:
        wrong = verify(stage.code.finish())
        assert not wrong, (stage.step, wrong)
        assert stage.counts.of_thread <= counts.of_thread, (stage.step, counts, stage.counts)
        assert stage.counts.of_warp(32) <= counts.of_warp(32), (stage.step, counts, stage.counts)
        counts = stage.counts


def _compare(function: Function, ways: dict[str, Function], grid: Grid, argument: int) -> int:
    """How many threads were compared."""
    before = _run(function, grid, argument, STEPS)
    usable = [index for index, one in enumerate(before) if one.finished and not one.overflowed]
    for name, other in ways.items():
        after = _run(other, grid, argument, 20 * STEPS)
        for index in usable:
            one, two = before[index], after[index]
            assert two.finished, f"{name}: thread {index} does not come to an end; n = {argument}"
            assert one.loads == two.loads, f"{name}: thread {index} loads {two.loads}, not {one.loads}; n = {argument}"
            assert one.memory == two.memory, f"{name}: thread {index}: {two.memory}, not {one.memory}; n = {argument}"
    return len(usable)


def _run(function: Function, grid: Grid, argument: int, steps: int) -> list[Seen]:
    number, read, written = (parameter.value for parameter in function.parameters)
    arguments: dict[ValueId, Scalar] = {number: argument, read: ("x", 0), written: ("y", 0)}
    return seen_of(function, grid, arguments, steps)


def main(count: int, first: int) -> int:
    """How many functions failed."""
    started, found, failed = time.process_time(), Counter[str](), 0
    for seed in range(first, first + count):
        try:
            found += check_seed(seed)
        except AssertionError as problem:
            failed += 1
            if failed < 3:
                print(problem, flush=True)
    for name, number in sorted(found.items()):
        print(f"{name}: {number:,}")
    print(f"{count} functions from seed {first}: {failed} failed, {time.process_time() - started:.1f} s")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
