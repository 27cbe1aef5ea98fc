"""One session over a socket and over a websocket: findings arrive, nothing is printed, the exit status is right."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol, final

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.server.kernels import DIVERGENT
from tests.server.raw_client import PATIENCE

Message = dict[str, Any]
URI = "untitled:halo.cu"


class Connection(Protocol):
    def send(self, message: Message) -> None: ...

    def receive(self) -> Message: ...

    def close(self) -> None: ...


@final
class TcpConnection:
    """The protocol's own framing."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._stream = self._socket.makefile("rwb")

    def send(self, message: Message) -> None:
        body = json.dumps(message).encode()
        self._stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._stream.flush()

    def receive(self) -> Message:
        length = int(self._stream.readline().split(b":")[1])
        while self._stream.readline().strip():
            pass
        return json.loads(self._stream.read(length))

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


@final
class WebSocketConnection:
    """One message per frame."""

    def __init__(self, port: int) -> None:
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(f"ws://127.0.0.1:{port}", open_timeout=PATIENCE))

    def send(self, message: Message) -> None:
        self._socket.send(json.dumps(message))

    def receive(self) -> Message:
        return json.loads(self._socket.recv(PATIENCE))

    def close(self) -> None:
        self._open.close()


TRANSPORTS = [("--tcp", TcpConnection), ("--ws", WebSocketConnection)]


@pytest.mark.parametrize(("option", "kind"), TRANSPORTS)
def test_a_session_finds_a_barrier_and_leaves_silently(option: str, kind: type[Connection]) -> None:
    with served(option) as (process, port):
        connection = connected(kind, port)
        start(connection)
        document = {"uri": URI, "languageId": "cuda", "version": 1, "text": DIVERGENT}
        connection.send(notification("textDocument/didOpen", {"textDocument": document}))
        found = until(connection, lambda message: message.get("method") == "textDocument/publishDiagnostics")
        assert [item["code"] for item in found["params"]["diagnostics"]] == ["SYN101"]
        connection.send({**notification("shutdown", None), "id": 2})
        until(connection, lambda message: message.get("id") == 2)
        connection.send(notification("exit", None))
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")


@pytest.mark.parametrize(("option", "kind"), TRANSPORTS)
def test_a_client_that_vanishes_ends_the_server(option: str, kind: type[Connection]) -> None:
    with served(option) as (process, port):
        connection = connected(kind, port)
        start(connection)
        connection.close()
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (1, b"")


@contextmanager
def served(option: str) -> Generator[tuple[subprocess.Popen[bytes], int]]:
    """A server on a port that was free a moment ago; gone afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [sys.executable, "-I", "-m", "simt_lsp", option, f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        yield process, port
    finally:
        process.kill()
        process.wait()


def connected(kind: type[Any], port: int) -> Connection:
    """Connect as soon as the server listens."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return kind(port)
        except (OSError, ConnectionClosed):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def start(connection: Connection) -> None:
    connection.send({**notification("initialize", {"capabilities": {}}), "id": 1})
    until(connection, lambda message: message.get("id") == 1)
    connection.send(notification("initialized", {}))


def notification(method: str, params: Any) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def until(connection: Connection, wanted: Callable[[Message], bool]) -> Message:
    while not wanted(message := connection.receive()):
        pass
    return message
