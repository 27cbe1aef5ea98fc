"""Random kernels whose blocks share arrays: what is proven of two blocks happens in the run of the witness.

`python -m tests.races.blocks COUNT SEED` tries more of them and prints how many races are found.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.races.blocks import check


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_claims_about_random_kernels_hold(first: int) -> None:
    rates: Counter[str] = Counter()
    for seed in range(first, first + 20):
        assert check(seed, rates) == [], seed
    assert rates["racing pairs, proven"]
