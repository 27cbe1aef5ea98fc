"""A failure is told to who can use it: the log, with what was asked; the answer, with a code."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException

from simt_lsp.server.analyses.worker import Superseded
from simt_lsp.server.session.client_settings import ClientSettings
from simt_lsp.server.session.errors import CONTENT_MODIFIED, REQUEST_FAILED, report_failure
from simt_lsp.server.transport.client import ClientFeatures, read_client_features
from simt_lsp.workspace.settings.configuration import SettingProblem
from tests.server.raw_client import NEOVIM, VSCODE


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
