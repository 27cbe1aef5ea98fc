"""`python -m tests.cpp.constant_expressions COUNT SEED`: prints what is wrong, and how much is not decided."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.cpp.constant_expressions.referee import differences


def main(count: int, first: int) -> int:
    """How many expressions are wrong."""
    with tempfile.TemporaryDirectory() as folder:
        total, found = differences(range(first, first + count), Path(folder))
    wrong = [one for one in found if one.found is not None]
    for one in found:
        kind = "undecided" if one.found is None else "WRONG"
        print(f"seed {one.seed}: {kind}: {one.expression} is {one.expected}, not {one.found}")
        if one.found is not None:
            print("  " + "\n  ".join(one.functions))
    print(f"{total} expressions, {len(wrong)} wrong, {len(found) - len(wrong)} undecided")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
