"""The loop of a long run: many seeds, what fails printed at once, and what was counted at the end."""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

Counts: TypeAlias = Counter[str]


def run_seeds(check: Callable[[int, Counts], str | None], count: int, first: int) -> int:
    """`check` counts what it finds for one seed and says what is wrong; how many seeds failed, by a crash too."""
    counts: Counts = Counter()
    failed = 0
    for seed in range(first, first + count):
        try:
            wrong = check(seed, counts)
        except Exception as problem:  # the seed is what matters, and the run goes on
            place = traceback.extract_tb(problem.__traceback__)[-1]
            wrong = f"{type(problem).__name__}: {problem} at {place.filename}:{place.lineno}"
        if wrong is not None:
            failed += 1
            print(f"seed {seed}: {wrong}", flush=True)
    print(", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())))
    print(f"{count} kernels from seed {first}: {failed} failed")
    return failed


def exit_with(main: Callable[[int, int], int]) -> None:
    """Runs `main COUNT [SEED]` from the command line; status 1 if a seed failed."""
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
