"""Random kernels whose blocks use the same arrays of global memory, and the simulator as referee of what is proven.

`python -m tests.races.blocks COUNT SEED` tries many, prints how many races there are and how many of them are found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import numpy as np

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.races.blocks import find_block_races
from analysis.races.model import RaceWitness
from benchmarks.claims.subject import analyze_subject
from sim.faults import RaceScope
from sim.observers.races import RaceObserver
from tests.races.oracle import Lines
from tests.races.referee import memory_of, names, race_lines, raced_lines
from tests.sim.random.choices import Choices, Seeded
from tests.sim.running import kernel_of, run
from tests.support.seeds import Counts, exit_with, run_seeds

ELEMENTS: Final = 1 << 20
MIDDLE: Final = 1 << 12
"""Where the arrays begin, so that small negative indices stay inside."""

INDICES: Final = (
    *("i", "i + 1", "i - 1", "i + 2", "i ^ 1", "i + blockDim.x", "2 * i", "2 * i + 1", "n - i", "i / 2", "i % 96"),
    *("t", "t + 1", "0", "blockIdx.x", "blockIdx.x + 1", "blockIdx.x * 64 + t", "blockIdx.x * 60 + t"),
    *("blockIdx.x * w + t", "i * w", "(i + 1) * w", "i + w"),
)
CONDITIONS: Final = (
    *("i < n", "i < n - 1", "t == 0", "i == 0", "blockIdx.x == 0", "i > 0", "t + 1 < blockDim.x", "t < 32"),
    *("i % 2 == 0", "in[i] > 0.5f"),
)
VALUES: Final = ("v", "v + 1.0f", "in[i]", "in[t]", "1.0f", "(float)i", "(float)t", "(float)w")
FIRST: Final = 4
"""The line of the first statement."""


def random_kernel(choices: Choices) -> str:
    lines = ["  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;", "  float v = in[i];"]
    for _ in range(choices.between(1, 4)):
        array, index = choices.pick(("a", "a", "b")), choices.pick(INDICES)
        guard = f"if ({choices.pick(CONDITIONS)}) " if choices.chance(2) else ""
        match choices.between(0, 4):
            case 0 | 1:
                lines.append(f"  {guard}{array}[{index}] = {choices.pick(VALUES)};")
            case 2 | 3:
                lines.append(f"  {guard}v += {array}[{index}];")
            case _:
                lines.append(choices.pick(("  __syncthreads();", f"  {guard}atomicAdd(&{array}[{index}], v);")))
    head = "__global__ void k(float *a, float *b, const float *in, float *out, int n, int w) {"
    return "\n".join([head, *lines, "  out[i] = v;", "}"]) + "\n"


def claimed(text: str, known: LaunchKnowledge) -> dict[Lines, RaceWitness]:
    subject = analyze_subject(kernel_of(text, "k").function, known)
    races = find_block_races(memory_of(subject, known))
    return {race_lines(text, 1, race): race.witness for race in races if race.witness is not None}


def seen(text: str, block: int, numbers: Mapping[str, int]) -> set[Lines]:
    """The pairs of lines that race between blocks in a run of three."""
    observer = RaceObserver()
    source = np.random.default_rng(0).random(ELEMENTS).astype(np.float32)
    arrays = {"a": source.copy(), "b": source.copy(), "in": source, "out": np.zeros(ELEMENTS, np.float32)}
    shifted = text.replace("int t =", f"a += {MIDDLE}; b += {MIDDLE}; int t =")
    run(shifted, {**arrays, **numbers}, block=(block, 1, 1), grid=3, name="k", observers=[observer])
    races = [race for race in observer.answer().races if race.scope is RaceScope.GRID and not race.same_value]
    return {raced_lines(shifted, 1, race) for race in races}


def check(seed: int, rates: Counter[str]) -> list[str]:
    """What is wrong with the claims about one kernel; counts what was found of what there is."""
    choices = Choices(Seeded(seed))
    text, block = random_kernel(choices), choices.pick((64, 128))
    numbers = {"n": 3 * block - choices.between(0, 40), "w": choices.pick((1, 17, 64, 200))}
    truth = seen(text, block, numbers)
    failures: list[str] = []
    for known in (LaunchKnowledge((BlockShape(block),), has_several_blocks=True), LaunchKnowledge()):
        said = claimed(text, known)
        for lines, witness in said.items():
            there = {"n": 3 * block, "w": 5, **dict(witness.arguments)}
            if lines not in seen(_alone(text, lines), witness.shape.x, there):
                failures.append(f"proven, but not in the run of the witness: {names([lines])} with {there}")
        rates["proven"] += len(said)
        if known.shapes:
            rates["racing pairs"] += len(truth)
            rates["racing pairs, proven"] += len(truth & said.keys())
    rates["kernels"] += 1
    return failures


def _alone(text: str, lines: Lines) -> str:
    """The kernel with these statements only: the observer forgets a write that another one overwrote."""
    rows = text.split("\n")
    last = len(rows) - 2
    kept = [row if not FIRST <= number < last or number in lines else "" for number, row in enumerate(rows, 1)]
    return "\n".join(kept)


def _check(seed: int, counts: Counts) -> str | None:
    failures = check(seed, counts)
    return "; ".join(failures) + f"\n{random_kernel(Choices(Seeded(seed)))}" if failures else None


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
