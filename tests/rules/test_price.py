"""How shares of a kernel's issue slots are told."""

from __future__ import annotations

import pytest

from analysis.rules.price import range_text
from analysis.verdict.shares import Share


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.001, 0.002, 0.004), "less than 1 %"),
        ((0.004, 0.008, 0.012), "about 1 %"),
        ((0.004, 0.01, 0.02), "1 % to 2 %"),
        ((0.03, 0.06, 0.12), "3 % to 12 %"),
        ((0.11, 0.12, 0.13), "about 12 %"),
        ((0.001, 0.3, 0.9), "an unknown part"),
        ((0.03, 0.3, 0.9), "at least 3 %"),
    ],
)
def test_two_ends_are_told_where_they_differ(ends: tuple[float, float, float], text: str) -> None:
    assert range_text(Share(*ends)) == text
