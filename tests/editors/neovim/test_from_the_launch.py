"""A kernel in a header and its launches in other files: what a user sees at both ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.editors.launched_elsewhere import (
    BARRIER_LINE,
    DECLARING,
    DECLARING_LINE,
    DEFINING,
    HEADER,
    KERNEL_LINE,
    LAUNCH_LINE,
    MAIN,
    write,
)
from tests.editors.neovim.editor import VERSIONS, Neovim
from tests.editors.outcome import FAILED

ROUNDED_UP: Final = "(gridDim.x - 1) * blockDim.x < n <= gridDim.x * blockDim.x"
_INDEX_IS_THERE: Final = """\
vim.iter(vim.tbl_values(vim.lsp.buf_request_sync(0, 'workspace/symbol', { query = 'halve' }, 2000) or {}))\
:any(function(answer) return #(answer.result or {}) > 0 end)"""
"""Kernels of files that nobody opened are known."""


@pytest.fixture(params=VERSIONS)
def neovim(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Neovim]:
    """On the file with the launch."""
    project, home = write(tmp_path / "project"), tmp_path / "home"
    home.mkdir()
    with Neovim(str(request.param), project, home, files=(MAIN,)) as editor:
        editor.sees("Simulate this launch")
        editor.wait_for(_INDEX_IS_THERE)
        yield editor
        if request.node.stash.get(FAILED, False):
            editor.picture("failed")


def test_a_launch_shows_what_it_says_and_what_is_known_of_its_kernel(neovim: Neovim) -> None:
    neovim.at(LAUNCH_LINE, 5)
    neovim.keys("K")
    neovim.sees("launch of smooth, defined in kernels.cuh:3")
    neovim.sees("grid of 63 blocks")
    neovim.sees("both launches: main.cu:9, other.cu:4")
    neovim.sees("SYN101 Threads 0-63 of the block arrive at this barrier")
    neovim.picture("hover")


def test_from_the_launch_to_the_kernel_and_back(neovim: Neovim) -> None:
    neovim.at(LAUNCH_LINE, 5)
    neovim.lua("vim.schedule(vim.lsp.buf.definition)")
    neovim.wait_for("vim.fn.expand('%:t') == 'kernels.cuh' and vim.fn.line('.') == 3")
    neovim.sees("launched in main.cu:9, other.cu:4")
    neovim.picture("definition")
    neovim.lua("vim.schedule(vim.lsp.buf.references)")
    neovim.wait_for("vim.bo.filetype == 'qf' and #vim.fn.getqflist() == 3")
    neovim.picture("references")


def test_a_launch_is_simulated_and_its_result_shown_at_both_ends(neovim: Neovim) -> None:
    neovim.at(LAUNCH_LINE, 5)
    neovim.lua("vim.schedule(function() vim.lsp.codelens.run() end)")
    neovim.sees("grid 63 · block 96")
    neovim.picture("report")
    neovim.keys("q")
    neovim.sees("Simulate again (")
    neovim.picture("launch")
    neovim.edit(HEADER)
    neovim.sees("Simulate again (")
    neovim.at(KERNEL_LINE, 18)
    neovim.keys("K")
    neovim.sees("Simulated with 63 × 96 threads")
    neovim.picture("kernel")


def test_a_code_action_simulates_the_launch(neovim: Neovim) -> None:
    neovim.at(LAUNCH_LINE, 5)
    neovim.lua("vim.schedule(vim.lsp.buf.code_action)")
    neovim.sees("1: Simulate this launch")
    neovim.keys("1\r")
    neovim.sees("grid 63 · block 96")


def test_explain_names_the_launches_at_the_kernel_and_the_kernel_at_the_launch(neovim: Neovim) -> None:
    neovim.at(LAUNCH_LINE)
    neovim.run("SimtExplain")
    neovim.sees("`smooth` is defined in kernels.cuh:3")
    neovim.picture("launch")
    neovim.edit(HEADER)
    neovim.at(KERNEL_LINE)
    neovim.run("SimtExplain")
    neovim.sees(f"block of 96 or 64 threads, `{ROUNDED_UP}`; both launches: main.cu:9, other.cu:4")
    neovim.picture("kernel")


def test_a_kernel_that_is_only_declared_is_found_in_its_own_file(neovim: Neovim) -> None:
    neovim.edit(DECLARING)
    neovim.sees("Simulate this launch")
    neovim.at(DECLARING_LINE, 5)
    neovim.keys("K")
    neovim.sees("launch of halve, defined in halve.cu:1")
    neovim.picture("hover")
    neovim.lua("vim.schedule(function() vim.lsp.codelens.run() end)")
    neovim.sees("grid 4 · block 128")
    neovim.keys("q")
    neovim.lua("vim.schedule(vim.lsp.buf.definition)")
    neovim.wait_for(f"vim.fn.expand('%:t') == '{DEFINING}' and vim.fn.line('.') == 1")
    neovim.sees("launched in run.cu:4")
    neovim.picture("definition")


def test_an_edit_of_the_launch_decides_what_is_found_in_the_header(neovim: Neovim) -> None:
    neovim.run(f"split {HEADER}")
    neovim.wait_for(f"vim.fn.expand('%:t') == '{HEADER}' and {_BARRIER_IS_FOUND}")
    neovim.picture("before")
    neovim.keys("\x1b\x17j:%s/threads = 96/threads = 64/\r\x17k")
    neovim.wait_for(f"vim.fn.expand('%:t') == '{HEADER}' and not {_BARRIER_IS_FOUND}")
    neovim.at(KERNEL_LINE, 18)
    neovim.keys("K")
    neovim.sees(f"block of 64 threads, {ROUNDED_UP}; both launches: main.cu:9, other.cu:4")
    neovim.picture("after")
    neovim.keys("\x1b\x17ju\x17k")
    neovim.wait_for(f"vim.fn.expand('%:t') == '{HEADER}' and {_BARRIER_IS_FOUND}")


_BARRIER_IS_FOUND: Final = f"""\
vim.iter(vim.diagnostic.get(0)):any(function(d) return d.code == 'SYN101' and d.lnum == {BARRIER_LINE - 1} end)"""
