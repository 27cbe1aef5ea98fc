"""A few random C++ programs, computed as a compiler's program computes them; `python -m tests.cpp.fuzz` runs more."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.cpp.accepted import accepted
from tests.cpp.referee import KINDS, random_program, verdicts

_RIGHT: Final = ("conditions", "packs", "lifetimes", "constants", "expressions", "pairs of types", "alias templates")
"""Kinds of which no program of these is wrong or undecided; some of the others are known to have undecided ones."""


@pytest.mark.parametrize("kind", _RIGHT)
def test_nothing_is_computed_otherwise(kind: str, tmp_path: Path) -> None:
    found = [verdict for verdict in verdicts(range(22), tmp_path, (kind,)) if not verdict.disputed]
    assert len(found) > 17
    assert [(verdict.seed, verdict.wrong, verdict.undecided) for verdict in found if verdict.wrong] == []
    assert [verdict.undecided for verdict in found if verdict.undecided] == []


@pytest.mark.parametrize("kind", KINDS)
def test_most_programs_are_accepted_by_a_compiler(kind: str) -> None:
    programs = [random_program(seed, (kind,))[1] for seed in range(7)]
    assert sum(program is not None for program in accepted(programs)) > 2
