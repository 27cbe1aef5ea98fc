"""`python -m tests.masks.fuzz COUNT SEED`: random kernels of warps that meet; prints what was found."""

from __future__ import annotations

import sys
from collections import Counter

from tests.masks.kernels import random_kernel
from tests.masks.referee import referee


def main(count: int, first: int) -> int:
    counts: Counter[str] = Counter()
    failed = 0
    for seed in range(first, first + count):
        kernel = random_kernel(seed)
        failures, found = referee(kernel)
        counts.update(found)
        if failures:
            failed += 1
            print(f"seed {seed}: {failures}\n{kernel.text}", flush=True)
    print(", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())))
    print(f"{count} kernels from seed {first}: {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
