"""Quick fixes through the protocol: the edit, its version, and who gets none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.kernels import TRANSPOSE
from tests.server.raw_client import NEOVIM, VSCODE, Message, RawClient, repairs, server

LITERALS: Message = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}


def capabilities(base: Message, *, literals: bool = True, changes: bool = True) -> Message:
    text_document = {**base["textDocument"], "codeAction": LITERALS if literals else {}}
    workspace = {**base["workspace"], "workspaceEdit": {"documentChanges": changes}}
    return {**base, "textDocument": text_document, "workspace": workspace}


def actions(
    client: RawClient, uri: str, line: int, only: list[str] | None = None, character: int = 41
) -> list[Message]:
    context: Message = {"diagnostics": []} if only is None else {"diagnostics": [], "only": only}
    place = {"line": line, "character": character}
    answer: list[Message] = client.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context},
    )
    return repairs(answer)


@pytest.mark.parametrize(("base", "column"), [(VSCODE, 42), (NEOVIM, 46)], ids=["utf-16", "utf-8"])
def test_a_repair_is_an_edit_of_one_version(tmp_path: Path, base: Message, column: int) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        client.initialize(capabilities(base), tmp_path)
        client.open(uri, TRANSPOSE)
        (action,) = actions(client, uri, line=4)
        assert (action["title"], action["kind"]) == ("Pad the rows of `tile` by one element", "quickfix")
        assert action["isPreferred"] is True
        assert [found["code"] for found in action["diagnostics"]] == ["MEM502"]
        (change,) = action["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 1}
        place = {"line": 1, "character": column}
        assert change["edits"] == [{"range": {"start": place, "end": place}, "newText": " + 1"}]

        client.change(uri, 2, {"range": {"start": place, "end": place}, "text": " + 1"})
        assert actions(client, uri, line=4) == []
        assert client.stop() == 0


def test_only_at_the_place_and_of_the_kind_that_is_asked_for(tmp_path: Path) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        client.initialize(capabilities(VSCODE), tmp_path)
        client.open(uri, TRANSPOSE)
        assert len(actions(client, uri, line=4, only=["quickfix"])) == 1
        assert actions(client, uri, line=4, only=["refactor", "source.organizeImports"]) == []
        assert actions(client, uri, line=2) == []
        assert client.stop() == 0


def test_a_cursor_beside_the_finding_gets_the_repairs_of_its_line(tmp_path: Path) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        client.initialize(capabilities(VSCODE), tmp_path)
        client.open(uri, TRANSPOSE)
        assert [action["title"] for action in actions(client, uri, line=4, character=0)] == [
            "Pad the rows of `tile` by one element"
        ]
        assert actions(client, uri, line=5, character=0) == []
        assert client.stop() == 0


def test_a_client_without_versions_gets_plain_changes_and_one_without_literals_nothing(tmp_path: Path) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        client.initialize(capabilities(VSCODE, changes=False), tmp_path)
        client.open(uri, TRANSPOSE)
        (action,) = actions(client, uri, line=4)
        assert list(action["edit"]["changes"]) == [uri]
        assert client.stop() == 0
    with server() as client:
        client.initialize(capabilities(VSCODE, literals=False), tmp_path)
        client.open(uri, TRANSPOSE)
        assert actions(client, uri, line=4) == []
        assert client.stop() == 0
