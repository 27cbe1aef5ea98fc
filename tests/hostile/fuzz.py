"""`python -m tests.hostile.fuzz COUNT SEED`: texts that are almost programs; prints what fails on them."""

from __future__ import annotations

from tests.hostile.damaged import damaged, failure
from tests.support.seeds import Counts, exit_with, run_seeds


def _check(seed: int, counts: Counts) -> str | None:
    for text in damaged(seed):
        counts["texts"] += 1
        found = failure(text)
        if found is not None:
            return f"{found}\n{text}"
    return None


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
