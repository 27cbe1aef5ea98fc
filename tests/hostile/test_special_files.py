"""Only regular files are read: pipes would wait for ever, devices never end, `/proc` is made up while it is read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from simt_lsp.cli.paths import expand
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache
from simt_lsp.workspace.regular_file import read_regular
from simt_lsp.workspace.settings.sources import read_settings_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no such files")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.cuh"
    os.mkfifo(path)
    return path


def included(path: str) -> list[str]:
    text = f'#include "{path}"\n__global__ void k(int *x) {{ x[0] = 1; }}\n'
    loader = DiskLoader(FileCache())
    analysis = Analyzer().analyze("/k.cu", Document.open(text.encode()), loader, AnalysisSettings())
    assert [function.name for function in analysis.facts.functions] == ["k"]
    return [problem.message for problem in analysis.facts.problems]


def test_an_included_pipe_is_named_and_not_read(pipe: Path) -> None:
    assert included(str(pipe)) == [f'the header is no regular file, so it is not read: "{pipe}"']


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/stdin", "/proc/self/environ"])
def test_an_included_device_is_named_and_not_read(path: str) -> None:
    if not os.path.exists(path):
        pytest.skip(f"there is no {path}")
    if os.path.isfile(path) and not path.startswith("/proc"):
        pytest.skip(f"{path} is a regular file here")
    assert included(path) == [f'the header is no regular file, so it is not read: "{path}"']


def test_a_pipe_among_the_settings_is_a_problem(pipe: Path) -> None:
    source, (problem,) = read_settings_file(str(pipe))
    assert source is None
    assert "not a regular file" in problem.message


def test_a_pipe_in_a_folder_is_no_source(pipe: Path, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n")
    assert [Path(found.path).name for found in expand([str(tmp_path)])] == ["k.cu"]


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.cuh").touch()
    assert read_regular(str(tmp_path / "empty.cuh")) == b""
    assert included(str(tmp_path / "empty.cuh")) == []
