from __future__ import annotations

import os
from pathlib import Path

import pytest

from simt_lsp.workspace.excluded import ExcludedFiles, fits
from simt_lsp.workspace.settings.configuration import Exclusion
from simt_lsp.workspace.settings.values import Source


@pytest.mark.parametrize(
    ("glob", "fitting"),
    [
        ("old", {"old/a.cu", "src/old/a.cu", "src/old/deep/b.cu"}),
        ("old/", {"old/a.cu", "src/old/a.cu", "src/old/deep/b.cu"}),
        ("./old", {"old/a.cu"}),
        ("src/old", {"src/old/a.cu", "src/old/deep/b.cu"}),
        ("a.cu", {"old/a.cu", "src/old/a.cu", "a.cu"}),
        ("/a.cu", {"a.cu"}),
        ("*_gen.cu", {"src/x_gen.cu"}),
        ("src/*.cu", {"src/x_gen.cu"}),
        ("src/**/*.cu", {"src/x_gen.cu", "src/old/a.cu", "src/old/deep/b.cu"}),
        ("**/deep", {"src/old/deep/b.cu"}),
        ("src/**", {"src/x_gen.cu", "src/old/a.cu", "src/old/deep/b.cu"}),
        ("src/**/deep/**", {"src/old/deep/b.cu"}),
        ("[ab].cu", {"old/a.cu", "src/old/a.cu", "src/old/deep/b.cu", "a.cu"}),
        ("olde", set[str]()),
        ("", set[str]()),
    ],
)
def test_globs(glob: str, fitting: set[str]) -> None:
    paths = ["a.cu", "old/a.cu", "src/old/a.cu", "src/old/deep/b.cu", "src/x_gen.cu"]
    root = os.path.abspath(os.sep + "base")
    assert {path for path in paths if fits(Exclusion(root, glob), os.path.join(root, path))} == fitting
    assert not fits(Exclusion(root, glob), os.path.abspath(os.sep + "elsewhere/old/a.cu"))


def test_a_hostile_glob_takes_no_time() -> None:
    root = os.path.abspath(os.sep + "base")
    glob = "/".join(["**"] * 50 + ["*a*a*a*a*a*a*a*a*a*a*b"])
    assert not fits(Exclusion(root, glob), os.path.join(root, *["a" * 200] * 50))


def test_settings_files_count_from_their_folder_and_the_command_line_adds(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one/.simt.toml").write_text('exclude = ["gen/*.cu"]')
    excludes = ExcludedFiles(lambda path: [Source("command line", {"exclude": ["two"]}, str(tmp_path))])
    left_out = {"one/gen/a.cu": True, "gen/a.cu": False, "one/a.cu": False, "one/two/a.cu": True, "two/gen/a.cu": True}
    assert {path: excludes(str(tmp_path / path)) for path in left_out} == left_out
