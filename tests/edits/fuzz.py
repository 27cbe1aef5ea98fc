"""`python -m tests.edits.fuzz COUNT [SEED]`: random sessions of 500 edits, compared with a fresh analyzer."""

from __future__ import annotations

import traceback
from typing import Final

from tests.edits.programs import projects
from tests.edits.referee import follow
from tests.support.seeds import Counts, exit_with, run_seeds

EDITS: Final = 500
EVERY: Final = 100


def check(seed: int, counts: Counts, edits: int = EDITS, every: int = EVERY) -> str | None:
    known = projects(seed)
    try:
        return follow(known[seed % len(known)], seed, edits, every, counts)
    except Exception as problem:  # the seed is what matters, and the run goes on
        place = traceback.extract_tb(problem.__traceback__)[-1]
        return f"{type(problem).__name__}: {problem} at {place.filename}:{place.lineno}"


def main(count: int, first: int) -> int:
    return run_seeds(check, count, first)


if __name__ == "__main__":
    exit_with(main)
