"""`python -m tests.masks.fuzz COUNT SEED`: random kernels of warps that meet; prints what was found."""

from __future__ import annotations

from tests.masks.kernels import random_kernel
from tests.masks.referee import referee
from tests.support.seeds import Counts, exit_with, run_seeds


def _check(seed: int, counts: Counts) -> str | None:
    kernel = random_kernel(seed)
    failures, found = referee(kernel)
    counts.update(found)
    return f"{failures}\n{kernel.text}" if failures else None


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
