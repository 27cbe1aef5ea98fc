"""What happens around the server: killed, not trusted, shared by two windows, settings of the project."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.editors.vscode.conftest import WITH_NUMPY, Launch
from tests.editors.vscode.server import CodeServer
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
        window.wait_for_codes(BARRIER, lambda codes: codes == ["RAC301"])  # without the barrier
        assert window.notifications() == [], "the user was not bothered"
        window.picture("started-again")
        (second,) = _servers(server)
        window.command("SIMT: Restart Server")
        wait_until(lambda: len(_servers(server)) == 1 and _servers(server) != [second], lambda: "not restarted")
        window.sees(".statusbar-item", "2 kernels")
        window.picture("restarted")


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
            lambda: [found["severity"] for found in window.diagnostics(BARRIER)] == [3], lambda: "the editor does"
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
