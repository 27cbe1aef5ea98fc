"""A failure is told to who can use it: the log, with what was asked; the answer, with a code."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from typing import Any

from pygls.exceptions import JsonRpcException

from simt_lsp.server.client import ClientFeatures, read_client_features
from simt_lsp.server.client_settings import ClientSettings
from simt_lsp.server.errors import CONTENT_MODIFIED, REQUEST_FAILED, report_failure
from simt_lsp.server.worker import Superseded
from simt_lsp.workspace.configuration import SettingProblem
from tests.server.raw_client import NEOVIM, PATIENCE, VSCODE


def reported(error: Exception) -> tuple[int, list[str]]:
    lines: list[str] = []
    try:
        raise error
    except Exception as raised:
        answer = report_failure(lines.append, "textDocument/hover untitled:k:1:2", raised)
    return answer.code, lines


def test_a_crash_is_logged_with_its_request_and_traceback() -> None:
    code, (line,) = reported(KeyError("x"))
    assert code == REQUEST_FAILED
    assert line.startswith("textDocument/hover untitled:k:1:2 failed\nTraceback")
    assert "KeyError: 'x'" in line


def test_what_is_expected_is_answered_and_not_logged() -> None:
    assert reported(Superseded()) == (CONTENT_MODIFIED, [])
    assert reported(JsonRpcException("no", code=-1)) == (-1, [])
    assert reported(ValueError("simt.explain takes a URI and a line")) == (REQUEST_FAILED, [])


def test_only_a_client_that_can_be_told_to_pull_is_left_to_pull() -> None:
    assert read_client_features(VSCODE).pull_diagnostics
    assert not read_client_features(NEOVIM).pull_diagnostics
    assert read_client_features(None) == ClientFeatures()
    odd: dict[str, Any] = {"general": {"positionEncodings": [1, "utf-8"]}, "window": [], "workspace": None}
    assert read_client_features(odd) == ClientFeatures(encodings=("utf-8",))


def test_each_problem_is_shown_once() -> None:
    settings = ClientSettings()
    one, two = SettingProblem("a", "k", "one"), SettingProblem("a", "k", "two")
    assert settings.unseen([one, one]) == (one,)
    assert settings.unseen([one, two]) == (two,)


def test_a_server_on_a_socket_serves_and_leaves() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-I", "-m", "simt_lsp", "--tcp", f"127.0.0.1:{port}"])
    try:
        with _connected(port) as connection, connection.makefile("rwb") as stream:
            for number, method in enumerate(("initialize", "shutdown")):
                message: dict[str, Any] = {
                    "jsonrpc": "2.0",
                    "id": number,
                    "method": method,
                    "params": {"capabilities": {}},
                }
                body = json.dumps(message if method == "initialize" else {**message, "params": None}).encode()
                stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                stream.flush()
                length = int(stream.readline().split(b":")[1])
                while stream.readline().strip():
                    pass
                assert json.loads(stream.read(length))["id"] == number
            exit_body = b'{"jsonrpc":"2.0","method":"exit"}'
            stream.write(b"Content-Length: %d\r\n\r\n" % len(exit_body) + exit_body)
            stream.flush()
            assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
