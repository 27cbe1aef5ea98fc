"""What files pass to headers is kept from run to run, as long as all that it rests on says the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from analysis.facts import functions
from analysis.facts.calls import KnownCallers
from analysis.facts.roots import RootAnalysis, analyze_root
from analysis.ir.function import Function
from simt_lsp.cli import project_files
from simt_lsp.cli.check_command import failed_report
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.project_files import callers_of_files, run_project
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask
from simt_lsp.workspace.project_index.cache_folder import VARIABLE
from tests.cli.shell import write
from tests.projects.kept import follow
from tests.support.seeds import Counts

HEADER = "#pragma once\n__device__ inline void meet(int n) { if (n > 3) __syncthreads(); }\n"
MAIN = '#include "meet.cuh"\n#include "twice.cuh"\n__global__ void k(int n) { meet(n * TWICE); }\n'
FILES = {"meet.cuh": HEADER, "main.cu": MAIN, "twice.cuh": "#define TWICE 2\n", "deep/twice.cuh": "#define TWICE 3\n"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return write(tmp_path / "tree", FILES)


def _callers(tree: Path) -> KnownCallers | None:
    header = str(tree / "meet.cuh")
    return callers_of_files(Engine(EngineOptions(roots=(str(tree),))), [header], 1).get(header)


def _is_kept(tree: Path, name: str = "main.cu", roots: tuple[Path, ...] = ()) -> bool:
    engine = Engine(EngineOptions(roots=tuple(map(str, roots or (tree,)))))
    return engine.kept_calls_of(str(tree / name)) is not None


def test_what_was_found_holds_in_the_next_run(tree: Path) -> None:
    assert not _is_kept(tree)
    found = _callers(tree)
    assert found is not None
    assert _is_kept(tree)
    assert _callers(tree) == found


CHANGES: Mapping[str, Mapping[str, str]] = {
    "the file": {"main.cu": MAIN + "\n"},
    "a header that it reads": {"twice.cuh": "#define TWICE 4\n"},
    "a launch in another file": {"go.cu": "__global__ void k(int n);\nvoid go() { k<<<1, 64>>>(4); }\n"},
    "a setting": {".simt.toml": "block = [128, 1, 1]\n"},
    "a build command": {
        "compile_commands.json": '[{"directory": ".", "file": "main.cu", "command": "nvcc -DA=1 -c main.cu"}]'
    },
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_found_anew_after_a_change_of(tree: Path, change: str) -> None:
    _callers(tree)
    write(tree, CHANGES[change])
    assert not _is_kept(tree)


@pytest.mark.parametrize("name", ["apart.cu", "deep/meet.h"])
def test_it_holds_whatever_else_changes(tree: Path, name: str) -> None:
    _callers(tree)
    write(tree, {name: "__global__ void other(int n) { }\n"})
    assert _is_kept(tree)


def test_a_header_that_comes_to_stand_in_front_of_another_is_seen(tree: Path) -> None:
    (tree / "twice.cuh").unlink()
    _callers(tree)
    assert _is_kept(tree)  # with `deep/twice.cuh`
    write(tree, {"twice.cuh": "#define TWICE 5\n"})
    assert not _is_kept(tree)


def test_another_version_of_the_tool_takes_nothing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _callers(tree)

    def another(_: Path) -> bytes:
        return b"another version!"

    monkeypatch.setattr("simt_lsp.workspace.kept_on_disk.tool_identity", another)
    assert not _is_kept(tree)


@pytest.mark.parametrize("at", [0, 20, 200, -1])
def test_what_is_damaged_is_not_there(tree: Path, at: int) -> None:
    _callers(tree)
    for place in (tree.parent / "cache" / "callers").iterdir():
        text = bytearray(place.read_bytes())
        text[at] ^= 1
        place.write_bytes(text)
    assert not _is_kept(tree)
    assert _callers(tree) is not None


def test_nothing_is_kept_in_the_project(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tree / "inside"))
    assert _callers(tree) is not None
    assert not (tree / "inside" / "callers").exists()


def test_the_oldest_entries_go(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simt_lsp.workspace.kept_calls.MAX_FILES", 1)
    monkeypatch.setattr("simt_lsp.workspace.kept_on_disk._PRUNED_EVERY", 1)
    write(tree, {"other.cu": MAIN.replace("void k", "void other")})
    assert _callers(tree) is not None
    assert len(os.listdir(tree.parent / "cache" / "callers")) == 1


def test_of_too_many_includers_nothing_is_known_and_that_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, {f"more{number}.cu": MAIN.replace("void k", f"void more{number}") for number in range(3)})
    monkeypatch.setattr(project_files, "MAX_INCLUDERS", 3)
    header = str(tree / "meet.cuh")
    analyzed = Engine(EngineOptions(roots=(str(tree),))).analyze(header, _callers(tree))
    facts = analyzed.analysis.facts
    assert [function.callers_known for function in facts.functions] == [False]
    told = "4 files include this one, too many to read: its callers count as not known"
    assert told in [problem.message for problem in facts.problems]
    monkeypatch.setattr(project_files, "MAX_INCLUDERS", 4)
    facts = Engine(EngineOptions(roots=(str(tree),))).analyze(header, _callers(tree)).analysis.facts
    assert [function.callers_known for function in facts.functions] == [True]
    assert told not in [problem.message for problem in facts.problems]


# -- random edits ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_after_random_edits_what_is_kept_is_what_is_found(seed: int) -> None:
    counts = Counts()
    assert follow(seed, counts) is None
    assert counts["entries used again"]


def test_what_is_not_asked_again_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(*_: object) -> bool:
        return True

    monkeypatch.setattr("simt_lsp.workspace.surroundings.Surroundings.tell", always)
    assert any(follow(seed, Counts()) for seed in range(16))


KERNELS = {
    "twice.cuh": "#pragma once\n__device__ int twice(int n) { return 2 * n; }\n",
    "kernels.cu": '#include "twice.cuh"\n__global__ void k(int *o) { o[0] = twice(o[1]); }\n',
    "main.cu": '#include "kernels.cu"\nint main() { k<<<1, 64>>>(nullptr); }\n',
}


def test_a_file_with_kernels_is_not_analysed_again_for_its_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    tree = write(tmp_path / "tree", KERNELS)
    analysed: list[str] = []

    def counted(function: Function, *arguments: Any, **options: Any) -> RootAnalysis:
        analysed.append(function.name)
        return analyze_root(function, *arguments, **options)

    monkeypatch.setattr(functions, "analyze_root", counted)
    task = FileTask(EngineOptions(roots=(str(tree),)), finish=file_report, failed=failed_report)
    reports = list(run_project(task, [str(tree / name) for name in KERNELS], 1))
    assert [report.functions for report in reports] == [1, 1, 0]
    assert sorted(analysed) == ["k", "twice"]
