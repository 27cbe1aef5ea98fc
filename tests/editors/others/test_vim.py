"""Vim 9 with ALE and what docs/editors.md says: findings, a hover behind wide characters, typing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.debian import command, unpacked
from tests.editors.folders import results_folder
from tests.editors.others.snippets import FINDING, HALO, home_environment, snippet
from tests.editors.outcome import FAILED
from tests.editors.terminal import Terminal


@pytest.fixture
def vim(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    root = unpacked("vim")
    configuration = tmp_path / "vimrc"
    configuration.write_text(
        "set nocompatible noswapfile background=dark\n"
        f"set runtimepath^={root}/usr/share/vim-ale\nfiletype plugin indent on\n"
        f"runtime! plugin/ale.vim\n{snippet('Vim', 'vim')}"
    )
    (tmp_path / "halo.cu").write_text(HALO)
    environment = home_environment(tmp_path) | {"VIMRUNTIME": str(root / "usr" / "share" / "vim" / "vim90")}
    start = [*command(root, "vim.basic"), "-u", str(configuration), "halo.cu"]
    terminal = Terminal(start, environment, tmp_path)
    yield terminal
    if request.node.stash.get(FAILED, False):
        terminal.picture(results_folder() / "others" / "vim-failed.png")
    terminal.close()


def test_a_session(vim: Terminal) -> None:
    vim.wait_for(">>")
    vim.keys("3G")
    vim.wait_for(FINDING)
    vim.picture(results_folder() / "others" / "vim-finding.png")
    vim.keys("4Gf[l:ALEHover\r")
    vim.wait_for("(the thread index differs in every thread)")
    vim.keys(":pclose\r3Gdd")
    vim.wait_for(">>", gone=True)
    vim.type("O  if (lane < 9) { __syncthreads(); }\x1b")
    vim.wait_for(">>")
