"""`check --changed-since`: what a change is about, and nothing of the repository is run for it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from simt_lsp.cli.changed_since import commit_of, of_the_change
from simt_lsp.cli.check_command import KEEPING, failed_report
from simt_lsp.cli.engine import EngineOptions
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask
from simt_lsp.gates.changed_lines import changed_lines
from simt_lsp.gates.git import Commit
from simt_lsp.workspace.project_index.cache_folder import VARIABLE
from tests.cli.kernels import DIVERGENT
from tests.cli.shell import environment, simt_lsp, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

HEADER = "#pragma once\n#define WIDTH 0\n__device__ inline bool is_in(int i) { return i >= WIDTH; }\n"
USER = """\
#include "width.cuh"
__global__ void row(int *out) { out[1] = 1;
  if (is_in(threadIdx.x)) {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
"""


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environment({}))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, {"old.cu": DIVERGENT, "src/row.cu": USER, "src/width.cuh": HEADER, "notes.bin": b"\0"})
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def found(folder: Path, *options: str, paths: tuple[str, ...] = (".",)) -> tuple[list[str], int]:
    """Files and functions of what is reported, and how many findings the change is not about."""
    done = simt_lsp("check", *paths, "--changed-since", "main", "--format", "json", *options, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    names = [f"{Path(file['path']).name} {one['function']}" for file in report["files"] for one in file["diagnostics"]]
    return names, report["summary"]["unchanged"]


def test_nothing_changed(tree: Path) -> None:
    assert found(tree) == ([], 1)


def test_a_changed_line_and_a_new_file_are_of_the_change(tree: Path) -> None:
    git(tree, "checkout", "-q", "-b", "topic")
    text = (tree / "old.cu").read_text()
    write(tree, {"new.cu": text.replace("halo", "new"), "old.cu": f"// moved\n{text}"})
    assert found(tree) == (["new.cu new"], 1)
    write(tree, {"old.cu": text.replace("__syncthreads();", "__syncthreads(); // all")})
    assert found(tree) == (["new.cu new", "old.cu halo"], 0)
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "second")
    assert found(tree) == (["new.cu new", "old.cu halo"], 0)


def test_what_depends_on_a_changed_header_is_of_the_change(tree: Path) -> None:
    write(tree, {"src/width.cuh": HEADER.replace("0", "16")})
    assert found(tree / "src", paths=("../old.cu", "row.cu")) == (["row.cu row"], 1)


def test_what_is_kept_of_other_runs_tells_what_is_asked_again(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))
    copied: list[str] = []
    files = Commit.files

    def seen(commit: Commit, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        copied.append(commit.id)
        return files(commit, suffixes)

    monkeypatch.setattr(Commit, "files", seen)

    def reported(change: Mapping[str, str]) -> tuple[list[str], int]:
        """What is of the change, and how often the commit was listed: once more where something was checked again."""
        write(tree, change)
        copied.clear()
        options = EngineOptions(roots=(str(tree),))
        paths = [str(tree / name) for name in ("old.cu", "src/row.cu")]
        task = FileTask(options, finish=file_report, failed=failed_report, keeping=KEEPING)
        reports = of_the_change([*run_project(task, paths, 1)], commit_of("main", paths), task, 1)
        return [one.function for report in reports for one in report.findings], len(copied)

    assert reported({"other.cuh": "#pragma once\n"}) == ([], 1)
    assert reported({"src/width.cuh": HEADER.replace("0", "16")}) == (["row"], 2)
    assert reported({"src/width.cuh": HEADER, "src/row.cu": f"{USER}// more\n"}) == ([], 1)
    assert reported({"old.cu": f"// moved\n{DIVERGENT}"}) == ([], 2)
    assert reported({"old.cu": DIVERGENT, ".simt.toml": "block = 32\n"}) == ([], 2)


def test_what_the_other_branch_changed_is_not(tree: Path) -> None:
    git(tree, "checkout", "-q", "-b", "topic")
    git(tree, "checkout", "-q", "main")
    write(tree, {"old.cu": "__global__ void k() {}\n"})
    git(tree, "commit", "-q", "-a", "-m", "mended")
    git(tree, "checkout", "-q", "topic")
    assert found(tree) == ([], 1)


def test_a_renamed_file_is_no_new_one(tree: Path) -> None:
    git(tree, "mv", "old.cu", "renamed.cu")
    names, _ = found(tree)
    assert names == ["renamed.cu halo"]  # each of its lines is one that was not in that file


def test_nothing_that_the_repository_names_is_run(tree: Path) -> None:
    trap = tree / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{tree}/sprung'\ncat\n")
    trap.chmod(0o755)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.x.smudge",
    ):
        git(tree, "config", name, str(trap))
    git(tree, "config", "core.hooksPath", str(tree))
    shutil.copy(trap, tree / "post-index-change")
    (tree / ".gitattributes").write_text("*.cu diff=x filter=x\n")
    write(tree, {"old.cu": DIVERGENT.replace("halo", "other")})
    assert found(tree, "--no-cache")[0] == ["old.cu other"]
    assert not (tree / "sprung").exists()


@pytest.mark.parametrize("reference", ["none", "--output=x", "HEAD:old.cu"])
def test_what_is_no_commit_is_said(tree: Path, reference: str) -> None:
    done = simt_lsp("check", ".", f"--changed-since={reference}", cwd=tree)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"simt-lsp: error: --changed-since {reference}: '{reference}' is no commit here\n"


def test_a_folder_without_repository_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"old.cu": DIVERGENT})
    done = simt_lsp("check", ".", "--changed-since", "main", cwd=tmp_path, env={"GIT_CEILING_DIRECTORIES": "/"})
    assert done.returncode == 2
    assert "not a git repository" in done.stderr


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (b"a\nb\nc\n", b"a\nb\nc\n", set[int]()),
        (b"a\nb\nc\n", b"a\r\nb\r\nc", set[int]()),
        (b"a\nb\nc\n", b"a\nx\nc\n", {2}),
        (b"a\nb\nc\n", b"x\na\nb\ny\nc\nz\n", {1, 4, 6}),
        (b"a\nb\nc\n", b"a\nc\n", set[int]()),
        (b"", b"a\nb\n", {1, 2}),
    ],
)
def test_changed_lines(before: bytes, after: bytes, changed: set[int]) -> None:
    assert changed_lines(before, after) == changed


def test_large_changes_are_not_compared_line_by_line() -> None:
    before = b"".join(b"%d\n" % number for number in range(30_000))
    assert changed_lines(before, before[::-1]) == frozenset(range(1, before[::-1].count(b"\n") + 2))
