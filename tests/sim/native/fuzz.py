"""`python -m tests.sim.native.fuzz COUNT SEED`: random kernels, simulated and compiled; prints what differs."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.sim.native.compiler import compiler_path
from tests.sim.native.random_cases import problems, random_case

_TOGETHER: Final = 50
"""Kernels of one program."""
_POLICIES: Final = 3
_SANITIZED_EVERY: Final = 5
"""Each fifth program is compiled with the checks for undefined behaviour."""


def main(count: int, first: int) -> int:
    """How many kernels differ."""
    failed: set[int] = set()
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for number, start in enumerate(range(first, first + count, _TOGETHER)):
            seeds = range(start, min(start + _TOGETHER, first + count))
            sanitized = number % _SANITIZED_EVERY == _SANITIZED_EVERY - 1
            for seed, line in problems(seeds, Path(folder), _POLICIES, sanitized=sanitized):
                if seed not in failed:
                    print(f"seed {seed}: {line}\n{random_case(seed).unit.text}", flush=True)
                failed.add(seed)
    seconds = time.process_time() - started
    print(f"{count} kernels from seed {first} against native code: {len(failed)} differ, {seconds / count:.3f} s each")
    return len(failed)


if __name__ == "__main__":
    if compiler_path() is None:
        sys.exit("no C++ compiler here: install the package g++ (or clang), or name one in SIMT_LSP_CXX")
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
