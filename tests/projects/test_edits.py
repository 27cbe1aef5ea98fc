"""Random edits of projects, and proof that what is kept wrongly is seen."""

from __future__ import annotations

import pytest

from analysis.launches.device_bodies import is_out_of_sight
from analysis.syntax.items import Item
from analysis.syntax.reach import Reading
from tests.projects.edits import follow
from tests.support.seeds import Counts

SEEDS = range(9)


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_what_is_kept_is_what_a_fresh_analyzer_says(seed: int) -> None:
    counts = Counts()
    assert follow(seed, counts, edits=60) is None
    assert counts["files compared"] >= 12


def test_answers_that_are_not_asked_again_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(*_: object) -> bool:
        return True

    monkeypatch.setattr("analysis.launches.outside.Outside.answers_as_before", always)
    assert any(follow(seed, Counts(), edits=60) for seed in SEEDS)


def test_names_in_bodies_that_do_not_count_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(item: Item, _words: frozenset[bytes]) -> bool:
        return is_out_of_sight(item, frozenset())

    monkeypatch.setattr("analysis.launches.device_bodies.is_out_of_sight", blind)
    assert any(follow(seed, Counts(), edits=60) for seed in SEEDS)


def test_helpers_that_do_not_count_for_launches_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_fingerprints: object, _index: int) -> Reading:
        return Reading(b"", ())

    monkeypatch.setattr("analysis.syntax.fingerprints.Fingerprints._read_evaluated", nothing)
    assert any(follow(seed, Counts(), edits=60) for seed in SEEDS)
