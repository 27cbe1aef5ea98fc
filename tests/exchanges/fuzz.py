"""`python -m tests.exchanges.fuzz COUNT SEED`: random exchanges of a warp, ordered and run; prints what was found."""

from __future__ import annotations

import sys
from collections import Counter

from tests.exchanges.kernels import random_kernel
from tests.exchanges.referee import referee


def main(count: int, first: int) -> int:
    counts: Counter[str] = Counter()
    failed = 0
    for seed in range(first, first + count):
        text = random_kernel(seed)
        wrong, found = referee(text)
        counts.update(found)
        if wrong:
            failed += 1
            print(f"seed {seed}: {wrong[0]}\nbefore\n{text}", flush=True)
    print(", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())))
    print(f"{count} kernels from seed {first}: {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
