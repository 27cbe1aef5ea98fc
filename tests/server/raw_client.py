"""A client that sends any JSON, or no JSON at all, to the real server process; it answers what the server asks."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-I", "-m", "simt_lsp", "--stdio")
PATIENCE = 20.0

Message = dict[str, Any]

NEOVIM: Message = {
    "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
    "textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}, "diagnostic": {}},
    "window": {"workDoneProgress": True},
    "workspace": {"configuration": True, "inlayHint": {"refreshSupport": True}},
}
VSCODE: Message = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}, "versionSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "diagnostic": {"dynamicRegistration": True},
    },
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "diagnostics": {"refreshSupport": True},
    },
}
PUSHED: Message = {"textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True}}}


_ALWAYS_OFFERED = ("Suppress ", "Switch ", "Show ", "Explain ", "Open the page of ", "Simulate this kernel")


def repairs(actions: Sequence[Message]) -> list[Message]:
    """Without what is offered at every finding; that stands last (test_finding_actions)."""
    return [one for one in actions if not one["title"].startswith(_ALWAYS_OFFERED)]


class RawClient:
    """One server process; `settings` are what it gets when it asks, by folder URI (None: without)."""

    def __init__(self, settings: Mapping[str | None, Any] | None = None, command: Sequence[str] = COMMAND) -> None:
        self.settings = dict(settings or {})
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.seen: list[Message] = []
        self._inbox: queue.Queue[Message | None] = queue.Queue()
        self._id = 0
        threading.Thread(target=self._read, daemon=True).start()
        assert self.process.stderr is not None
        self.stderr: list[bytes] = []
        threading.Thread(target=lambda: self.stderr.extend(self.process.stderr or ()), daemon=True).start()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Send a request; `answer` waits for it."""
        self._id += 1
        self.send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        return self._id

    def answer(self, number: int) -> Message:
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def request(self, method: str, params: Any) -> Any:
        """The result of a request that must succeed."""
        message = self.answer(self.ask(method, params))
        assert "error" not in message, message
        return message["result"]

    def wait_for_codes(self, uri: str, wanted: list[str]) -> None:
        """Until exactly findings with these codes are published for a document."""

        def is_it(message: Message) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            params = message["params"]
            return params["uri"] == uri and [one["code"] for one in params["diagnostics"]] == wanted

        self.wait(is_it)

    def wait(self, wanted: Callable[[Message], bool], patience: float = PATIENCE) -> Message:
        """The next message that is `wanted`; what comes before it is kept in `seen`."""
        end = time.monotonic() + patience
        while True:
            try:
                message = self._inbox.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(
                    f"nothing came; seen {self.seen[-5:]}, {b''.join(self.stderr)[-2000:]!r}"
                ) from None
            if message is None:
                raise AssertionError(f"the server is gone: {b''.join(self.stderr)[-4000:]!r}")
            self.seen.append(message)
            if wanted(message):
                return message

    def notification(self, method: str, **fields: Any) -> Any:
        """The parameters of the next notification of `method` whose parameters have these values."""

        def wanted(message: Message) -> bool:
            params: Message = message.get("params") or {}
            return message.get("method") == method and all(params.get(key) == value for key, value in fields.items())

        return self.wait(wanted)["params"]

    def diagnostics(self, uri: str, **fields: Any) -> list[Message]:
        return self.notification("textDocument/publishDiagnostics", uri=uri, **fields)["diagnostics"]

    def initialize(self, capabilities: Any, *roots: Path, options: Any = None) -> Message:
        folders = [{"uri": root.as_uri(), "name": root.name} for root in roots]
        params = {"processId": None, "rootUri": None, "capabilities": capabilities, "initializationOptions": options}
        result = self.request("initialize", {**params, "workspaceFolders": folders or None})
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, language: str = "cuda", version: int = 1) -> None:
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: Any) -> None:
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def text(self, uri: str) -> str:
        return self.request("simt/documentText", {"textDocument": {"uri": uri}})["text"]

    def stop(self) -> int:
        """Leave in good order; the exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(PATIENCE)

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        length = 0
        while line := out.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            elif not line.strip():
                self._take(json.loads(out.read(length)))
        self._inbox.put(None)

    def _take(self, message: Message) -> None:
        self._inbox.put(message)
        if "method" in message and "id" in message:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self.reply(message)})

    def reply(self, message: Message) -> Any:
        """The answer to a request of the server."""
        if message["method"] == "window/showDocument":
            return {"success": True}
        if message["method"] == "workspace/configuration":
            return [self.settings.get(item.get("scopeUri")) for item in message["params"]["items"]]
        return None


@contextmanager
def server(settings: Mapping[str | None, Any] | None = None, command: Sequence[str] = COMMAND) -> Generator[RawClient]:
    """A client whose process is gone afterwards."""
    client = RawClient(settings, command)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.wait()


def insert(line: int, character: int, text: str) -> Message:
    return replace((line, character), (line, character), text)


def replace(start: tuple[int, int], end: tuple[int, int], text: str) -> Message:
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "text": text}
