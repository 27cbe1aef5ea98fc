"""The pictures of the README, taken as its reader will see it; `docs/images` has copies of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.editors.vscode.conftest import WITH_NUMPY
from tests.editors.vscode.install import EXTENSION, TARGET
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAME: Final = "relax.cu"
MELDABLE: Final = "advect.cu"
SETTINGS: Final = {
    "workbench.activityBar.location": "hidden",
    "workbench.layoutControl.enabled": False,
    "editor.fontSize": 13,
    "simt-lsp.inlayHints": "forms",
}


_CLOSE_LEGEND: Final = """
const legends = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ label }) => label === "SIMT: legend");
await vscode.window.tabGroups.close(legends);
"""


@pytest.fixture(scope="module")
def gallery(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    folder = tmp_path_factory.mktemp("gallery")
    project = folder / "kernels"
    project.mkdir()
    (project / NAME).write_text((EXTENSION / "walkthrough" / "example.cu").read_text())
    server = CodeServer(folder / "home", target=TARGET, machine=WITH_NUMPY, settings=SETTINGS)
    with server, Window(browser, server, project) as window:
        window.page.set_viewport_size({"width": 1280, "height": 760})
        window.ask("await vscode.commands.executeCommand('workbench.action.closeSidebar')")
        window.open(NAME)
        window.sees(".codelens-decoration", "Simulate")
        window.command("SIMT: Show Legend")  # what is explained where it is first seen is no part of the pictures
        window.panel("What the marks mean")
        window.ask(_CLOSE_LEGEND)
        yield window


def test_simulate(gallery: Window) -> None:
    gallery.at(20)
    gallery.command("SIMT: Simulate Kernel")
    gallery.panel("SIMD efficiency")
    gallery.sees(".codelens-decoration", "Simulate again")
    _settle(gallery)
    gallery.picture("picture")


def test_explain(gallery: Window) -> None:
    gallery.at(19, 9)
    gallery.command("Explain Divergence Here")
    gallery.panel("Why")
    _settle(gallery)
    gallery.picture("picture")


def test_graph(gallery: Window) -> None:
    gallery.at(19, 9)
    gallery.command("Show Control-Flow Graph")
    gallery.panel("blocks divergent")
    _settle(gallery)
    gallery.picture("picture")


def test_meld(gallery: Window) -> None:
    text = (EXTENSION / "walkthrough" / "meld.cu").read_text()
    (gallery.folder / MELDABLE).write_text(text)
    gallery.open(MELDABLE)
    gallery.at(1 + text[: text.rindex("if (from_left)")].count("\n"), 3)
    gallery.command("SIMT: Preview Melding")
    gallery.sees(".tabs-container .tab", "fewer issued instructions, checked on", seconds=60)
    gallery.sees(".monaco-diff-editor .modified-in-monaco-diff-editor", "from_left ? i")
    gallery.ask("await vscode.commands.executeCommand('notifications.clearAll')")
    _settle(gallery)
    gallery.picture("picture")


def test_the_readme_has_them() -> None:
    images = Path(__file__).parents[3] / "docs" / "images"
    assert {image.name for image in images.iterdir()} >= {
        f"{name}.png" for name in ("simulate", "explain", "graph", "meld")
    }


def _settle(window: Window) -> None:
    """No messages any more."""
    wait_until(lambda: window.notifications() == [], lambda: f"{window.notifications()}")
