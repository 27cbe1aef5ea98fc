"""`python -m tests.cpp.fuzz COUNT SEED [KIND...]`: random C++ programs; prints what is wrong, and counts by kind.

Programs on which two compilers do not agree (`disputed`) are none of the `programs`.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

from tests.cpp.referee import KINDS, verdicts
from tests.sim.native.compiler import compiler_path

_TOGETHER: Final = 200
"""Programs that are compiled at once: the headers cost as much as some hundred of them."""


def main(count: int, first: int, kinds: list[str]) -> int:
    """How many programs are wrong."""
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for start in range(first, first + count, _TOGETHER):
            seeds = range(start, min(start + _TOGETHER, first + count))
            for verdict in verdicts(seeds, Path(folder), kinds):
                if verdict.disputed:
                    counts[verdict.kind, "disputed"] += 1
                    print(f"seed {verdict.seed}, {verdict.kind}: the compilers do not agree", flush=True)
                    continue
                counts[verdict.kind, "programs"] += 1
                if verdict.wrong:
                    counts[verdict.kind, "wrong"] += 1
                    print(f"seed {verdict.seed}, {verdict.kind}: {verdict.wrong}\n{verdict.program.text}", flush=True)
                elif verdict.undecided is not None:
                    counts[verdict.kind, "undecided"] += 1
                    print(f"seed {verdict.seed}, {verdict.kind}: undecided: {verdict.undecided}", flush=True)
    for kind in kinds:
        line = ", ".join(f"{counts[kind, what]} {what}" for what in ("programs", "wrong", "undecided", "disputed"))
        print(f"{kind}: {line}")
    return sum(number for (_, what), number in counts.items() if what == "wrong")


if __name__ == "__main__":
    if compiler_path() is None:
        sys.exit("no C++ compiler here: install the package g++ (or clang), or name one in SIMT_LSP_CXX")
    arguments = sys.argv[1:]
    sys.exit(
        bool(main(int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0, arguments[2:] or list(KINDS)))
    )
