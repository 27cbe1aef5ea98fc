"""Overload resolution against a compiler."""

from __future__ import annotations

import pytest

from tests.cpp.overloads.calls import random_set
from tests.cpp.overloads.referee import wrong
from tests.sim.native.compiler import compiler_path
from tests.sim.random.choices import Choices, Seeded


@pytest.mark.skipif(compiler_path() is None, reason="no C++ compiler here")
def test_the_compiler_chooses_the_same_functions() -> None:
    assert wrong([random_set(Choices(Seeded(seed))) for seed in range(300)]) == []
