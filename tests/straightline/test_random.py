"""Random functions compute the same before and after, with no more instructions."""

from __future__ import annotations

from collections import Counter

from tests.straightline.fuzz import check_seed


def test_random_functions() -> None:
    found = Counter[str]()
    for seed in range(40):
        found += check_seed(seed)
    assert found["threads compared"] > 100
    assert found["instructions after"] < found["instructions before"]
    steps = ("pointer arithmetic reassociation", "straight-line strength reduction", "global reassociation")
    assert all(found[name] for name in (*steps, "speculative execution", "64-bit divisions", "dead stores"))
