"""`python -m tests.edits.fuzz COUNT [SEED]`: random sessions of 500 edits, compared with a fresh analyzer."""

from __future__ import annotations

from typing import Final

from tests.edits.programs import projects
from tests.edits.referee import follow
from tests.support.seeds import Counts, exit_with, run_seeds

EDITS: Final = 500
EVERY: Final = 100


def check(seed: int, counts: Counts, edits: int = EDITS, every: int = EVERY) -> str | None:
    known = projects(seed)
    return follow(known[seed % len(known)], seed, edits, every, counts)


def main(count: int, first: int) -> int:
    return run_seeds(check, count, first)


if __name__ == "__main__":
    exit_with(main)
