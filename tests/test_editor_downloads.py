"""Where what the tests in editors need cannot be had, one line says so: the host, what was wanted, what to do."""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.editors import prepare
from tests.editors.downloads import CannotInstall, download

NOBODY = "http://127.0.0.1:9/simple"
"""The discard port: nothing listens there."""


def test_a_host_that_cannot_be_reached_is_named() -> None:
    with pytest.raises(CannotInstall) as told:
        download("node", NOBODY, ["false"], pauses=())
    assert str(told.value).startswith("node: 127.0.0.1 cannot be reached; ")
    assert "SIMT_LSP_EDITOR_CACHE" in str(told.value)
    assert "\n" not in str(told.value)


def test_a_host_that_refuses_is_told_from_one_that_is_away() -> None:
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)  # answers 501: it is there
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with pytest.raises(CannotInstall, match=r"^node cannot be had from 127\.0\.0\.1: no such / version$"):
            download(
                "node",
                f"http://127.0.0.1:{server.server_port}/",
                [sys.executable, "-c", "import sys; sys.exit('no such\\nversion')"],
                pauses=(),
            )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_it_is_tried_again(tmp_path: Path) -> None:
    code = "import pathlib, sys; p = pathlib.Path('tries'); n = len(p.read_text()) if p.exists() else 0; "
    code += "p.write_text('x' * (n + 1)); print('got it'); sys.exit(n < 2)"
    assert download("node", NOBODY, [sys.executable, "-c", code], folder=tmp_path, pauses=(0, 0)) == "got it\n"
    assert (tmp_path / "tries").read_text() == "xxx"


def test_all_that_the_system_lacks_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("SIMT_LSP_EDITOR_CACHE", str(tmp_path))
    monkeypatch.setattr("tests.editors.prepare.chromium_path", lambda: None)
    monkeypatch.setattr("tests.editors.vscode.install._HEADERS", {"no/such/header.h": "libnone-dev"})
    monkeypatch.setattr("tests.editors.debian._KEYRING", "/no/such/keyring")
    assert prepare.main() == 1
    assert "first: apt-get install chromium libnone-dev " in (told := capsys.readouterr().err)
    assert told.rstrip().endswith("debian-archive-keyring")
    assert told.count("\n") == 1
