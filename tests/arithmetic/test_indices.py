"""Of random index expressions exactly those that their launches overflow are reported; more with `fuzz`."""

from __future__ import annotations

from tests.arithmetic.referee import kernels, referee


def test_all_overflows_and_nothing_else() -> None:
    made = kernels(range(200))
    failures = [failure for first in range(0, 200, 20) for failure in referee(made[first : first + 20])]
    assert failures == []
    assert 40 <= sum(one.overflows for one in made) <= 120
