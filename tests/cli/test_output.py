"""Where results go: a full disk, a closed stream, a file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.kernels import CLEAN, DIVERGENT
from tests.cli.shell import COMMAND, TIMEOUT, environment, simt_lsp, write

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", [("check", "a.cu"), ("facts", "a.cu"), ("check", "--color=always", "a.cu")])
def test_a_full_disk_is_one_line_and_status_two(tmp_path: Path, command: tuple[str, ...]) -> None:
    write(tmp_path, {"a.cu": DIVERGENT})
    with FULL.open("w") as full:
        done = subprocess.run(
            [*COMMAND, *command],
            cwd=tmp_path,
            env=environment({}),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "simt-lsp: error: the output cannot be written: no space left on device\n"


@pytest.mark.skipif(not FULL.exists(), reason="needs a POSIX shell")
def test_a_closed_standard_output_loses_nothing_silently(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT})
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *COMMAND, "check", "a.cu"],
        cwd=tmp_path,
        env=environment({}),
        stderr=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("simt-lsp: error: the output cannot be written: ")
    assert done.stderr.count("\n") == 1


def test_the_result_is_written_to_a_file_and_summed_up_on_standard_error(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT, "report.txt": "the last one"})
    done = simt_lsp("check", "a.cu", "--output", "report.txt", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("1 error in 1 file (1 kernel, 6 lines, ")
    text = (tmp_path / "report.txt").read_text()
    assert text.startswith("a.cu:3:5: error SYN101 ")
    assert text.splitlines()[-2].startswith("1 error in 1 file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.cu", "report.txt"]


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": CLEAN})
    done = simt_lsp("check", "a.cu", "--output", "missing/report.txt", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "simt-lsp: error: --output missing/report.txt: no such file or directory\n"
