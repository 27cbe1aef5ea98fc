"""What the tests of the VS Code extension share: a browser, an editor with the extension, a project."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.editors.folders import REPOSITORY
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TARGET = "linux-arm64" if platform.machine() in ("aarch64", "arm64") else "linux-x64"
Launch = Callable[..., Window]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the examples."""
    folder = tmp_path / "project"
    shutil.copytree(REPOSITORY / "examples", folder)
    return folder


@pytest.fixture
def launch(browser: Browser, tmp_path: Path) -> Generator[Launch]:
    """Starts an editor for a folder, with settings and variables for the test; the window."""
    with ExitStack() as stack:

        def launched(
            folder: Path,
            *,
            settings: dict[str, Any] | None = None,
            environment: dict[str, str] | None = None,
            target: str = TARGET,
        ) -> Window:
            server = CodeServer(tmp_path / "home", settings=settings or {}, target=target, environment=environment)
            stack.enter_context(server)
            return stack.enter_context(Window(browser, server, folder))

        yield launched


@pytest.fixture
def window(launch: Launch, project: Path) -> Window:
    """The examples in an editor whose server has everything."""
    return launch(project, settings={"simt-lsp.interpreter": sys.executable})
