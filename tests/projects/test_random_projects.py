"""Random projects, and proof that the referee sees what is wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from analysis.project.model import Users
from simt_lsp.workspace.project_index.index import ProjectIndex
from tests.projects.random_project import random_project, shown
from tests.projects.referee import referee
from tests.sim.random.choices import Seeded

SEEDS = range(28)


def _nothing(*_: object) -> frozenset[str]:
    return frozenset()


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_claimed_holds_in_each_launch(seed: int) -> None:
    project = random_project(Seeded(seed))
    assert referee(project).failures == [], shown(project.files)


def test_many_launches_are_known() -> None:
    checked = Counter[str]()
    for seed in range(12):
        checked.update(referee(random_project(Seeded(seed))).checked)
    assert checked["kernels with shapes"] * 3 > checked["kernels"]


def test_a_user_that_is_not_seen_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    users = ProjectIndex.users

    def all_but_one(self: ProjectIndex, path: str, name: str, *, internal: bool) -> Users:
        found = users(self, path, name, internal=internal)
        return replace(found, paths=found.paths[1:])

    monkeypatch.setattr(ProjectIndex, "users", all_but_one)
    assert any(referee(random_project(Seeded(seed))).failures for seed in SEEDS)


def test_doubt_that_is_not_heeded_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.facts.known_launches.kernels_used_otherwise", _nothing)
    assert any(referee(random_project(Seeded(seed))).failures for seed in SEEDS)
