"""The server stays up: any bytes, any edits, any order of messages."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.kernels import DIVERGENT
from tests.server.raw_client import PUSHED, RawClient, insert, replace, server
from tests.server.text_model import ENCODINGS, apply, edits, texts

NUMBERS = itertools.count()


@pytest.fixture(name="client", scope="module")
def shared_client() -> Iterator[RawClient]:
    with server() as client:
        client.initialize(PUSHED)
        yield client


def alive(client: RawClient) -> None:
    uri = f"untitled:alive-{next(NUMBERS)}"
    client.open(uri, DIVERGENT)
    assert [item["code"] for item in client.diagnostics(uri)] == ["SYN101"]
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_life_cycle_errors_have_the_codes_of_the_specification() -> None:
    with server() as client:
        early = client.ask(
            "textDocument/hover", {"textDocument": {"uri": "u"}, "position": {"line": 0, "character": 0}}
        )
        assert client.answer(early)["error"]["code"] == -32002
        client.open("untitled:early", DIVERGENT)  # dropped
        client.initialize(PUSHED)
        assert client.answer(client.ask("initialize", {"capabilities": {}}))["error"]["code"] == -32600
        assert client.answer(client.ask("simt/unknown", {}))["error"]["code"] == -32601
        client.notify("$/unknown", {})
        client.request("shutdown", None)
        assert client.answer(client.ask("textDocument/hover", {}))["error"]["code"] == -32600
        client.notify("exit", None)
        assert client.process.wait(10) == 0


def test_exit_without_shutdown_is_status_one() -> None:
    with server() as client:
        client.initialize(PUSHED)
        client.notify("exit", None)
        assert client.process.wait(10) == 1


def test_a_client_that_vanishes_ends_the_server() -> None:
    with server() as client:
        client.initialize(PUSHED)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(10) == 1


@pytest.mark.parametrize("capabilities", [{}, None, [], {"textDocument": 3, "workspace": {"configuration": "x"}}])
def test_odd_capabilities_are_no_capabilities(capabilities: Any) -> None:
    with server() as client:
        result = client.initialize(capabilities)
        assert result["capabilities"]["positionEncoding"] == "utf-16"
        alive(client)
        assert client.stop() == 0


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 5\r\n\r\n{]}}}",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 3\r\n\r\n\xff\xfe\xfd",
        b'Content-Length: 17\r\n\r\n{"jsonrpc":"2.0"}',
        b'Content-Length: 26\r\n\r\n{"jsonrpc":"9","method":1}',
        b'Content-Length: 32\r\n\r\n{"jsonrpc":"2.0","id":[],"a":{}}',
        b"\r\n\r\nnonsense\r\n\r\n",
    ],
)
def test_messages_that_are_none_are_survived(client: RawClient, data: bytes) -> None:
    client.write(data)
    alive(client)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {}),
        ("textDocument/hover", {"textDocument": {"uri": 3}, "position": {"line": "x", "character": None}}),
        ("textDocument/inlayHint", {"textDocument": {"uri": "untitled:none"}}),
        ("simt/explain", {}),
        ("simt/explain", {"textDocument": {"uri": "untitled:none"}, "line": "x"}),
        ("workspace/executeCommand", {"command": "simt.nothing"}),
        ("workspace/executeCommand", {"command": "simt.explain", "arguments": [1, 2, 3]}),
    ],
)
def test_requests_that_make_no_sense_get_an_error(client: RawClient, method: str, params: Any) -> None:
    assert "error" in client.answer(client.ask(method, params))
    alive(client)


@pytest.mark.parametrize("line", [-1, 0, 3, 2**31 - 1, 2**40, -(2**40), 1.5])
@pytest.mark.parametrize("method", ["hover", "inlayHint", "explain"])
def test_any_place_can_be_asked_about(client: RawClient, method: str, line: float) -> None:
    client.open("untitled:places", DIVERGENT)
    document = {"uri": "untitled:places"}
    place = {"line": line, "character": -line}
    if method == "explain":
        client.request("simt/explain", {"textDocument": document, "position": place})
    else:
        shown = {"start": place, "end": {"line": 0, "character": 0}}
        client.request(f"textDocument/{method}", {"textDocument": document, "position": place, "range": shown})


def test_notifications_about_unknown_documents_are_survived(client: RawClient) -> None:
    client.change("untitled:never-opened", 1, {"text": "x"})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:never-opened"}})
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "::", "type": 2}]})
    client.notify("workspace/didChangeConfiguration", {"settings": [1, 2]})
    client.notify("window/workDoneProgress/cancel", {"token": "none"})
    client.notify("$/cancelRequest", {"id": 12345678})
    alive(client)


def test_surrogates_nul_and_bytes_that_are_no_text(client: RawClient) -> None:
    uri = "untitled:odd"
    client.open(uri, "\ud800__global__ void k() { int \0 = '\udfff'; }\x85\u2028\f")
    client.change(uri, 2, insert(0, 5, "\ud83d"), insert(0, 6, "\ude00"), insert(7, 7, "\ufeff"))
    client.change(uri, 3, {"text": "\0" * 10_000}, {"text": "(" * 20_000}, {"text": "{" * 20_000 + DIVERGENT})
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    alive(client)


def test_a_huge_text_does_not_stop_others(client: RawClient) -> None:
    client.open("untitled:huge", DIVERGENT * 60_000)
    alive(client)
    client.change("untitled:huge", 2, {"text": ""})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:huge"}})


def test_a_request_about_a_replaced_version_ends_at_once(client: RawClient) -> None:
    uri = "untitled:typed"
    text = DIVERGENT.replace("halo", "k{}")
    client.open(uri, "".join(text.replace("{}", str(index)) for index in range(400)))
    document = {"textDocument": {"uri": uri}}
    first = client.ask("textDocument/documentSymbol", document)
    client.change(uri, 2, replace((0, 0), (0, 0), "\n"))
    second = client.ask("textDocument/documentSymbol", document)
    answer = client.answer(first)
    assert "result" in answer or answer["error"]["code"] == -32801
    assert len(client.answer(second)["result"]) == 400
    third = client.ask("textDocument/documentSymbol", document)
    client.notify("$/cancelRequest", {"id": third})
    answer = client.answer(third)
    assert "result" in answer or answer["error"]["code"] == -32800


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_server_holds_the_text_of_the_client(encoding: str) -> None:
    with server() as client:
        client.initialize({"general": {"positionEncodings": [encoding]}, **PUSHED})
        version = 0

        @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
        @given(texts(), st.lists(st.lists(edits(), max_size=4), max_size=4))
        def check(text: str, notifications: list[list[Any]]) -> None:
            nonlocal version
            version += 1
            client.open("untitled:fuzz", text, version=version)
            for notification in notifications:
                version += 1
                client.change("untitled:fuzz", version, *notification)
                for edit in notification:
                    text = apply(text, edit, encoding)
            assert client.text("untitled:fuzz") == text

        started = time.monotonic()
        check()
        alive(client)
        assert client.stop() == 0
        assert time.monotonic() - started < 60
