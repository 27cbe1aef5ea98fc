"""What the tests of the VS Code extension share: a browser, an editor with the extension, a project."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.editors.folders import REPOSITORY
from tests.editors.vscode.install import TARGET
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WITH_NUMPY: Final = {"simt-lsp.interpreter": sys.executable}
"""Settings of the machine: the Python of these tests can simulate, the system's may not."""
Launch = Callable[..., CodeServer]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A picture of the window that a test shares with others; its own take theirs when they are closed."""
    report = yield
    if report.when == "call" and report.failed and "launch" not in getattr(item, "fixturenames", ()):
        for opened in Window.open_windows:
            opened.picture("failed")
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the examples."""
    return examples(tmp_path)


def examples(folder: Path) -> Path:
    project = folder / "project"
    shutil.copytree(REPOSITORY / "examples", project)
    return project


@pytest.fixture
def launch(tmp_path: Path) -> Generator[Launch]:
    """Starts code-servers with settings and variables for the test."""
    with ExitStack() as stack:

        def launched(*, target: str = TARGET, **parts: Any) -> CodeServer:
            return stack.enter_context(CodeServer(tmp_path / "home", target=target, **parts))

        yield launched


@pytest.fixture(scope="session")
def shared_window(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    folder = tmp_path_factory.mktemp("shared")
    with (
        CodeServer(folder / "home", target=TARGET, machine=WITH_NUMPY) as server,
        Window(browser, server, examples(folder)) as window,
    ):
        yield window


@pytest.fixture
def window(shared_window: Window) -> Iterator[Window]:
    """An editor on the examples in which nothing is open and nothing was changed."""
    yield shared_window
    shared_window.tidy()
    for source in (REPOSITORY / "examples").iterdir():
        shutil.copy(source, shared_window.folder)
