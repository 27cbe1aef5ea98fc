"""Partial specialisations against compilers."""

from __future__ import annotations

import pytest

from tests.cpp.specialisations.referee import wrong
from tests.cpp.specialisations.templates import random_templates
from tests.sim.native.compiler import compiler_path
from tests.sim.random.choices import Choices, Seeded


@pytest.mark.skipif(compiler_path() is None, reason="no C++ compiler here")
def test_compilers_choose_the_same_specialisations() -> None:
    assert wrong([random_templates(Choices(Seeded(seed))) for seed in range(300)]) == []
