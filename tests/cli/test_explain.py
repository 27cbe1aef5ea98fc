from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.kernels import DIVERGENT
from tests.cli.shell import simt_lsp, write


def test_a_branch_is_explained_down_to_the_thread_index(tmp_path: Path) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    done = simt_lsp("explain", "halo.cu:2", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "threadIdx.x < 16" in done.stdout
    assert "varying" in done.stdout


def test_a_line_where_nothing_varies_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    done = simt_lsp("explain", "halo.cu:6", cwd=tmp_path)
    assert (done.returncode, "nothing varies" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("halo.cu", "FILE:LINE"),
        ("halo.cu:0", "count from 1"),
        ("halo.cu:99", "there is no line 99"),
        ("gone.cu:1", "gone.cu: no such file"),
        (".:1", ".: a folder; name a file in it"),
    ],
)
def test_a_place_that_does_not_exist_is_named(tmp_path: Path, place: str, message: str) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    done = simt_lsp("explain", place, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_all_paths_are_followed_on_demand(tmp_path: Path) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    plain = simt_lsp("explain", "halo.cu:3", cwd=tmp_path)
    exact = simt_lsp("explain", "--exact", "halo.cu:3", cwd=tmp_path)
    assert (exact.returncode, exact.stderr) == (0, "")
    assert exact.stdout.startswith(plain.stdout)
    added = exact.stdout.removeprefix(plain.stdout)
    assert added.startswith("  exactly, over all paths of two threads:\n")
    assert "exactly" not in plain.stdout


def test_the_net_and_its_states_are_drawn(tmp_path: Path) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    done = simt_lsp("explain", "halo.cu:3", "--net", "net.svg", "--states", "states.dot", "--free", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "exactly, over all paths of two threads:" in done.stdout
    assert (tmp_path / "net.svg").read_text().startswith("<svg ")
    assert (tmp_path / "states.dot").read_text().startswith("digraph ")


@pytest.mark.parametrize(
    ("line", "output", "message"),
    [
        (3, "net.png", "net.png: a drawing is written as .svg or .dot"),
        (6, "net.svg", "net.svg: no code runs on line 6, so there is nothing to draw"),
        (3, "gone/net.svg", "gone/net.svg: no such file or directory"),
    ],
)
def test_what_cannot_be_drawn_is_named(tmp_path: Path, line: int, output: str, message: str) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    done = simt_lsp("explain", f"halo.cu:{line}", "--net", output, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


class TestRules:
    def test_a_rule_by_its_code_or_name(self) -> None:
        page = simt_lsp("explain", "SYN101").stdout
        assert page.startswith("# SYN101: divergent-barrier\n")
        assert page.rstrip().endswith("/docs/rules/SYN101.md")
        assert simt_lsp("explain", "simt-divergent-barrier").stdout == page
        assert simt_lsp("explain", "syn101").stdout == page

    def test_an_unknown_rule_is_answered_with_those_that_are_close(self) -> None:
        done = simt_lsp("explain", "SYN1O1")
        assert done.returncode == 2
        assert "'SYN1O1' is no rule and names no line" in done.stderr
        assert "SYN101 (divergent-barrier)" in done.stderr
        assert "DIV401 (divergent-branch), DIV402 (divergent-loop)" in simt_lsp("explain", "DIV").stderr
        assert "did you mean" not in simt_lsp("explain", "banana").stderr
