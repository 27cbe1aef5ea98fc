"""Kernels with random branches, loops and exits over a few integers, as vectors and in the simulator.

`python -m tests.scalar.random_control_flow COUNT SEED`; each thread writes what it came to, and loops end because
their counters grow.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any, Final, final

import numpy as np

from tests.scalar.simd_machine import run_simd
from tests.sim.running import run

VARIABLES: Final = ("a", "b", "c", "n", "u")
ARRAY: Final = np.random.default_rng(3).integers(-50, 50, 300).astype(np.int32)


@final
class ControlFlow:
    """Writes one kernel; `u` and `n` are the same in all threads until they are written under a condition."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._loops = 0
        self._budget = 14

    def kernel(self) -> str:
        body = self._block(1, in_loop=False)
        return (
            "__global__ void k(int *x, int n) {\n"
            "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
            "  int a = t, b = x[i + 100], c = 3, u = n * 2;\n"
            f"{body}  x[i] = a * 31 + b * 7 + c + u + n;\n}}\n"
        )

    def _block(self, depth: int, *, in_loop: bool) -> str:
        lines = [self._statement(depth, in_loop=in_loop) for _ in range(self._random.randint(1, 4))]
        return "".join(lines)

    def _statement(self, depth: int, *, in_loop: bool) -> str:
        random, indent = self._random, "  " * depth
        self._budget -= 1
        kinds = ["assign", "assign"] if self._budget < 0 or depth > 5 else ["assign", "if", "else", "loop", "switch"]
        kind = random.choice([*kinds, *(["exit"] if in_loop else [])])
        if kind == "assign":
            return f"{indent}{random.choice(VARIABLES)} {random.choice(['=', '+=', '^='])} {self._expression()};\n"
        if kind == "exit":
            return f"{indent}if ({self._condition()}) {random.choice(['break', 'continue', 'continue', 'return'])};\n"
        if kind == "loop":
            self._loops += 1
            counter, rounds = f"j{self._loops}", random.choice(["3", "(a & 7)", "(t % 5)", "(u & 3)"])
            inside = self._block(depth + 1, in_loop=True)
            head = f"for (int {counter} = 0; {counter} < {rounds} && {counter} < 8; {counter}++)"
            return f"{indent}{head} {{\n{inside}{indent}}}\n"
        if kind == "switch":
            arms = "".join(
                f"{indent}case {value}:\n{self._block(depth + 1, in_loop=False)}"
                + (f"{indent}  break;\n" if random.random() < 0.7 else "")
                for value in range(random.randint(1, 3))
            )
            return f"{indent}switch ({random.choice(VARIABLES)} & 3) {{\n{arms}{indent}default: b++;\n{indent}}}\n"
        other = f" else {{\n{self._block(depth + 1, in_loop=in_loop)}{indent}}}" if kind == "else" else ""
        inside = self._block(depth + 1, in_loop=in_loop)
        return f"{indent}if ({self._condition()}) {{\n{inside}{indent}}}{other}\n"

    def _expression(self) -> str:
        random = self._random
        one, other = random.choice((*VARIABLES, "t")), random.choice((*VARIABLES, "t", "5", "-2"))
        if random.random() < 0.2:
            return f"x[200 + ({one} & 63)]"
        return f"({one} {random.choice(['+', '-', '*', '&', '|', '^'])} {other})"

    def _condition(self) -> str:
        random = self._random
        first = f"{self._expression()} {random.choice(['<', '>', '==', '!='])} {random.choice(['0', '3', 't', 'n'])}"
        second = f"({self._expression()} & 1)"
        return random.choice([first, second, f"{first} && {second}", f"{first} || {second}"])


def difference(seed: int) -> str | None:
    """The kernel of a seed if its vector form leaves other memory than the simulator."""
    text = ControlFlow(Random(seed)).kernel()
    given: dict[str, Any] = {"x": ARRAY.copy(), "n": np.int32(4)}
    found = run_simd(text, given, grid=2, block=40)
    simulated = run(text, {"x": ARRAY.copy(), "n": 4}, grid=2, block=40)
    return None if np.array_equal(found["x"], simulated.arrays["x"]) else text


def main(count: int, first: int) -> int:
    wrong = [text for seed in range(first, first + count) if (text := difference(seed)) is not None]
    for text in wrong:
        print(text)
    print(f"{count} kernels, {len(wrong)} with other memory than the simulator's")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
