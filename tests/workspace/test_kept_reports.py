"""Reports are kept from run to run, as long as all that they rest on says the same."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from simt_lsp.cli.check_command import KEEPING, failed_report
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.report import FileReport
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask
from simt_lsp.workspace.canonical import canonical
from simt_lsp.workspace.compile_commands import CompileEntry
from simt_lsp.workspace.compile_flags import CompileFlags, read_flags
from simt_lsp.workspace.project_index.cache_folder import VARIABLE
from simt_lsp.workspace.regular_file import read_regular
from simt_lsp.workspace.settings.values import Source
from tests.cli.kernels import DIVERGENT
from tests.cli.shell import simt_lsp, write
from tests.projects.changes_since import follow as follow_changes
from tests.projects.kept_reports import follow
from tests.support.seeds import Counts

HEADER = "#pragma once\n__device__ inline void meet(int n) { if (n > 3) __syncthreads(); }\n"
MAIN = '#include "meet.cuh"\n#include "twice.cuh"\n__global__ void k(int n) { meet(threadIdx.x * TWICE); }\n'
SECOND = '#include "meet.cuh"\n__global__ void second() { meet(4); }\n'
FILES = {
    "second.cu": SECOND,
    "main.cu": MAIN,
    "meet.cuh": HEADER,
    "twice.cuh": "#define TWICE 2\n",
    "apart.cu": DIVERGENT,
    "deep/b.h": "\n",
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    write(tmp_path / "tree", FILES)
    monkeypatch.chdir(tmp_path / "tree")
    return tmp_path / "tree"


def _check(*, keeps: bool = True, settings: Mapping[str, object] | None = None) -> Sequence[FileReport]:
    options = EngineOptions((Source("command line", settings or {}, os.getcwd()),), (os.getcwd(),), keeps=keeps)
    task = FileTask(options, finish=file_report, failed=failed_report, keeping=KEEPING)
    return [*run_project(task, ["apart.cu", "main.cu", "meet.cuh"], 1)]


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are analysed, as it goes."""
    seen: list[str] = []
    analyze = Engine.analyze

    def seeing(self: Engine, path: str, *rest: object) -> object:
        seen.append(path)
        return analyze(self, path, *rest)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Engine, "analyze", seeing)
    return seen


def test_a_second_check_analyses_nothing(tree: Path, analysed: list[str]) -> None:
    first = _check()
    assert [finding.code for report in first for finding in report.findings] == ["SYN101"]
    assert analysed == ["apart.cu", "main.cu", "meet.cuh"]
    analysed.clear()
    assert _check() == first
    assert analysed == []


CHANGES: Mapping[str, tuple[Mapping[str, str], list[str]]] = {
    "nothing": ({}, []),
    "a file that nobody uses": ({"other.cu": "__global__ void other(int n) { }\n"}, []),
    "the file": ({"main.cu": f"{MAIN}// x\n"}, ["main.cu", "meet.cuh"]),  # which is read as that file includes it
    "what it passes to the header": ({"main.cu": MAIN.replace("threadIdx.x", "n")}, ["main.cu", "meet.cuh"]),
    "what another file passes to the header": (
        {"second.cu": SECOND.replace("meet(4)", "meet(threadIdx.x)")},
        ["meet.cuh"],
    ),
    "the header": ({"meet.cuh": f"\n{HEADER}"}, ["main.cu", "meet.cuh"]),
    "another header of that file": ({"twice.cuh": "#define TWICE 4\n"}, ["main.cu", "meet.cuh"]),
    "a launch elsewhere": (
        {"go.cu": "__global__ void k(int n);\nvoid go() { k<<<1, 64>>>(4); }\n"},
        ["main.cu", "meet.cuh"],
    ),
    "settings of rules": ({".simt.toml": 'ignore = ["SYN101"]\n'}, ["apart.cu", "main.cu", "meet.cuh"]),
    "settings with a mistake": ({".simt.toml": "blok = 64\n"}, ["apart.cu", "main.cu", "meet.cuh"]),
}


@pytest.fixture(params=[False, True], ids=["each file", "the run"])
def runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether runs of few files are kept as a whole, too."""
    if request.param:
        monkeypatch.setattr("simt_lsp.cli.engine.LEAST_RUN", 1)
    return request.param


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("change", CHANGES)
def test_what_depends_on_a_change_is_done_again(tree: Path, analysed: list[str], change: str) -> None:
    files, again = CHANGES[change]
    _check()
    write(tree, files)
    analysed.clear()
    kept = _check()
    assert analysed == again
    assert kept == _check(keeps=False)


def _age(tree: Path, seconds: float) -> None:
    """So that time stamps are trusted."""
    for path in tree.rglob("*"):
        os.utime(path, (time.time() - seconds, time.time() - seconds))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose texts are read to compare a tree with its state, as it goes."""
    seen: list[str] = []

    def seeing(path: str, limit: int) -> bytes:
        seen.append(os.path.basename(path))
        return read_regular(path, limit)

    monkeypatch.setattr("simt_lsp.workspace.tree_state.read_regular", seeing)
    monkeypatch.setattr("simt_lsp.cli.engine.LEAST_RUN", 1)
    return seen


def test_of_a_tree_that_is_as_it_was_nothing_is_asked(
    tree: Path, analysed: list[str], read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _age(tree, 60)
    first = _check()
    with monkeypatch.context() as patched:
        patched.setattr("simt_lsp.cli.engine.read_project", None)
        assert _check() == first
        assert read == []
        os.utime(tree / "main.cu", (1, 1))
        assert _check() == first
        assert _check() == first
        assert read == ["main.cu"]
    analysed.clear()
    write(tree, {"main.cu": f"{MAIN}// x\n"})
    os.utime(tree / "main.cu", (1, 1))
    _check()
    assert analysed == ["main.cu", "meet.cuh"]


ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "a header elsewhere": ("outside/wide.h", "#define WIDE 7\n"),
    "a header that was missing": ("tree/missing.h", "#define WIDE 7\n"),
    "a file of another name that was missing": ("tree/missing.def", "#define WIDE 7\n"),
    "build commands": ("tree/compile_commands.json", "[]"),
    "options in a file": ("tree/flags.txt", "-DWIDE=7"),
}


@pytest.mark.usefixtures("read")
@pytest.mark.parametrize("change", ELSEWHERE)
def test_what_lies_beside_the_files_of_a_project_counts(
    tree: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flags(entry: CompileEntry) -> CompileFlags:
        return read_flags(entry.arguments, entry.directory)  # a process reads what an entry names once

    monkeypatch.setattr("simt_lsp.workspace.compile_commands._entry_flags", flags)
    command = {"directory": str(tree), "file": "apart.cu", "command": "nvcc --options-file flags.txt apart.cu"}
    includes = '#include "wide.h"\n#include "missing.h"\n#include "missing.def"\n'
    write(
        tree,
        {
            ".simt.toml": 'includeDirs = ["../outside"]\n',
            "apart.cu": f"{includes}{DIVERGENT}",
            "flags.txt": "-DWIDE=6",
            "compile_commands.json": json.dumps([command]),
        },
    )
    write(tree.parent, {"outside/wide.h": "#define WIDE 5\n"})
    _age(tree, 60)
    _check()
    options = EngineOptions((Source("command line", {}, os.getcwd()),), (os.getcwd(),))
    files = ["apart.cu", "main.cu", "meet.cuh"]
    assert Engine(options).kept_run(KEEPING, files) is not None
    path, text = ELSEWHERE[change]
    write(tree.parent, {path: text})
    assert Engine(options).kept_run(KEEPING, files) is None
    assert _check() == _check(keeps=False)


def test_other_options_and_another_folder_ask_for_something_else(tree: Path, analysed: list[str]) -> None:
    first = _check()
    assert [len(report.findings) for report in _check(settings={"ignore": ["SYN"]})] == [0, 0, 0]
    analysed.clear()
    assert _check() == first
    assert analysed == []
    os.chdir(tree / "deep")
    options = EngineOptions(roots=(str(tree),))
    assert Engine(options).kept_result(KEEPING, "../main.cu") is None


@pytest.mark.parametrize("at", [0, 20, 60, -1])
def test_what_is_damaged_is_not_there(tree: Path, analysed: list[str], at: int) -> None:
    first = _check()
    for place in (tree.parent / "cache" / "results").iterdir():
        text = bytearray(place.read_bytes())
        text[at] ^= 1
        place.write_bytes(text)
    analysed.clear()
    assert _check() == first
    assert len(analysed) == 3


def test_nothing_is_kept_in_the_project_or_where_it_is_not_wanted(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _check(keeps=False)
    assert not (tree.parent / "cache").exists()
    monkeypatch.setenv(VARIABLE, str(tree / "inside"))
    _check()
    assert not (tree / "inside").exists()


def test_the_oldest_go(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simt_lsp.workspace.kept_on_disk._PRUNED_EVERY", 1)
    monkeypatch.setattr("simt_lsp.workspace.kept_on_disk.MAX_ALL_BYTES", 3_000)
    for number in range(5):
        _check(settings={"findingsPerKernel": number})
    assert sum(place.stat().st_size for place in (tree.parent / "cache" / "results").iterdir()) <= 3_000


def test_the_command_says_the_same_and_can_do_without(tree: Path) -> None:
    env = {VARIABLE: str(tree.parent / "cache")}
    said = [
        simt_lsp("check", ".", "--format", "json", *options, cwd=tree, env=env) for options in ((), (), ("--no-cache",))
    ]
    assert len({(done.returncode, done.stdout, done.stderr) for done in said}) == 1


def test_equal_data_is_spelled_alike() -> None:
    assert canonical(({"b", "a"}, {"y": 1, "x": (None, 2.5, b"z")})) == canonical(
        (frozenset(("a", "b")), {"x": (None, 2.5, b"z"), "y": 1})
    )
    assert canonical(("a", "b")) != canonical(("a,b",))
    with pytest.raises(TypeError):
        canonical(object())


def test_after_random_edits_what_is_kept_is_what_is_found() -> None:
    counts = Counts()
    assert follow(1, counts, edits=5) is None
    assert counts["reports used again"]
    assert counts["runs used again"]


def test_after_random_edits_only_what_was_found_before_counts_as_found_before() -> None:
    counts = Counts()
    assert follow_changes(300, counts, edits=4) is None
    assert counts["known to be the same"]
    assert counts["not known to be"]


def test_files_that_count_as_unchanged_and_are_not_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(*_: object) -> bool:
        return True

    monkeypatch.setattr("simt_lsp.cli.earlier_state.EarlierState.says_the_same", always)
    assert follow_changes(300, Counts(), edits=4) is not None
