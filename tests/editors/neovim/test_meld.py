"""The cursor on a hint: the melding is looked at, applied, undone, applied again, and simulated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.meldable import ALIKE, LINE, MELDED, NAME, NEVER
from tests.editors.neovim.editor import VERSIONS, Neovim
from tests.editors.outcome import FAILED
from tests.editors.terminal import wait_until
from tests.support.seldom import REASON, SELDOM


@pytest.fixture(params=VERSIONS)
def neovim(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Neovim]:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    (project / NAME).write_text(ALIKE)
    with Neovim(str(request.param), project, home, files=(NAME,)) as editor:
        editor.wait_for("#vim.diagnostic.get(0) > 0")
        yield editor
        if request.node.stash.get(FAILED, False):
            editor.picture("failed")


def shows(neovim: Neovim, text: str) -> None:
    wait_until(lambda: written(neovim) == text, lambda: f"never the wanted text\n{neovim.terminal.text()}")


def written(neovim: Neovim) -> str:
    """The text of the kernel's buffer."""
    lines = neovim.lua(f"return vim.api.nvim_buf_get_lines(vim.fn.bufnr('{NAME}'), 0, -1, false)")
    return "".join(f"{line}\n" for line in lines)


def write(neovim: Neovim, text: str) -> None:
    """Puts another kernel in the place of the first one."""
    neovim.lua(f"vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.json.decode([=[{json.dumps(text.splitlines())}]=]))")
    branch = next(number for number, line in enumerate(text.splitlines()) if "if (" in line)
    neovim.wait_for(
        "vim.iter(vim.diagnostic.get(0)):any(function(found)"
        f" return found.code == 'DIV403' and found.lnum == {branch} end)"
    )
    neovim.at(branch + 1, 3)


def act(neovim: Neovim, title: str) -> None:
    """A code action by the beginning of its title."""
    neovim.lua(
        "vim.lsp.buf.code_action({ apply = true, filter = function(action)"
        f" return vim.startswith(action.title, '{title}') end }})"
    )


def test_a_melding_is_applied_undone_applied_again_and_simulated(neovim: Neovim) -> None:
    assert "DIV403" in neovim.codes()
    neovim.at(LINE, 3)
    act(neovim, "Meld divergent arms")
    shows(neovim, MELDED)
    neovim.wait_for("vim.iter(vim.diagnostic.get(0)):all(function(found) return found.code ~= 'DIV403' end)")
    neovim.picture("applied")
    neovim.keys("u")
    shows(neovim, ALIKE)
    neovim.wait_for("vim.iter(vim.diagnostic.get(0)):any(function(found) return found.code == 'DIV403' end)")
    neovim.at(LINE, 3)
    act(neovim, "Meld both arms: ")
    shows(neovim, MELDED)
    neovim.run("SimtSimulate")
    neovim.sees("SIMD efficiency")
    neovim.picture("simulated")


def test_the_preview_shows_both_texts_and_applies(neovim: Neovim) -> None:
    neovim.at(LINE, 3)
    neovim.run("SimtMeld")
    neovim.sees("a applies, q closes")
    neovim.sees("fewer issued instructions")
    neovim.picture("preview")
    assert written(neovim) == ALIKE
    neovim.keys("a")
    shows(neovim, MELDED)
    neovim.no_longer_sees("[Scratch]")
    neovim.picture("applied")


def test_the_preview_is_a_code_action_and_can_be_left(neovim: Neovim) -> None:
    neovim.at(LINE, 3)
    act(neovim, "Preview the melding")
    neovim.sees("a applies, q closes")
    neovim.keys("q")
    neovim.no_longer_sees("[Scratch]")
    assert written(neovim) == ALIKE


def test_a_text_that_changed_is_not_melded(neovim: Neovim) -> None:
    neovim.at(LINE, 3)
    neovim.run("SimtMeld")
    neovim.sees("a applies, q closes")
    neovim.lua(f"vim.api.nvim_buf_set_lines(vim.fn.bufnr('{NAME}'), 0, 0, false, {{ '// above' }})")
    neovim.keys("a")
    neovim.sees("the text changed after it was melded")
    assert written(neovim) == "// above\n" + ALIKE


def test_at_once(neovim: Neovim) -> None:
    neovim.at(LINE, 1)
    neovim.run("SimtMeld!")
    shows(neovim, MELDED)


def test_where_nothing_splits_it_says_so(neovim: Neovim) -> None:
    neovim.at(1, 1)
    neovim.run("SimtMeld")
    neovim.sees("no branch splits a warp in this line")


def test_what_a_run_refutes_is_not_applied_and_the_reason_is_shown(neovim: Neovim) -> None:
    write(neovim, SELDOM)
    act(neovim, "Meld divergent arms")
    neovim.sees(f"Not melded: {REASON}")
    neovim.picture("refuted")
    assert written(neovim) == SELDOM
    neovim.run("lua vim.lsp.buf.hover()")
    neovim.sees("The check refuted it: the kernel then")
    neovim.picture("hover")
    neovim.run("SimtMeld")
    neovim.sees("q closes")
    neovim.picture("preview")
    neovim.keys("a")
    neovim.sees(f"(refuted: {REASON})")
    assert written(neovim) == SELDOM


def test_what_was_not_checked_is_applied_after_a_question(neovim: Neovim) -> None:
    write(neovim, NEVER)
    act(neovim, "Meld divergent arms")
    neovim.sees("The melding was not checked: no input splits a warp at this branch")
    neovim.sees("Meld Unchecked")
    neovim.picture("question")
    neovim.keys("1\r")
    wait_until(lambda: "else" not in written(neovim), lambda: f"never applied\n{neovim.terminal.text()}")
    neovim.picture("applied")
