"""A few texts that are almost programs; more with `fuzz`."""

from __future__ import annotations

import pytest

from tests.hostile.damaged import damaged, failure


@pytest.mark.parametrize("seed", range(8))
def test_nothing_fails_on_a_damaged_program(seed: int) -> None:
    assert [found for text in damaged(seed) if (found := failure(text)) is not None] == []
