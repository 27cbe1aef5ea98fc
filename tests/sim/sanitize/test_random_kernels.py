"""Random kernels through `sanitize`: planted races are errors, and kernels without a fault have no findings.

`python -m tests.sim.sanitize.fuzz COUNT SEED` tries more of them.
"""

from __future__ import annotations

from collections import Counter

from tests.sim.sanitize.fuzz import check


def test_races_are_found_and_nothing_else() -> None:
    counts: Counter[str] = Counter()
    assert [wrong for seed in range(6) if (wrong := check(seed, counts)) is not None] == []
    assert counts["races found"] == counts["exchanges with a race"] > 0
