"""`python -m tests.callers.fuzz COUNT SEED`: random headers and the kernels that call them."""

from __future__ import annotations

import sys
from collections import Counter

from tests.callers.referee import referee
from tests.sim.random.choices import Seeded
from tests.sim.random.kernels import random_kernel

POLICIES = ("ipdom", "min-pc", "round-robin")


def check(seed: int) -> tuple[tuple[str, ...], Counter[str]]:
    """What is refuted of the header of one random kernel, and how much was checked."""
    kernel = random_kernel(Seeded(seed))
    return referee(kernel, POLICIES[seed % 3], knows_block=seed % 2 == 0)


def main(count: int, first: int) -> int:
    checked: Counter[str] = Counter()
    failed = 0
    for seed in range(first, first + count):
        failures, found = check(seed)
        checked.update(found)
        failed += bool(failures)
        for failure in failures[:3]:
            print(f"seed {seed}: {failure}", flush=True)
    print(f"{count} kernels from seed {first}: {failed} failed; {dict(checked)}")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
