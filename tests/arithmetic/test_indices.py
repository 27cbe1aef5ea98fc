"""Of random index expressions exactly those that their launches overflow are reported; more with `fuzz`."""

from __future__ import annotations

import pytest

from tests.arithmetic.referee import kernels, referee
from tests.arithmetic.simulated import simulated_problem


def test_all_overflows_and_nothing_else() -> None:
    made = kernels(range(200))
    failures = [failure for first in range(0, 200, 20) for failure in referee(made[first : first + 20])]
    assert failures == []
    assert 40 <= sum(one.overflows for one in made) <= 120


@pytest.mark.parametrize("first", [0, 8, 16])
def test_the_simulator_wraps_the_same_indices(first: int) -> None:
    made = kernels(range(first, first + 8))
    assert {one.overflows for one in made} == {True, False}
    assert [problem for at, one in enumerate(made) if (problem := simulated_problem(one, f"k{first + at}"))] == []
