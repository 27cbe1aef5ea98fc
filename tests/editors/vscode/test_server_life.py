"""What happens around the server: found, missing, killed, not trusted, set up, shared by two windows."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.editors.vscode.conftest import WITH_NUMPY, Launch
from tests.editors.vscode.install import UNIVERSAL
from tests.editors.vscode.server import CodeServer, write_extension
from tests.editors.vscode.window import Window, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BARRIER: Final = "divergent_barrier.cu"


def test_a_killed_server_is_started_again(launch: Launch, browser: Browser, project: Path) -> None:
    server = launch(machine=WITH_NUMPY)
    with Window(browser, server, project) as window:
        window.open(BARRIER)
        window.wait_for_codes(BARRIER, bool)
        (first,) = _servers(server)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: _servers(server) not in ([], [first]), lambda: "no new server")
        window.ask(
            "const edit = new vscode.WorkspaceEdit();"
            "edit.delete(vscode.window.activeTextEditor.document.uri, new vscode.Range(18, 0, 19, 0));"
            "await vscode.workspace.applyEdit(edit);"
        )
        window.wait_for_codes(BARRIER, lambda codes: codes == [])
        assert window.notifications() == [], "the user was not bothered"
        window.picture("started-again")
        (second,) = _servers(server)
        window.command("SIMT: Restart Server")
        wait_until(lambda: len(_servers(server)) == 1 and _servers(server) != [second], lambda: "not restarted")
        window.sees(".statusbar-item", "2 kernels")
        window.picture("restarted")


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


def test_a_workspace_that_is_not_trusted_cannot_name_the_server(
    launch: Launch, browser: Browser, project: Path, tmp_path: Path
) -> None:
    proof = tmp_path / "was-run"
    intruder = project / "server.sh"
    intruder.write_text(f"#!/bin/sh\ntouch {proof}\n")
    intruder.chmod(0o755)
    (project / ".vscode").mkdir()
    (project / ".vscode" / "settings.json").write_text(f'{{ "simt-lsp.server.path": "{intruder}" }}')
    trust = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
    with Window(browser, launch(settings=trust, machine=WITH_NUMPY), project) as window:
        assert window.ask("return vscode.workspace.isTrusted") is False
        window.open(BARRIER)
        window.wait_for_codes(BARRIER, bool)
        window.picture("restricted")
        assert not proof.exists()


def test_two_windows_have_a_server_each(launch: Launch, browser: Browser, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "plain.cu").write_text("__global__ void plain(int *out) { out[threadIdx.x] = 1; }\n")
    (other / "early.cu").write_text((project / "early_exit.cu").read_text())
    server = launch(machine=WITH_NUMPY)
    with Window(browser, server, project) as one, Window(browser, server, other) as two:
        one.open(BARRIER)
        two.open("early.cu")
        assert one.wait_for_codes(BARRIER, bool) == ["SYN101"]
        assert set(two.wait_for_codes("early.cu", bool)) == {"SYN103"}
        assert len(_servers(server)) == 2
        one.picture("first")
        two.picture("second")


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
        window.panel("relax")
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
        window.wait_for_codes(BARRIER, bool, 120)
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


def test_settings_of_the_project_hold_until_the_editor_says_otherwise(
    launch: Launch, browser: Browser, project: Path
) -> None:
    (project / ".simt.toml").write_text('[rules]\ndivergent-barrier = "warning"\n')
    with Window(browser, launch(machine=WITH_NUMPY), project) as window:
        window.open(BARRIER)
        window.wait_for_codes(BARRIER, bool)
        assert [found["severity"] for found in window.diagnostics(BARRIER)] == [1], "defaults do not win"
        window.set_setting("simt-lsp.rules.divergent-barrier", "hint")
        wait_until(
            lambda: [found["severity"] for found in window.diagnostics(BARRIER)] == [3], lambda: "the editor does", 20
        )


def _servers(server: CodeServer) -> list[int]:
    """The language servers that run below a code-server."""
    parents = {int(pid): _status(pid) for pid in os.listdir("/proc") if pid.isdecimal()}
    found: list[int] = []
    for pid, parent in parents.items():
        ancestors: list[int] = []
        while parent is not None and parent not in ancestors:
            ancestors.append(parent)
            parent = parents.get(parent)
        if server.pid in ancestors and _is_server(pid):
            found.append(pid)
    return sorted(found)


def _status(pid: str) -> int | None:
    try:
        text = Path("/proc", pid, "stat").read_text()
    except OSError:  # it has just ended
        return None
    return int(text.rpartition(")")[2].split()[1])


def _is_server(pid: int) -> bool:
    try:
        arguments = Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"--stdio" in arguments and any(argument.endswith(b"start.py") for argument in arguments)


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
