"""Which Python runs the server: found, missing, too old, chosen by another extension, set up with one click."""

from __future__ import annotations

import json
import os
import stat
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.editors.vscode.conftest import Launch
from tests.editors.vscode.install import UNIVERSAL
from tests.editors.vscode.server import write_extension
from tests.editors.vscode.window import Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BARRIER: Final = "divergent_barrier.cu"
DOWNLOAD_SECONDS: Final = 600.0


def test_without_python_the_user_is_told_what_to_do(
    launch: Launch, browser: Browser, project: Path, tmp_path: Path
) -> None:
    with Window(browser, launch(environment=_path(tmp_path, _nothing_but_a_shell(tmp_path))), project) as window:
        window.open(BARRIER)
        window.sees(".notifications-toasts .notification-list-item-message", "needs Python 3.11 or newer")
        window.picture("told")
        assert len(window.notifications()) == 1
        for button in ("Get Python", "Select Python…", "Show Log"):
            window.page.get_by_role("button", name=button, exact=True).first.wait_for()
        window.press_button("Show Log")
        window.sees(".panel .view-line", "python3")
        window.picture("log")
        window.sees(".statusbar-item", "SIMT").click()
        window.sees(".notifications-toasts .notification-list-item-message", "needs Python 3.11 or newer")


def test_an_old_python_is_named(launch: Launch, browser: Browser, project: Path, tmp_path: Path) -> None:
    programs = _nothing_but_a_shell(tmp_path)
    old = programs / "python3"
    old.write_text('#!/bin/sh\necho 3.9.2\necho "$0"\n')
    old.chmod(old.stat().st_mode | stat.S_IXUSR)
    with Window(browser, launch(environment=_path(tmp_path, programs)), project) as window:
        window.open(BARRIER)
        window.sees(".notifications-toasts .notification-list-item-message", "is Python 3.9; 3.11 or newer is needed")
        window.picture("told")


def test_numpy_is_set_up_with_consent_and_one_click(
    launch: Launch, browser: Browser, project: Path, tmp_path: Path
) -> None:
    """Downloads NumPy as a user would: the system's Python has none here, whatever the system."""
    bare = tmp_path / "bare"
    _venv(bare)
    with Window(
        browser, launch(environment=_path(tmp_path, bare / "bin", *os.environ["PATH"].split(os.pathsep))), project
    ) as window:
        window.open("data_dependent_branch.cu")
        window.sees(".codelens-decoration a", "Simulate").click()
        dialog = window.sees(".monaco-dialog-box", "Simulating needs NumPy")
        window.picture("asked")
        assert "downloads NumPy" in dialog.inner_text()
        window.press_button("Download and Set Up")
        window.panel("relax", DOWNLOAD_SECONDS)
        window.picture("simulated")


def test_the_universal_package_sets_its_libraries_up(
    launch: Launch, browser: Browser, project: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    _venv(bare)
    server = launch(target=UNIVERSAL, environment=_path(tmp_path, bare / "bin", os.environ["PATH"]))
    with Window(browser, server, project) as window:
        window.open(BARRIER)
        window.sees(".notifications-toasts .notification-list-item-message", "libraries that are not installed")
        window.picture("told")
        window.press_button("Set Up…")
        window.sees(".monaco-dialog-box", "Set up simt-lsp's own Python environment?")
        window.press_button("Download and Set Up")
        window.wait_for_codes(BARRIER, bool, DOWNLOAD_SECONDS)
        window.picture("set-up")


def test_other_extensions_choose_the_python_and_keep_their_colours(
    launch: Launch, browser: Browser, project: Path, tmp_path: Path
) -> None:
    """Stand-ins for the Python extension and for Microsoft's C++ extension, with the interface that is used of them."""
    choice = json.dumps(sys.executable)
    python = write_extension(
        tmp_path / "python",
        "ms-python",
        "python",
        "exports.activate = () => ({ environments: { getActiveEnvironmentPath: () => ({ path: 'chosen' }),"
        f" resolveEnvironment: async () => ({{ executable: {{ uri: require('vscode').Uri.file({choice}) }} }}) }} }});",
    )
    cpp = write_extension(tmp_path / "cpp", "ms-vscode", "cpptools", "exports.activate = () => undefined;")
    with Window(browser, launch(others=[python, cpp]), project) as window:
        window.open(BARRIER)
        window.wait_for_codes(BARRIER, bool)
        window.command("SIMT: Show Log")
        window.sees(".panel .view-line", "(Python\u00a0extension)")
        asked = (
            "const { uri } = vscode.window.visibleTextEditors[0].document;"
            "const tokens = await vscode.commands.executeCommand('vscode.provideDocumentSemanticTokens', uri);"
            "return tokens?.data.length > 0 ? tokens.data.length : null;"
        )
        assert window.ask(asked) is None, "the other extension's colours"
        window.set_setting("simt-lsp.semanticTokens", "on")
        window.wait_for(asked, bool)


def _path(tmp_path: Path, *folders: Path | str) -> dict[str, str]:
    """The PATH, and a shell that leaves it as it is: VS Code asks the user's login shell for its variables."""
    shell = tmp_path / "shell"
    shell.write_text('#!/bin/sh\nfor last; do :; done\nexec /bin/sh -c "$last"\n')
    shell.chmod(0o755)
    return {"PATH": os.pathsep.join(map(str, folders)), "SHELL": str(shell)}


def _nothing_but_a_shell(tmp_path: Path) -> Path:
    """A folder for a PATH without any Python."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "sh").symlink_to("/bin/sh")
    return programs


def _venv(folder: Path) -> None:
    venv.create(folder, with_pip=True)
