"""`python -m tests.exchanges.fuzz COUNT SEED`: random exchanges of a warp, ordered and run; prints what was found."""

from __future__ import annotations

from tests.exchanges.kernels import random_kernel
from tests.exchanges.referee import referee
from tests.support.seeds import Counts, exit_with, run_seeds


def _check(seed: int, counts: Counts) -> str | None:
    text = random_kernel(seed)
    wrong, found = referee(text)
    counts.update(found)
    return f"{wrong[0]}\nbefore\n{text}" if wrong else None


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
