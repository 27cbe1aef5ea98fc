"""`workspace/diagnostic`: all CUDA files of the workspace, on request."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.server.raw_client import NEOVIM, VSCODE, Message, RawClient, server

METHOD = "workspace/diagnostic"
ASKING: Message = {**VSCODE, "experimental": {"simtWorkspaceDiagnostics": True}}
CLEAN = "__global__ void fine(float *x) { x[threadIdx.x] = 1.0f; }\n"
DIVERGENT = "__global__ void k(float *x) {\n  if (threadIdx.x < 16) __syncthreads();\n  x[threadIdx.x] = 1.0f;\n}\n"
USER = '#include "k.cuh"\n__global__ void user(float *x) {\n  if (WHO) __syncthreads();\n  x[threadIdx.x] = 1.0f;\n}\n'


def _ask(client: RawClient, previous: Sequence[Message] = (), **more: Any) -> list[Message]:
    ids = [{"uri": one["uri"], "value": one["resultId"]} for one in previous if one.get("resultId")]
    items: list[Message] = client.request(METHOD, {"previousResultIds": ids, **more})["items"]
    return items


def _codes(items: Sequence[Message]) -> dict[str, list[str] | str]:
    return {
        one["uri"].rpartition("/")[2]: [found["code"] for found in one["items"]]
        if one["kind"] == "full"
        else one["kind"]
        for one in items
    }


def _tree(root: Path) -> None:
    (root / "b.cu").write_text(DIVERGENT)
    (root / "a.cu").write_text(CLEAN)
    (root / "sub").mkdir()
    (root / "sub" / "k.cuh").write_text("#define WHO threadIdx.x < 16\n")
    (root / "sub" / "user.cu").write_text(USER)
    (root / "host.cpp").write_text("int main() {}\n")


def _changed(client: RawClient, path: Path, kind: int = 2) -> None:
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})


def test_only_a_client_that_pulls_and_wants_it_is_offered_it(tmp_path: Path) -> None:
    with server() as client:
        found = client.initialize(ASKING, tmp_path)["capabilities"]["diagnosticProvider"]
        assert found["workspaceDiagnostics"] is True
    with server() as client:
        found = client.initialize(VSCODE, tmp_path)["capabilities"]["diagnosticProvider"]
        assert found["workspaceDiagnostics"] is False
        assert client.answer(client.ask(METHOD, {"previousResultIds": []}))["error"]["code"] == -32601
    with server() as client:
        wants = {**NEOVIM, "experimental": ASKING["experimental"]}
        assert "diagnosticProvider" not in client.initialize(wants, tmp_path)["capabilities"]
        assert client.answer(client.ask(METHOD, {"previousResultIds": []}))["error"]["code"] == -32601


def test_all_files_are_told_once_and_then_what_changed(tmp_path: Path) -> None:
    _tree(tmp_path)
    with server() as client:
        client.initialize(ASKING, tmp_path)
        first = _ask(client)
        assert _codes(first) == {"a.cu": [], "b.cu": ["SYN101"], "k.cuh": [], "user.cu": ["SYN101"]}
        assert [one["uri"] for one in first] == [
            (tmp_path / name).as_uri() for name in ("a.cu", "b.cu", "sub/k.cuh", "sub/user.cu")
        ]
        assert _codes(_ask(client, first)) == dict.fromkeys(("a.cu", "b.cu", "k.cuh", "user.cu"), "unchanged")
        (tmp_path / "sub" / "k.cuh").write_text("#define WHO 1 < 16\n")
        _changed(client, tmp_path / "sub" / "k.cuh")
        second = _ask(client, first)
        assert _codes(second) == {"a.cu": "unchanged", "b.cu": "unchanged", "k.cuh": "unchanged", "user.cu": ["SYN107"]}
        assert _codes(_ask(client)) == {"a.cu": [], "b.cu": ["SYN101"], "k.cuh": [], "user.cu": ["SYN107"]}


def test_a_new_launch_elsewhere_is_heeded(tmp_path: Path) -> None:
    declared = "__global__ void k(float *x);\n"
    (tmp_path / "k.cu").write_text(DIVERGENT.replace("threadIdx.x < 16", "threadIdx.x < 32"))
    (tmp_path / "main.cu").write_text(declared + "void run(float *x) { k<<<1, 32>>>(x); }\n")
    with server() as client:
        client.initialize(ASKING, tmp_path)
        first = _ask(client)
        assert "SYN101" not in _codes(first)["k.cu"]
        (tmp_path / "more.cu").write_text(declared + "void more(float *x) { k<<<1, 64>>>(x); }\n")
        _changed(client, tmp_path / "more.cu", 1)
        found = _ask(client, first)
        while "more.cu" not in _codes(found):  # the folder is walked again meanwhile
            found = _ask(client, first)
        assert "SYN101" in _codes(found)["k.cu"]


def test_a_file_that_is_gone_is_taken_back(tmp_path: Path) -> None:
    _tree(tmp_path)
    with server() as client:
        client.initialize(ASKING, tmp_path)
        first = _ask(client)
        (tmp_path / "b.cu").unlink()
        _changed(client, tmp_path / "b.cu", 3)
        found = _ask(client, first)
        while _codes(found)["b.cu"] == "unchanged":  # the folder is walked again meanwhile
            found = _ask(client, first)
        assert _codes(found)["b.cu"] == []
        assert (tmp_path / "b.cu").as_uri() not in [one["uri"] for one in _ask(client)]


def test_an_open_document_is_told_as_it_is(tmp_path: Path) -> None:
    _tree(tmp_path)
    uri = (tmp_path / "a.cu").as_uri()
    with server() as client:
        client.initialize(ASKING, tmp_path)
        first = _ask(client)
        client.open(uri, DIVERGENT, version=7)
        told = next(one for one in _ask(client, first) if one["uri"] == uri)
        assert (told["version"], [found["code"] for found in told["items"]]) == (7, ["SYN101"])
        pulled = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert (pulled["resultId"], pulled["items"]) == (told["resultId"], told["items"])


def test_partial_results_come_in_the_same_order(tmp_path: Path) -> None:
    _tree(tmp_path)
    with server() as client:
        client.initialize(ASKING, tmp_path)
        whole = _ask(client)
        assert _ask(client, partialResultToken="parts", workDoneToken="work") == []
        sent = [
            message["params"]
            for message in client.seen
            if message.get("method") == "$/progress" and "id" not in message
        ]
        parts = [item for one in sent if one["token"] == "parts" for item in one["value"]["items"]]
        assert parts == whole
        assert [one["value"]["kind"] for one in sent if one["token"] == "work"][::5] == ["begin", "end"]


def test_a_request_that_is_cancelled_ends_and_typing_goes_first(tmp_path: Path) -> None:
    for index in range(200):
        (tmp_path / f"k{index}.cu").write_text(DIVERGENT.replace("void k", f"void k{index}"))
    uri = (tmp_path / "open.cu").as_uri()
    with server() as client:
        client.initialize(ASKING, tmp_path)
        number = client.ask(METHOD, {"previousResultIds": [], "partialResultToken": "parts"})
        client.wait(lambda message: message.get("method") == "$/progress" and message["params"]["token"] == "parts")
        client.open(uri, DIVERGENT)
        asked = client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        client.wait(lambda message: message.get("id") == asked and "method" not in message)
        assert not any(message.get("id") == number and "method" not in message for message in client.seen)
        client.notify("$/cancelRequest", {"id": number})
        assert client.answer(number)["error"]["code"] == -32800
        assert client.stop() == 0


MEET = "__device__ void meet(float *p, int n) {\n  for (int i = 0; i < n; ++i) p[i] *= 2;\n}\n"
CALLING = '#include "meet.cuh"\n__global__ void k(float *p, int n) { meet(p, n); }\n'


def test_headers_are_judged_by_their_callers_as_the_shell_judges_them(tmp_path: Path) -> None:
    (tmp_path / "meet.cuh").write_text(MEET)
    (tmp_path / "even.cu").write_text(CALLING.replace("void k", "void even"))
    (tmp_path / "main.cu").write_text(CALLING.replace("meet(p, n)", "meet(p, threadIdx.x)"))
    (tmp_path / "later.cu").write_text("__global__ void late(float *p) { p[0] = 0; }\n")
    with server() as client:
        client.initialize(ASKING, tmp_path)
        first = _ask(client)
        assert _codes(first)["meet.cuh"] == _in_shell(tmp_path / "meet.cuh", tmp_path) == ["DIV402"]
        (tmp_path / "main.cu").write_text(CALLING)
        _changed(client, tmp_path / "main.cu")
        second = _ask(client, first)
        assert _codes(second)["meet.cuh"] == _in_shell(tmp_path / "meet.cuh", tmp_path) == []
        (tmp_path / "later.cu").write_text(CALLING.replace("meet(p, n)", "meet(p, threadIdx.x)"))
        _changed(client, tmp_path / "later.cu")
        third = _ask(client, second)
        assert _codes(third)["meet.cuh"] == _in_shell(tmp_path / "meet.cuh", tmp_path) == ["DIV402"]


def _in_shell(path: Path, root: Path) -> list[str]:
    command = [sys.executable, "-m", "simt_lsp", "check", "--verbose", "--format", "json", str(root)]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return [one["code"] for file in told["files"] if file["path"] == str(path) for one in file["diagnostics"]]


def test_headers_with_device_code_are_among_the_files(tmp_path: Path) -> None:
    """As in `simt-lsp check`; one that loses its device code is told to have no findings."""
    (tmp_path / "k.h").write_text(DIVERGENT)
    (tmp_path / "host.h").write_text("int host();\n")
    (tmp_path / "wait.hpp").write_text(CLEAN)
    with server() as client:
        client.initialize(ASKING, tmp_path)
        first = _ask(client)
        assert _codes(first) == {"k.h": ["SYN101"], "wait.hpp": []}
        (tmp_path / "k.h").write_text("int k();\n")
        (tmp_path / "host.h").write_text(DIVERGENT)
        _changed(client, tmp_path / "k.h")
        _changed(client, tmp_path / "host.h")
        assert _codes(_ask(client, first)) == {"k.h": [], "host.h": ["SYN101"], "wait.hpp": "unchanged"}
