"""What changes around a document: headers, settings, roots, the clients' ways to be told."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.server.kernels import CLEAN, DIVERGENT, INCLUDING, UNIFORM_HEADER, VARYING_HEADER
from tests.server.raw_client import NEOVIM, PUSHED, VSCODE, Message, RawClient, insert, replace, server


def codes(diagnostics: list[Message]) -> list[str]:
    return [diagnostic["code"] for diagnostic in diagnostics]


def watched(client: RawClient, path: Path, kind: int = 2) -> None:
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})


def test_files_that_include_a_header_follow_its_edits_and_its_file(tmp_path: Path) -> None:
    header, kernel = tmp_path / "h.cuh", tmp_path / "k.cu"
    header.write_text(UNIFORM_HEADER)
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(kernel.as_uri(), INCLUDING.format(header="h.cuh"))
        assert codes(client.diagnostics(kernel.as_uri())) == []
        client.open(header.as_uri(), UNIFORM_HEADER)
        client.change(header.as_uri(), 2, {"text": VARYING_HEADER})
        assert codes(client.diagnostics(kernel.as_uri())) == ["SYN101"]
        client.notify("textDocument/didClose", {"textDocument": {"uri": header.as_uri()}})
        assert codes(client.diagnostics(kernel.as_uri())) == []
        header.write_text(VARYING_HEADER)
        watched(client, header)
        assert codes(client.diagnostics(kernel.as_uri())) == ["SYN101"]
        assert client.stop() == 0


def test_a_missing_header_is_found_by_suffix_after_the_walk(tmp_path: Path) -> None:
    kernel = tmp_path / "src" / "k.cu"
    (tmp_path / "include" / "deep").mkdir(parents=True)
    (tmp_path / "include" / "deep" / "h.cuh").write_text(VARYING_HEADER)
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(kernel.as_uri(), INCLUDING.format(header="deep/h.cuh"))
        assert codes(client.diagnostics(kernel.as_uri())) == ["SYN101"], "nothing appears that would disappear"


def test_the_first_pull_waits_for_the_walk(tmp_path: Path) -> None:
    kernel = tmp_path / "src" / "k.cu"
    (tmp_path / "include" / "deep").mkdir(parents=True)
    (tmp_path / "include" / "deep" / "h.cuh").write_text(VARYING_HEADER)
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        client.open(kernel.as_uri(), INCLUDING.format(header="deep/h.cuh"))
        answer = client.request("textDocument/diagnostic", {"textDocument": {"uri": kernel.as_uri()}})
        assert codes(answer["items"]) == ["SYN101"]


def test_a_header_that_is_nowhere_is_reported_all_the_same(tmp_path: Path) -> None:
    kernel = tmp_path / "k.cu"
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(kernel.as_uri(), INCLUDING.format(header="deep/h.cuh"))
        assert "missing-include" in codes(client.diagnostics(kernel.as_uri()))


def test_versions_that_do_not_grow_are_logged_and_the_edit_counts() -> None:
    with server() as client:
        client.initialize(PUSHED)
        client.open("untitled:k.cu", "a", version=5)
        client.change("untitled:k.cu", 6, insert(0, 1, "b"))
        client.change("untitled:k.cu", 4, insert(0, 2, "c"))
        logged = client.notification("window/logMessage")["message"]
        assert "untitled:k.cu went from version 6 to 4" in logged
        assert client.text("untitled:k.cu") == "abc"


def test_a_header_sees_the_names_of_the_file_that_includes_it(tmp_path: Path) -> None:
    header = tmp_path / "inner.cuh"
    header.write_text(INCLUDING.format(header="nothing.h"))
    (tmp_path / "outer.cu").write_text(VARYING_HEADER + '#include "inner.cuh"\n')
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(header.as_uri(), header.read_text())
        client.wait(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and "SYN101" in codes(message["params"]["diagnostics"])
            )
        )


def test_a_kernel_follows_the_launches_of_the_file_that_includes_it(tmp_path: Path) -> None:
    kernel, host = tmp_path / "k.cu", tmp_path / "main.cu"
    kernel.write_text("__global__ void k(int *p) {\n  if (threadIdx.x < 32) p[threadIdx.x] = 1;\n}\n")
    launch = '#include "k.cu"\nvoid go(int *p) { k<<<1, dim3(64, 2)>>>(p); }\n'
    host.write_text(launch)

    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(kernel.as_uri(), kernel.read_text())
        client.wait_for_codes(kernel.as_uri(), ["DIV404"])
        client.open(host.as_uri(), launch)
        client.change(host.as_uri(), 2, {"text": launch.replace("64, 2", "8, 8")})
        client.wait_for_codes(kernel.as_uri(), [])


def test_a_kernel_follows_the_launches_in_its_project(tmp_path: Path) -> None:
    kernel, host, other = tmp_path / "k.cuh", tmp_path / "main.cu", tmp_path / "other.cu"
    kernel.write_text("__global__ void k(int *p) {\n  if (threadIdx.x < 32) p[threadIdx.x] = 1;\n}\n")
    launch = '#include "k.cuh"\nvoid go(int *p) { k<<<1, dim3(64, 2)>>>(p); }\n'
    host.write_text(launch)
    other.write_text('#include "k.cuh"\n')

    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(kernel.as_uri(), kernel.read_text())
        client.wait_for_codes(kernel.as_uri(), ["DIV404"])
        client.open(host.as_uri(), launch)
        client.change(host.as_uri(), 2, {"text": launch.replace("64, 2", "8, 8")})
        client.wait_for_codes(kernel.as_uri(), [])
        client.notify("textDocument/didClose", {"textDocument": {"uri": host.as_uri()}})
        client.wait_for_codes(kernel.as_uri(), ["DIV404"])
        client.open(other.as_uri(), other.read_text())  # it names nothing, so it was not read
        client.change(other.as_uri(), 2, {"text": launch.replace("64, 2", "48, 2")})
        client.wait_for_codes(kernel.as_uri(), [])
        client.change(other.as_uri(), 3, {"text": "\n"})
        client.wait_for_codes(kernel.as_uri(), ["DIV404"])
        third = tmp_path / "third.cu"
        third.write_text(launch.replace("64, 2", "48, 2"))
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": third.as_uri(), "type": 1}]})
        client.wait_for_codes(kernel.as_uri(), [])


def test_a_file_is_looked_at_alone_where_the_project_is_not_wanted(tmp_path: Path) -> None:
    kernel, host = tmp_path / "k.cuh", tmp_path / "main.cu"
    kernel.write_text("__global__ void k(int *p) {\n  if (threadIdx.x < 32) p[threadIdx.x] = 1;\n}\n")
    host.write_text('#include "k.cuh"\nvoid go(int *p) { k<<<1, dim3(64, 2)>>>(p); }\n')
    (tmp_path / ".simt.toml").write_text("project = false\n")
    with server() as client:
        client.initialize(NEOVIM, tmp_path)
        client.open(kernel.as_uri(), kernel.read_text())
        assert client.notification("textDocument/publishDiagnostics")["diagnostics"] == []


def test_each_root_has_its_own_settings(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        root.mkdir()
    (one / ".simt.toml").write_text('rules = { SYN101 = "off" }\n')
    settings = {two.as_uri(): {"rules": {"SYN101": "hint"}}, None: {"warpSize": 32}}
    with server(settings) as client:
        client.initialize(NEOVIM, one, two)
        for root in (one, two):
            client.open((root / "k.cu").as_uri(), DIVERGENT)
        found = {
            params["uri"]: params["diagnostics"]
            for params in (client.notification("textDocument/publishDiagnostics") for _ in range(2))
        }
        assert found[(one / "k.cu").as_uri()] == []
        assert [item["severity"] for item in found[(two / "k.cu").as_uri()]] == [4]
        change = {"event": {"added": [], "removed": [{"uri": two.as_uri(), "name": "two"}]}}
        client.notify("workspace/didChangeWorkspaceFolders", change)
        assert [item["severity"] for item in client.diagnostics((two / "k.cu").as_uri())] == [1]


def test_bad_settings_are_named_once_and_good_ones_count(tmp_path: Path) -> None:
    with server({None: {"warpSize": 7, "rules": {"SYN101": "warning"}}}) as client:
        client.initialize(NEOVIM, tmp_path)
        client.open("untitled:k", DIVERGENT)
        shown = client.notification("window/showMessage")
        assert shown["type"] == 2
        assert shown["message"] == "editor settings: warpSize = 7 is not allowed: use 4, 8, 16, 32 or 64"
        assert [item["severity"] for item in client.diagnostics("untitled:k")] == [2]
        client.settings[None] = {"warpSize": 7, "rules": {"SYN101": "hint"}}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert [item["severity"] for item in client.diagnostics("untitled:k")] == [4]
        assert client.stop() == 0
        assert sum(message.get("method") == "window/showMessage" for message in client.seen) == 1


def test_settings_are_pushed_by_clients_that_cannot_be_asked(tmp_path: Path) -> None:
    with server() as client:
        client.initialize(PUSHED, tmp_path, options={"rules": {"SYN101": "warning"}})
        client.open("untitled:k", DIVERGENT)
        assert [item["severity"] for item in client.diagnostics("untitled:k")] == [2]
        client.notify("workspace/didChangeConfiguration", {"settings": {"simt-lsp": {"rules": {"SYN101": "off"}}}})
        assert client.diagnostics("untitled:k") == []


def test_a_settings_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    kernel, file = tmp_path / "k.cu", tmp_path / ".simt.toml"
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(kernel.as_uri(), DIVERGENT)
        assert codes(client.diagnostics(kernel.as_uri())) == ["SYN101"]
        file.write_text('rules = { SYN101 = "off" }\ntires = "x"\n')
        watched(client, file, 1)
        (problem,) = client.diagnostics(file.as_uri())
        assert problem["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 11}}
        assert problem["message"] == "tires is not a setting; did you mean tiers?"
        assert client.diagnostics(kernel.as_uri()) == []
        commands = tmp_path / "compile_commands.json"
        commands.write_text('[{"file": ]')
        watched(client, commands, 1)
        (problem,) = client.diagnostics(commands.as_uri())
        assert problem["range"]["start"] == {"line": 0, "character": 10}


def test_what_is_wrong_in_a_settings_file_stands_there_until_it_is_mended(tmp_path: Path) -> None:
    kernel, file = tmp_path / "k.cu", tmp_path / ".simt.toml"
    file.write_text('[rules]\n"größe" = 1\n\n[simulate]\narguments = { n = 2048 }\nseed = "x"\n', "utf-8")
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(kernel.as_uri(), DIVERGENT)
        name, seed = client.diagnostics(file.as_uri())
        assert name["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 11}}
        assert seed["range"]["start"] == {"line": 5, "character": 0}
        assert (seed["severity"], seed["source"]) == (2, "simt-lsp")
        client.notify("textDocument/didClose", {"textDocument": {"uri": kernel.as_uri()}})
        file.write_text("[simulate]\nseed = 1\n")
        watched(client, file)
        assert client.diagnostics(file.as_uri()) == [], "no document needs to be open"
        file.write_text("[simulate\n")
        watched(client, file)
        (problem,) = client.diagnostics(file.as_uri())
        assert problem["range"]["start"] == {"line": 0, "character": 9}
        file.unlink()
        watched(client, file, 3)
        assert client.diagnostics(file.as_uri()) == []
        assert not [item for item in client.seen if item.get("method") == "window/showMessage"]


def test_diagnostics_are_pulled_by_clients_that_can_be_told_to(tmp_path: Path) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        result = client.initialize(VSCODE, tmp_path)
        assert result["capabilities"]["diagnosticProvider"]["interFileDependencies"] is True
        client.open(uri, DIVERGENT)
        first = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert (first["kind"], codes(first["items"])) == ("full", ["SYN101"])
        known = {"textDocument": {"uri": uri}, "previousResultId": first["resultId"]}
        again = client.request("textDocument/diagnostic", known)
        assert again == {"kind": "unchanged", "resultId": first["resultId"]}
        client.change(uri, 2, replace((2, 6), (2, 10), "n"))
        last = client.request("textDocument/diagnostic", known)
        assert (last["kind"], last["items"]) == ("full", [])
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        for method in ("workspace/inlayHint/refresh", "workspace/codeLens/refresh", "workspace/diagnostic/refresh"):
            client.wait(lambda message, method=method: message.get("method") == method)
        assert not any(message.get("method") == "textDocument/publishDiagnostics" for message in client.seen)
        registered = [
            item["method"]
            for message in client.seen
            if message.get("method") == "client/registerCapability"
            for item in message["params"]["registrations"]
        ]
        assert registered == ["workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles"]
        assert client.stop() == 0


@pytest.mark.parametrize(
    ("uri", "language", "text", "expected"),
    [
        ("untitled:Untitled-1", "cuda-cpp", DIVERGENT, ["SYN101"]),
        ("vscode-vfs://github/o/r/k.cu", "cuda", DIVERGENT, ["SYN101"]),
        ("untitled:h", "hip", DIVERGENT, ["SYN101"]),
        ("file:///nowhere/k.cuh", "cpp", DIVERGENT, ["SYN101"]),
        ("file:///nowhere/%E4%BD%A0%20%23%3B.cu", "cpp", DIVERGENT, ["SYN101"]),
        ("file:///nowhere/k.hpp", "cpp", DIVERGENT, ["SYN101"]),
        ("no uri at all", "cuda", DIVERGENT, ["SYN101"]),
        ("untitled:clean", "cuda", CLEAN, []),
    ],
)
def test_documents_are_analysed_wherever_they_live(
    client: RawClient, uri: str, language: str, text: str, expected: list[str]
) -> None:
    client.open(uri, text, language)
    assert codes(client.diagnostics(uri)) == expected
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_texts_of_other_languages_are_left_alone_until_they_hold_device_code(client: RawClient) -> None:
    uri = "file:///nowhere/host.cpp"
    client.open(uri, "int main() {}\n", "cpp")
    assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) is None
    client.change(uri, 2, {"text": DIVERGENT})
    assert client.notification("textDocument/publishDiagnostics", uri=uri)["version"] == 2
    client.change(uri, 3, {"text": ""})
    assert client.diagnostics(uri) == []


def test_a_text_without_a_place_reads_no_files(client: RawClient) -> None:
    client.open("untitled:reader", '#include "pyproject.toml"\n' + CLEAN)
    (problem,) = client.diagnostics("untitled:reader")
    assert problem["code"] == "missing-include"


def test_a_check_of_the_workspace_can_be_cancelled(tmp_path: Path) -> None:
    for index in range(300):
        (tmp_path / f"k{index}.cu").write_text(DIVERGENT)
    with server() as client:
        client.initialize(NEOVIM, tmp_path)
        number = client.ask("workspace/executeCommand", {"command": "simt.checkWorkspace"})
        created = client.wait(lambda message: message.get("method") == "window/workDoneProgress/create")
        token = created["params"]["token"]
        client.wait(lambda message: message.get("method") == "$/progress")
        client.notify("window/workDoneProgress/cancel", {"token": token})
        result = client.answer(number)["result"]
        assert result["cancelled"] is True
        assert result["files"] < 300
        number = client.ask("workspace/executeCommand", {"command": "simt.checkWorkspace"})
        client.wait(lambda message: message.get("method") == "$/progress")
        client.notify("$/cancelRequest", {"id": number})
        assert client.answer(number)["error"]["code"] == -32800
        started = time.monotonic()
        assert client.stop() == 0
        assert time.monotonic() - started < 5


@pytest.fixture(name="client", scope="module")
def shared_client() -> object:
    with server() as client:
        client.initialize(PUSHED)
        yield client


def test_a_request_that_overtakes_the_opening_of_its_document_waits_for_it(tmp_path: Path) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    start, end = {"line": 0, "character": 0}, {"line": 7, "character": 0}
    with server() as client:
        client.initialize(NEOVIM, tmp_path)
        asked = client.ask(
            "textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": {"start": start, "end": end}}
        )
        client.open(uri, DIVERGENT.replace("lane + 1", "lane * 32"))
        assert [hint["label"] for hint in client.answer(asked)["result"]] == ["32/4 sectors"]
        never = {"textDocument": {"uri": "file:///never/opened.cu"}, "position": start}
        assert client.request("textDocument/hover", never) is None
