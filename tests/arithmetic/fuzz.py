"""`python -m tests.arithmetic.fuzz COUNT SEED`: random index expressions with launches; prints what was found.

Each kernel runs as well, so that the simulator says which indices are wrapped.
"""

from __future__ import annotations

from tests.arithmetic.indices import random_kernel
from tests.arithmetic.referee import referee
from tests.arithmetic.simulated import simulated_problem
from tests.support.seeds import Counts, exit_with, run_seeds


def _check(seed: int, counts: Counts) -> str | None:
    kernel = random_kernel(seed, f"k{seed}")
    counts["overflows" if kernel.overflows else "does not overflow"] += 1
    simulated = simulated_problem(kernel, f"k{seed}")
    failures = [*referee([kernel]), *([] if simulated is None else [simulated])]
    return "\n".join(failures) or None


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
