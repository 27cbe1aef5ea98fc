"""A kernel in a header and its launches in other files: what a user sees at both ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.editors.launched_elsewhere import (
    BARRIER_LINE,
    DECLARING,
    DECLARING_LINE,
    DEFINING,
    HEADER,
    KERNEL_LINE,
    LAUNCH_LINE,
    MAIN,
    write,
)
from tests.editors.vscode.conftest import WITH_NUMPY
from tests.editors.vscode.install import TARGET
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

BOTH = "launched in main.cu:9, other.cu:4"


@pytest.fixture(scope="module")
def shared(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    folder = tmp_path_factory.mktemp("launches")
    with (
        CodeServer(folder / "home", target=TARGET, machine=WITH_NUMPY) as server,
        Window(browser, server, write(folder / "project")) as opened,
    ):
        yield opened


@pytest.fixture
def window(shared: Window) -> Iterator[Window]:
    yield shared
    shared.tidy()


def test_a_launch_shows_what_it_says_and_what_is_known_of_its_kernel(window: Window) -> None:
    window.open(MAIN)
    window.sees(".codelens-decoration", "Simulate this launch")
    hover = _hover(window, LAUNCH_LINE, 5, "launch of smooth")
    window.picture("hover")
    for words in ("defined in kernels.cuh:3", "grid of 63 blocks", "both launches: main.cu:9, other.cu:4", "SYN101"):
        assert words in hover.inner_text()


def test_from_the_launch_to_the_kernel_and_back(window: Window) -> None:
    window.open(MAIN)
    window.sees(".codelens-decoration", "Simulate this launch")
    window.at(LAUNCH_LINE, 5)
    window.command("Go to Definition")
    _wait_for_file(window, HEADER)
    assert window.cursor()[0] == KERNEL_LINE
    window.sees(".codelens-decoration", BOTH)
    window.picture("definition")
    window.command("Go to References")
    window.sees(".reference-zone-widget", "main.cu")
    window.sees(".reference-zone-widget", "other.cu")
    window.picture("references")


def test_a_launch_is_simulated_and_its_result_shown_at_both_ends(window: Window) -> None:
    window.open(MAIN)
    window.sees(".codelens-decoration a", "Simulate this launch").click()
    window.panel("grid 63 · block 96")
    window.sees(".codelens-decoration", "Simulate again (")
    window.picture("launch")
    window.open(HEADER)
    window.sees(".codelens-decoration", "Simulate again (")
    hover = _hover(window, KERNEL_LINE, 18, "both launches")
    window.picture("kernel")
    assert "Simulated with 63 × 96 threads" in hover.inner_text()
    assert window.notifications() == []


def test_a_code_action_simulates_the_launch(window: Window) -> None:
    window.open(MAIN)
    window.sees(".codelens-decoration", "Simulate")
    window.at(LAUNCH_LINE, 5)
    offered = window.offered("Simulate this launch")
    window.picture("offered")
    offered.click()
    window.panel("grid 63 · block 96")


def test_explain_names_the_launches_at_the_kernel_and_the_kernel_at_the_launch(window: Window) -> None:
    window.open(MAIN)
    window.sees(".codelens-decoration", "Simulate")
    window.at(LAUNCH_LINE)
    window.command("Explain Divergence Here")
    window.panel("is defined in kernels.cuh:3")
    window.picture("launch")
    window.open(HEADER)
    window.sees(".codelens-decoration a", BOTH).click()
    window.panel("both launches: main.cu:9, other.cu:4")
    window.picture("kernel")


def test_a_kernel_that_is_only_declared_is_found_in_its_own_file(window: Window) -> None:
    window.open(DECLARING)
    window.sees(".codelens-decoration a", "Simulate this launch").click()
    window.panel("grid 4 · block 128")
    _hover(window, DECLARING_LINE, 5, "defined in halve.cu:1")
    window.picture("hover")
    window.page.keyboard.press("Escape")
    window.command("Go to Definition")
    _wait_for_file(window, DEFINING)
    assert window.cursor()[0] == 1


def test_an_edit_of_the_launch_decides_what_is_found_in_the_header(window: Window) -> None:
    window.open(HEADER)
    window.wait_for_codes(HEADER, lambda codes: "SYN101" in codes)
    assert any(one["line"] == BARRIER_LINE for one in window.diagnostics(HEADER))
    window.open(MAIN)
    _replace(window, "threads = 96", "threads = 64")
    window.wait_for_codes(HEADER, lambda codes: "SYN101" not in codes)
    window.open(HEADER)
    hover = _hover(window, KERNEL_LINE, 18, "both launches")
    window.picture("after")
    assert "block of 64 threads" in hover.inner_text()
    window.open(MAIN)
    _replace(window, "threads = 64", "threads = 96")
    window.wait_for_codes(HEADER, lambda codes: "SYN101" in codes)


def _wait_for_file(window: Window, name: str) -> None:
    shown = "return vscode.window.activeTextEditor?.document.fileName ?? ''"
    window.wait_for(shown, lambda path: str(path).endswith(name))


def _hover(window: Window, line: int, column: int, text: str) -> Locator:
    window.at(line, column)
    window.page.locator(".monaco-editor textarea, .native-edit-context").first.focus()

    def shown() -> bool:
        window.ask("await vscode.commands.executeCommand('editor.action.showHover')")
        return window.page.locator(".monaco-hover", has_text=text).count() > 0

    wait_until(shown, lambda: f"no hover with {text!r}")
    return window.sees(".monaco-hover", text)


def _replace(window: Window, old: str, new: str) -> None:
    window.ask(
        "const document = vscode.window.activeTextEditor.document;"
        f"const start = document.positionAt(document.getText().indexOf('{old}'));"
        "const edit = new vscode.WorkspaceEdit();"
        f"edit.replace(document.uri, new vscode.Range(start, start.translate(0, {len(old)})), '{new}');"
        "await vscode.workspace.applyEdit(edit);"
    )
