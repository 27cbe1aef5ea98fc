"""Random kernels with planted races: what is proven happens in a run, and what is ruled out never does.

`python -m tests.races.fuzz COUNT SEED` tries more of them and prints how many races are found.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.races.fuzz import check, judge
from tests.races.kernels import BlockBarrier, ExchangeKernel, Index, Item, Statement, Use
from tests.races.oracle import racing_lines
from tests.races.repairs import repair


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_claims_about_random_kernels_hold(first: int) -> None:
    rates: Counter[str] = Counter()
    for seed in range(first, first + 20):
        assert check(seed, rates) == [], seed
    assert rates["proven pairs"]


@pytest.mark.parametrize("first", [0, 1000])
def test_kernels_that_lost_a_barrier_get_one_back(first: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(first, first + 12):
        assert repair(seed, counts) == [], seed
    assert counts["mended"]


def _exchange(*between: Item) -> ExchangeKernel:
    own, other = Index("t", lambda env: env["t"]), Index("63 - t", lambda env: 63 - env["t"])
    write = Statement("{} = v;", (Use("s", own, True),))
    read = Statement("v += {};", (Use("s", other, False),))
    return ExchangeKernel({"s": 64}, (write, *between, read), 64, 1)


def test_the_oracle_knows_what_a_barrier_is() -> None:
    assert racing_lines(_exchange()) == {frozenset((6, 7))}
    assert racing_lines(_exchange(BlockBarrier())) == set()


def test_a_race_that_is_found_and_one_that_is_not_there_agree_with_the_run() -> None:
    rates: Counter[str] = Counter()
    assert judge(_exchange(), rates, knows_shape=True) == []
    assert judge(_exchange(BlockBarrier()), rates, knows_shape=True) == []
    assert rates["racy"] == rates["racy, shape known, proven"] == rates["racy, seen in a run"] == 1
