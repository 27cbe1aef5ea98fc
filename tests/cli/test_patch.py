"""Diffs that git applies, and files that are replaced as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.patch import replace_file, unified_diff

BEFORE = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, BEFORE.replace(b"two\n", b"zwei\n").replace(b"nine", b"neun\nzehn")),
        (BEFORE[:-1], BEFORE[:-1].replace(b"nine", b"neun")),
        (BEFORE[:-1], BEFORE.replace(b"nine", b"neun")),
        (BEFORE, BEFORE[:-1]),
        (BEFORE.replace(b"\n", b"\r\n"), BEFORE.replace(b"two", b"zwei").replace(b"\n", b"\r\n")),
        (b"\xe9t\xe9\n\x0cpage\n\xff\n", b"\xe9t\xe9\n\x0cSeite\n\xff\n"),
    ],
)
@pytest.mark.parametrize("name", ["a.cu", "sub/with space.cu"])
def test_git_applies_the_diff(tmp_path: Path, before: bytes, after: bytes, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    patch = unified_diff(before, after, name)
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "apply", "--check", "-"], cwd=tmp_path, input=patch, check=True, env=environment)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, check=True, env=environment)
    assert path.read_bytes() == after


def test_no_difference_is_no_diff() -> None:
    assert unified_diff(BEFORE, BEFORE, "a.cu") == b""


class TestReplace:
    def test_bytes_mode_and_links_stay(self, tmp_path: Path) -> None:
        real, link = tmp_path / "real.cu", tmp_path / "link.cu"
        real.write_bytes(b"\xef\xbb\xbfa\r\nb\n")
        real.chmod(0o640)
        link.symlink_to(real)
        replace_file(str(link), b"\xef\xbb\xbfa\r\nb\n", b"\xef\xbb\xbfc\r\n")
        assert link.is_symlink()
        assert real.read_bytes() == b"\xef\xbb\xbfc\r\n"
        assert stat.S_IMODE(real.stat().st_mode) == 0o640
        assert sorted(os.listdir(tmp_path)) == ["link.cu", "real.cu"]

    def test_a_file_that_changed_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "a.cu"
        path.write_bytes(b"new\n")
        with pytest.raises(UsageError, match="changed while it was analysed; nothing is written"):
            replace_file(str(path), b"old\n", b"other\n")
        assert path.read_bytes() == b"new\n"

    def test_a_failure_leaves_the_file_and_nothing_else(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: object) -> None:
            raise OSError(28, "No space left on device")

        path = tmp_path / "a.cu"
        path.write_bytes(b"old\n")
        monkeypatch.setattr(os, "fsync", fails)
        with pytest.raises(UsageError, match=r"(?i)no space left on device; nothing is written"):
            replace_file(str(path), b"old\n", b"new\n")
        assert path.read_bytes() == b"old\n"
        assert os.listdir(tmp_path) == ["a.cu"]
