"""The server ends with the editor that started it, though somebody else still holds its standard input open."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from typing import Any

import pytest

from simt_lsp.server.transport.parent import watch_parent
from tests.server.raw_client import COMMAND, PATIENCE

EDITOR_THAT_DIES = """
import json, os, subprocess, sys
into, out_of = int(sys.argv[1]), int(sys.argv[2])
subprocess.Popen(sys.argv[3:], stdin=out_of)
params = {"processId": os.getpid(), "rootUri": None, "capabilities": {}}
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
os.write(into, b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
sys.stdin.read()  # until the test has seen the answer
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell a process that its parent is gone")
def test_the_server_ends_when_its_editor_died_and_another_process_holds_its_input() -> None:
    out_of, into = os.pipe()
    command = [sys.executable, "-c", EDITOR_THAT_DIES, str(into), str(out_of), *COMMAND]
    with subprocess.Popen(command, pass_fds=(into, out_of), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as editor:
        os.close(out_of)
        assert editor.stdin is not None
        assert editor.stdout is not None
        length = int(editor.stdout.readline().split(b":")[1])
        while editor.stdout.readline().strip():
            pass
        answer: dict[str, Any] = json.loads(editor.stdout.read(length))
        assert answer["result"]["serverInfo"]["name"] == "simt-lsp"
        editor.stdin.close()
        editor.wait(PATIENCE)
        ended, _, _ = select.select([editor.stdout], [], [], PATIENCE)
        os.close(into)  # ends it in any case
        assert ended, "the server lives on"
        assert editor.stdout.read() == b""


@pytest.mark.parametrize("claimed", [None, "1", 2**31 - 1, True])
def test_only_the_process_that_started_us_is_watched(claimed: object) -> None:
    assert not watch_parent(claimed, lambda: pytest.fail("ended for a stranger"))
