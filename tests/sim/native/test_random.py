"""Random kernels, simulated and compiled for the processor."""

from __future__ import annotations

import pytest

from tests.sim.native.random_cases import problems

SEEDS = range(3000, 3032)


def test_random_kernels_compute_what_native_code_computes(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("random")
    assert list(problems(SEEDS, folder, policies=1)) == []


def test_random_kernels_are_defined_programs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The compiler's own checks find no overflow, no bad shift and no index out of bounds."""
    folder = tmp_path_factory.mktemp("defined")
    assert list(problems(SEEDS[:6], folder, policies=0, sanitized=True)) == []
