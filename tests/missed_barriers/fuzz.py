"""`python -m tests.missed_barriers.fuzz COUNT SEED`: missed barriers, repaired and run, and the launches that are said
to show them; prints what was found."""

from __future__ import annotations

from tests.missed_barriers.kernels import random_kernel
from tests.missed_barriers.referee import referee
from tests.missed_barriers.witnesses import refuted
from tests.support.seeds import Counts, exit_with, run_seeds


def _check(seed: int, counts: Counts) -> str | None:
    kernel = random_kernel(seed)
    wrong, found = referee(kernel)
    counts.update(found)
    refuted_witnesses, asked = refuted(kernel)
    counts["witnesses"] += asked
    wrong += refuted_witnesses
    return f"{wrong[0]}\nfaulty\n{kernel.faulty}" if wrong else None


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
