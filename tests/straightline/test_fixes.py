"""Repairs of ARI601 and ARI602 keep what kernels leave in memory (`fixes.py`)."""

from __future__ import annotations

from random import Random

import pytest

from tests.straightline.fixes import division_kernel, problem_of, rows_kernel


@pytest.mark.parametrize("seed", range(5))
def test_divisions_in_32_bits(seed: int) -> None:
    assert problem_of(division_kernel(Random(seed)), "ARI601") is None


@pytest.mark.parametrize("seed", range(5))
def test_bounds_in_front_of_their_loop(seed: int) -> None:
    assert problem_of(rows_kernel(Random(seed)), "ARI602") is None
