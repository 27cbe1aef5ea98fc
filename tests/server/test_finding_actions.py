"""What is offered at every finding, behind its repairs: silence it, turn its rule down, understand it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.server.kernels import DIVERGENT, TRANSPOSE
from tests.server.raw_client import VSCODE, Message, RawClient, repairs, server

LITERALS: Message = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
EDITS: Message = {"documentChanges": True, "resourceOperations": ["create"]}
CLIENT: Message = {
    **VSCODE,
    "textDocument": {**VSCODE["textDocument"], "codeAction": LITERALS},
    "window": {**VSCODE["window"], "showDocument": {"support": True}},
    "workspace": {**VSCODE["workspace"], "workspaceEdit": EDITS},
}
BARRIER = 3
ALL = [
    "Suppress divergent-barrier (SYN101) here",
    "Switch divergent-barrier (SYN101) off in .simt.toml",
    "Show divergent-barrier (SYN101) as information in .simt.toml",
    "Explain line 4",
    "Open the page of divergent-barrier (SYN101)",
    "Simulate this kernel",
]


@contextmanager
def opened(folder: Path, text: str = DIVERGENT, client: Message = CLIENT) -> Generator[tuple[RawClient, str]]:
    uri = (folder / "k.cu").as_uri()
    with server() as one:
        one.initialize(client, folder)
        one.open(uri, text)
        yield one, uri
        assert one.stop() == 0


def offered(client: RawClient, uri: str, line: int = BARRIER) -> list[Message]:
    place = {"line": line, "character": 0}
    asked: Message = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}}
    return client.request("textDocument/codeAction", {**asked, "context": {"diagnostics": []}})


def titled(actions: list[Message], beginning: str) -> Message:
    (found,) = [one for one in actions if one["title"].startswith(beginning)]
    return found


def run(client: RawClient, action: Message) -> int:
    command = action["command"]
    asked = {"command": command["command"], "arguments": command["arguments"]}
    return client.ask("workspace/executeCommand", asked)


def test_all_of_them_in_one_order_and_none_where_nothing_was_found(tmp_path: Path) -> None:
    with opened(tmp_path) as (client, uri):
        found = offered(client, uri)
        assert [one["title"] for one in found if one not in repairs(found)] == ALL
        assert found[: len(repairs(found))] == repairs(found)
        assert not any(one.get("isPreferred") for one in found[len(repairs(found)) :])
        assert offered(client, uri, line=5) == []


def test_a_repair_stands_first(tmp_path: Path) -> None:
    with opened(tmp_path, TRANSPOSE) as (client, uri):
        found = offered(client, uri, line=4)
        assert (found[0]["title"], found[0]["isPreferred"]) == ("Pad the rows of `tile` by one element", True)


def test_what_is_suppressed_is_gone_and_no_unused_suppression(tmp_path: Path) -> None:
    with opened(tmp_path) as (client, uri):
        action = titled(offered(client, uri), "Suppress")
        assert [one["code"] for one in action["diagnostics"]] == ["SYN101"]
        (change,) = action["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 1}
        ((edit,), line) = change["edits"], {"line": BARRIER, "character": len("    __syncthreads();")}
        assert edit == {"range": {"start": line, "end": line}, "newText": "  // NOLINT(simt-SYN101)"}
        client.change(uri, 2, {"range": edit["range"], "text": edit["newText"]})
        report = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert not {"SYN101", "unused-suppression"} & {one["code"] for one in report["items"]}


def test_a_settings_file_is_edited_where_one_speaks_else_created(tmp_path: Path) -> None:
    settings = tmp_path / ".simt.toml"
    with opened(tmp_path) as (client, uri):
        created, change = titled(offered(client, uri), "Switch")["edit"]["documentChanges"]
        assert (created["kind"], created["uri"]) == ("create", settings.as_uri())
        assert change["textDocument"]["uri"] == settings.as_uri()
        assert [one["newText"] for one in change["edits"]] == ['[rules]\nSYN101 = "off"\n']
    settings.write_text('[rules]  # ours\nDIV402 = "off"\n')
    with opened(tmp_path) as (client, uri):
        (change,) = titled(offered(client, uri), "Show")["edit"]["documentChanges"]
        assert change["textDocument"]["uri"] == settings.as_uri()
        place = {"line": 2, "character": 0}
        assert change["edits"] == [{"range": {"start": place, "end": place}, "newText": 'SYN101 = "information"\n'}]
    settings.write_text("[rules]\nSYN101 = 'off'\n")
    with opened(tmp_path) as (client, uri):
        assert offered(client, uri) == []


def test_a_client_that_creates_no_files_and_shows_no_documents(tmp_path: Path) -> None:
    client = {**CLIENT, "window": VSCODE["window"]}
    client["workspace"] = {**VSCODE["workspace"], "workspaceEdit": {"documentChanges": True}}
    with opened(tmp_path, client=client) as (one, uri):
        found = offered(one, uri)
        assert [each["title"] for each in found if each not in repairs(found)] == [ALL[0], ALL[3], ALL[5]]


def test_the_page_is_shown_and_the_line_explained(tmp_path: Path) -> None:
    with opened(tmp_path) as (client, uri):
        found = offered(client, uri)
        asked = run(client, titled(found, "Open the page"))
        shown = client.wait(lambda message: message.get("method") == "window/showDocument")
        assert shown["params"]["uri"].endswith("/SYN101.md")
        assert shown["params"]["external"] is True
        assert client.answer(asked).get("error") is None
        explained = client.answer(run(client, titled(found, "Explain")))
        assert "__syncthreads" in explained["result"]
        refused = client.answer(
            client.ask("workspace/executeCommand", {"command": "simt.openRulePage", "arguments": ["X"]})
        )
        assert "takes the code of a rule" in refused["error"]["message"]


def test_the_kernel_is_simulated_by_its_place(tmp_path: Path) -> None:
    with opened(tmp_path) as (client, uri):
        command = titled(offered(client, uri), "Simulate")["command"]
        assert command["command"] == "simt.simulate"
        (argument,) = command["arguments"]
        assert (argument["kernel"], argument["position"]) == ("halo", {"line": 0, "character": 16})
