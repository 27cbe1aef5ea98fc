"""Rank correlation, against values worked out by hand."""

from __future__ import annotations

import pytest

from tests.meld.random.savings import rank_correlation


def test_the_order_alone_counts() -> None:
    assert rank_correlation([(0.1, 5.0), (0.2, 50.0), (0.9, 51.0)]) == pytest.approx(1.0)
    assert rank_correlation([(0.1, 3.0), (0.2, 2.0), (0.9, -1.0)]) == pytest.approx(-1.0)


def test_equal_values_share_a_rank() -> None:
    # Ranks 1.5, 1.5, 3 against 1, 2, 3: 1.5 / sqrt(1.5 * 2).
    assert rank_correlation([(0.1, 1.0), (0.1, 2.0), (0.5, 3.0)]) == pytest.approx(0.75**0.5)


def test_without_an_order_there_is_no_answer() -> None:
    assert rank_correlation([(0.1, 1.0), (0.1, 2.0), (0.1, 3.0)]) is None
    assert rank_correlation([(0.1, 1.0), (0.2, 2.0)]) is None
