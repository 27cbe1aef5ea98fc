"""One running code-server: its own user folder, its own extensions, a port of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, final

from tests.editors.terminal import wait_until
from tests.editors.vscode.install import code_server_command, installed_extensions

PROBE: Final = Path(__file__).parent / "probe"

QUIET: Final[Mapping[str, Any]] = {
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "update.mode": "none",
    "git.enabled": False,
    "chat.disableAIFeatures": True,
    "workbench.tips.enabled": False,
    "window.menuBarVisibility": "compact",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.minimap.enabled": False,
    "editor.fontFamily": "DejaVu Sans Mono",
    "editor.cursorBlinking": "solid",
    "workbench.colorTheme": "Default Dark Modern",
}
"""Settings that keep the editor from talking about itself."""
_SILENT: Final = ("--disable-telemetry", "--disable-update-check", "--disable-getting-started-override")


@final
class CodeServer:
    """`settings` are the user's, `machine` those of the machine that the extensions run on (an interpreter is one);
    `environment` wins over the system's variables; `others` are folders of more extensions.
    """

    def __init__(
        self,
        home: Path,
        *,
        target: str,
        settings: Mapping[str, Any] | None = None,
        machine: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        others: Sequence[Path] = (),
    ) -> None:
        self.probe_folder = home / "probe"
        user = home / "user"
        for place, values in (("User", {**QUIET, **(settings or {})}), ("Machine", machine or {})):
            (user / place).mkdir(parents=True)
            (user / place / "settings.json").write_text(json.dumps(values, indent=2))
        (home / "config.yaml").write_text("auth: none\n")
        extensions = home / "extensions"
        shutil.copytree(installed_extensions(target), extensions)
        _add(extensions, [PROBE, *others])
        self._port = _free_port()
        self.log = home / "code-server.log"
        own = ["--config", str(home / "config.yaml"), "--user-data-dir", str(user), "--extensions-dir", str(extensions)]
        here = ["--auth", "none", "--bind-addr", f"127.0.0.1:{self._port}"]
        variables = {"HOME": str(home), "SIMT_PROBE_FOLDER": str(self.probe_folder), **(environment or {})}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [*code_server_command(), *own, *here, *_SILENT],
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_until(self._answers, lambda: f"code-server does not start:\n{self.log.read_text()}")

    def __enter__(self) -> CodeServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def address(self, folder: Path) -> str:
        """Where a folder is opened."""
        return f"http://127.0.0.1:{self._port}/?folder={folder}"

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/healthz", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False


def write_extension(folder: Path, publisher: str, name: str, code: str) -> Path:
    """An extension that stands in for somebody else's."""
    folder.mkdir(parents=True)
    manifest = {
        "publisher": publisher, "name": name, "version": "0.0.1", "engines": {"vscode": "^1.91.0"},
        "main": "./main.js", "extensionKind": ["workspace"], "activationEvents": ["onStartupFinished"],
    }  # fmt: skip
    (folder / "package.json").write_text(json.dumps(manifest))
    (folder / "main.js").write_text(code)
    return folder


def _add(extensions: Path, sources: Iterable[Path]) -> None:
    """Known to VS Code like any other: copied, and listed."""
    listing = extensions / "extensions.json"
    listed: list[Any] = json.loads(listing.read_text())
    for source in sources:
        manifest = json.loads((source / "package.json").read_text())
        identifier = f"{manifest['publisher']}.{manifest['name']}"
        folder = extensions / f"{identifier}-{manifest['version']}"
        shutil.copytree(source, folder)
        place = {"$mid": 1, "path": str(folder), "scheme": "file"}
        listed.append(
            {
                "identifier": {"id": identifier},
                "version": manifest["version"],
                "location": place,
                "relativeLocation": folder.name,
            }
        )
    for entry in listed:
        entry["location"]["path"] = str(extensions / entry["relativeLocation"])
    listing.write_text(json.dumps(listed))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
