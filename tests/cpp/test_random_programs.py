"""Some hundred random C++ programs, computed as compilers' programs do; `python -m tests.cpp.fuzz` runs more."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.cpp.accepted import accepted
from tests.cpp.referee import KINDS, random_program, verdicts

_OF_EACH_KIND: Final = 10


def test_nothing_is_computed_otherwise(tmp_path: Path) -> None:
    made = _OF_EACH_KIND * len(KINDS)
    found = [verdict for verdict in verdicts(range(made), tmp_path) if not verdict.disputed]
    assert {verdict.kind for verdict in found} == set(KINDS)
    assert len(found) > 0.7 * made
    assert [(verdict.seed, verdict.kind, verdict.wrong) for verdict in found if verdict.wrong] == []
    assert [(verdict.seed, verdict.kind, verdict.undecided) for verdict in found if verdict.undecided] == []


def test_most_programs_of_each_kind_are_accepted_by_a_compiler() -> None:
    each = range(7)
    programs = [random_program(seed, (kind,))[1] for kind in KINDS for seed in each]
    kept = iter(accepted(programs))
    numbers = {kind: sum(next(kept) is not None for _ in each) for kind in KINDS}
    assert {kind: number for kind, number in numbers.items() if number < 3} == {}
