"""Random kernels against the reference evaluator; `python -m tests.scalar.fuzz` does many more."""

from __future__ import annotations

import pytest

from analysis.scalar.machine import Execution
from tests.scalar.fuzz import check_seed, executions


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_refuted(seed: int) -> None:
    check_seed(seed)


def test_there_is_something_to_refute() -> None:
    found = executions(40, 0)
    assert found[Execution.SCALAR] > 100
    assert found[Execution.SEQUENTIAL] > 5
