"""A headless Chromium, driven through its DevTools protocol: what a page shows, logs and asks the network for.

Where no Chromium is installed the tests skip and say so; `SIMT_LSP_CHROMIUM` names one in an unusual place.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final, final

import pytest
from websockets.sync.client import ClientConnection, connect

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_START_SECONDS: Final = 60.0
_ANSWER_SECONDS: Final = 30.0
_NETWORK: Final = ("http:", "https:", "ws:", "wss:", "ftp:")


def chromium_path() -> str | None:
    named = os.environ.get("SIMT_LSP_CHROMIUM")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


@final
class Tab:
    """One page; `problems` are errors in the console and exceptions, `requests` what went to the network."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last = 0
        self._loaded = False
        self.problems: list[str] = []
        self.requests: list[str] = []
        for domain in ("Runtime", "Log", "Network", "Page"):
            self._send(f"{domain}.enable")

    def open(self, url: str) -> None:
        self._loaded = False
        self.problems.clear()
        self.requests.clear()
        self._send("Page.navigate", url=url)
        deadline = time.monotonic() + _ANSWER_SECONDS
        while not self._loaded:
            self._hear(deadline)
        self.settle()

    def settle(self) -> None:
        """Two frames: what was clicked is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def value(self, expression: str) -> Any:
        """What the expression (or its promise) is, as JSON."""
        answer = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        return str(self.value(f"document.querySelector({json.dumps(selector)}).innerText"))

    def click(self, selector: str) -> None:
        """A real click in the middle of what is shown there."""
        box = self._box(selector)
        self.click_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def click_inside(self, selector: str, x: float, y: float) -> None:
        box = self._box(selector)
        self.click_at(box["x"] + x, box["y"] + y)

    def click_at(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            buttons = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **buttons)
        self.settle()

    def press(self, key: str) -> None:
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Home": 36, "Enter": 13, "Tab": 9}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], **text)
        self.settle()

    def prefer(self, scheme: str) -> None:
        """The system's colours: `dark` or `light`."""
        self._send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def resize(self, width: int) -> None:
        """The window, in pixels."""
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self._send("Emulation.setDeviceMetricsOverride", **size)
        self.settle()

    def screenshot(self) -> bytes:
        return base64.b64decode(self._send("Page.captureScreenshot", format="png")["data"])

    def _box(self, selector: str) -> dict[str, float]:
        found = json.dumps(selector)
        self.value(f"document.querySelector({found}).scrollIntoView({{block: 'center'}})")
        self.settle()
        return self.value(f"document.querySelector({found}).getBoundingClientRect().toJSON()")

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        deadline = time.monotonic() + _ANSWER_SECONDS
        while True:
            message = self._hear(deadline)
            if message.get("id") == self._last:
                assert "error" not in message, message["error"]
                return message["result"]

    def _hear(self, deadline: float) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._socket.recv(timeout=max(deadline - time.monotonic(), 0.01)))
        parameters = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.problems.append(json.dumps(parameters["args"]))
            case "Log.entryAdded":
                self.problems.append(parameters["entry"]["text"])
            case "Network.requestWillBeSent" if parameters["request"]["url"].startswith(_NETWORK):
                self.requests.append(parameters["request"]["url"])
            case _:
                pass
        return message


@contextlib.contextmanager
def browser_tab(folder: Path) -> Generator[Tab]:
    """A tab of a browser that lives as long as the context; its profile lies in `folder`."""
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium here: install the package chromium, or name one in SIMT_LSP_CHROMIUM")
    command = [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--window-size=1400,1000"]
    command += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            port = _port(folder, process)
            with connect(_address_of_tab(port), max_size=None, proxy=None) as socket:
                yield Tab(socket)
        finally:
            process.terminate()


def _port(folder: Path, process: subprocess.Popen[bytes]) -> int:
    """Chromium writes it when it listens."""
    file = folder / "DevToolsActivePort"
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"Chromium ended at once with status {process.returncode}")
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) >= 2:
            return int(lines[0])
        time.sleep(0.05)
    pytest.fail(f"Chromium did not listen within {_START_SECONDS:.0f} s")


def _address_of_tab(port: int) -> str:
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", port, timeout=_ANSWER_SECONDS)
    connection.request("GET", "/json/list")
    pages = json.loads(connection.getresponse().read())
    return next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
