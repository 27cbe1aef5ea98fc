"""A few texts that are almost programs; more with `fuzz`."""

from __future__ import annotations

import pytest

from tests.hostile.damaged import damaged, failure
from tests.rules.fixture import analyze


@pytest.mark.parametrize("seed", range(8))
def test_nothing_fails_on_a_damaged_program(seed: int) -> None:
    assert [found for text in damaged(seed) if (found := failure(text)) is not None] == []


def test_a_directive_in_the_parameters_of_two_definitions() -> None:
    text = "__device__ float settle(float energy#define pick where\n) { return 1; }\n"
    first, second = analyze(text + text).facts.functions
    assert second.id == f"{first.id}#2"
