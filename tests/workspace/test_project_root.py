"""The folder of a project where nobody names one."""

from __future__ import annotations

from pathlib import Path

import pytest

from simt_lsp.workspace.project_root import is_a_project, project_root


def test_the_nearest_mark_above_a_file_or_its_folder(tmp_path: Path) -> None:
    (tmp_path / "one" / "src").mkdir(parents=True)
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / ".git").mkdir()
    assert project_root(str(tmp_path / "one" / "src" / "k.cu")) == str(tmp_path / "one")
    assert project_root(str(tmp_path / "two" / "k.cu")) == str(tmp_path / "two")


def test_a_home_and_the_top_of_a_disk_are_no_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert not is_a_project(str(tmp_path))
    assert not is_a_project("/")
    assert is_a_project(str(tmp_path / "code"))
