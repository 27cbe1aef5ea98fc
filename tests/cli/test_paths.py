from __future__ import annotations

import os
from pathlib import Path

import pytest

from simt_lsp.cli.paths import BadPath, EmptyFolder, SourceFile, expand, without_repeats
from tests.cli.shell import write

KERNEL = "__global__ void k() {}\n"


def found(folder: Path, *names: str) -> list[tuple[str, str]]:
    """Kind and path, relative to `folder`, of everything that `names` below it expand to."""
    items = expand(os.path.join(folder, name) if name else str(folder) for name in names)
    return [(type(item).__name__, Path(item.path).relative_to(folder).as_posix()) for item in items]


def test_a_folder_means_its_cuda_files_by_name(tmp_path: Path) -> None:
    write(tmp_path, {"b.cu": KERNEL, "a.cuh": "", "sub/c.hip": "", "A.CU": "", "notes.txt": KERNEL, "host.cpp": KERNEL})
    assert found(tmp_path, "") == [
        ("SourceFile", "A.CU"),
        ("SourceFile", "a.cuh"),
        ("SourceFile", "b.cu"),
        ("SourceFile", "sub/c.hip"),
    ]


def test_headers_count_when_they_hold_device_code(tmp_path: Path) -> None:
    write(tmp_path, {"a.h": "__device__ int f();", "b.hpp": KERNEL, "c.h": "int f();", "d.hpp": ""})
    assert found(tmp_path, "") == [("SourceFile", "a.h"), ("SourceFile", "b.hpp")]


def test_hidden_folders_are_not_entered(tmp_path: Path) -> None:
    write(tmp_path, {".git/a.cu": "", ".cache/b.cu": "", "c.cu": "", ".d.cu": ""})
    assert found(tmp_path, "") == [("SourceFile", ".d.cu"), ("SourceFile", "c.cu")]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, {"sub/a.cu": ""})
    (tmp_path / "sub" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "broken.cu").symlink_to(tmp_path / "nowhere")
    assert found(tmp_path, "") == [("SourceFile", "sub/a.cu")]


def test_a_named_file_counts_whatever_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"kernel.txt": KERNEL})
    assert list(expand([str(tmp_path / "kernel.txt")])) == [SourceFile(str(tmp_path / "kernel.txt"), explicit=True)]


def test_every_path_yields_something(tmp_path: Path) -> None:
    write(tmp_path, {"empty/readme.md": ""})
    missing, empty = str(tmp_path / "missing.cu"), str(tmp_path / "empty")
    assert list(expand([missing, empty])) == [BadPath(missing, "no such file or folder"), EmptyFolder(empty)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.cu")
    assert list(expand([str(tmp_path / "pipe.cu")])) == [BadPath(str(tmp_path / "pipe.cu"), "not a regular file")]
    assert found(tmp_path, "") == [("EmptyFolder", ".")]


def test_a_file_named_twice_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.cu": "", "b.cu": ""})
    monkeypatch.chdir(tmp_path)
    assert [item.path for item in without_repeats(expand(["b.cu", ".", "./b.cu"]))] == [
        "b.cu",
        os.path.join(".", "a.cu"),
    ]
