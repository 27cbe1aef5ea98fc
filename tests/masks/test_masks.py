"""A few of the kernels of `tests.masks.fuzz`."""

from __future__ import annotations

from collections import Counter

from tests.masks.kernels import random_kernel
from tests.masks.referee import referee


def test_what_is_proven_happens_and_what_was_planted_is_found() -> None:
    counts: Counter[str] = Counter()
    for seed in range(6):
        failures, found = referee(random_kernel(seed))
        assert failures == [], seed
        counts.update(found)
    assert counts["planted, lanes known, proven"] >= 0.5 * counts["planted, lanes known"] > 0
