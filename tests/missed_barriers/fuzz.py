"""`python -m tests.missed_barriers.fuzz COUNT SEED`: missed barriers, repaired and run; prints what was found."""

from __future__ import annotations

import sys
from collections import Counter

from tests.missed_barriers.kernels import random_kernel
from tests.missed_barriers.referee import referee


def main(count: int, first: int) -> int:
    counts: Counter[str] = Counter()
    failed = 0
    for seed in range(first, first + count):
        kernel = random_kernel(seed)
        wrong, found = referee(kernel)
        counts.update(found)
        if wrong:
            failed += 1
            print(f"seed {seed}: {wrong[0]}\nfaulty\n{kernel.faulty}", flush=True)
    print(", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())))
    print(f"{count} kernels from seed {first}: {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
