"""A server in a process of its own, spoken to over stdio: the least client that measuring needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, final

Message = dict[str, Any]

COMMAND: Final = ("-P", "-m", "simt_lsp", "--stdio")


@final
class ServerProcess:
    """Requests and notifications out, messages in; requests of the server are answered with null."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self.pid = process.pid
        self._next_id = 0
        self._answers: dict[int, Message] = {}

    def notify(self, method: str, parameters: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def ask(self, method: str, parameters: object) -> int:
        """Sends a request; its number, for `answer`."""
        self._next_id += 1
        self._send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": parameters})
        return self._next_id

    def answer(self, number: int) -> Message:
        """Waits for the answer; notifications that arrive before it are dropped."""
        while number not in self._answers:
            self._receive()
        return self._answers.pop(number)

    def has_answered(self, number: int) -> bool:
        """Whether the answer has been read already, while something else was waited for."""
        return number in self._answers

    def request(self, method: str, parameters: object) -> Message:
        return self.answer(self.ask(method, parameters))

    def wait_for_progress(self, number: int) -> None:
        """The next report of progress of anything, or the answer to that request."""
        while number not in self._answers:
            message = self._receive()
            if message.get("method") == "$/progress" and message["params"]["value"]["kind"] == "report":
                return

    def wait_for_counts(self, number: int, kernel: str) -> bool:
        """Until something is known of a simulation: whether what it has counted so far, and not yet the answer."""
        while number not in self._answers:
            message = self._receive()
            if message.get("method") == "simt/simulation" and any(
                one["interim"] and one["kernel"] == kernel for one in message["params"]["kernels"]
            ):
                return True
        return False

    def wait_for_diagnostics(self, uri: str) -> Message:
        """The next diagnostics published for `uri`."""
        while True:
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return message

    def initialize(self, root: Path) -> None:
        capabilities: Mapping[str, object] = {
            "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
            "window": {"workDoneProgress": True},
            "experimental": {"simtSimulation": True},
        }
        self.request("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": capabilities})
        self.notify("initialized", {})

    def open(self, path: Path, text: str) -> str:
        """Open a document; its URI."""
        uri = path.as_uri()
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "cuda", "version": 1, "text": text}},
        )
        return uri

    def _send(self, message: Message) -> None:
        body = json.dumps(message).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._in.flush()

    def _receive(self) -> Message:
        length = 0
        while line := self._out.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the server closed its output")
        message: Message = json.loads(self._out.read(length))
        if "method" in message and "id" in message:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        elif "id" in message:
            self._answers[message["id"]] = message
        return message


_BYTECODE: Final = TemporaryDirectory(prefix="simt-lsp-bytecode-")


@contextmanager
def server_process(
    environment: Mapping[str, str] | None = None, command: Sequence[str] = COMMAND
) -> Generator[ServerProcess]:
    """A fresh server, killed at the end; with these variables beside those of this process."""
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=-1,
        env={**_with_bytecode(), **(environment or {})},
    )
    try:
        yield ServerProcess(process)
    finally:
        process.kill()
        process.wait()


def _with_bytecode() -> dict[str, str]:
    """Modules are compiled once, as they are where the server was installed, whatever this process was told."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"PYTHONPYCACHEPREFIX": _BYTECODE.name, **kept}


def resident_megabytes(pid: int) -> float | None:
    """Resident memory of a process, where the system tells."""
    try:
        fields = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in fields if line.startswith("VmRSS:")), None)
    return None if kilobytes is None else int(kilobytes) / 1024
