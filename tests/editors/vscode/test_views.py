"""Explanations and graphs beside the editor, whose places lead back into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.editors.vscode.conftest import Launch
from tests.editors.vscode.window import Window, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BARRIER = "divergent_barrier.cu"


@pytest.fixture
def launched_window(browser: Browser, launch: Launch, project: Path) -> Iterator[Window]:
    """One that has never shown anything."""
    with Window(browser, launch(), project) as window:
        yield window


def test_a_line_is_explained_and_its_steps_lead_to_their_places(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(19, 5)
    window.command("Explain Divergence Here")
    view = window.panel("divergent_barrier.cu:19")
    window.picture("explain")
    view.locator("a", has_text="line 16").first.click()
    wait_until(lambda: window.cursor()[0] == 16, lambda: f"the cursor is at {window.cursor()}")


def test_a_line_is_explained_exactly_with_drawings(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(19, 5)
    window.command("Explain Exactly Here")
    view = window.panel("All paths of two threads")
    assert "a thread can wait here for ever" in view.locator("main").inner_text()
    for title in ("Petri net", "State space"):
        drawing = view.locator(f"figure[aria-label='{title}'] svg")
        assert (drawing.locator("text.title").text_content() or "").startswith(title)
        page = drawing.locator(".page").first.evaluate("(element) => getComputedStyle(element).fill")
        assert page == "rgb(31, 31, 31)", "the background of Dark Modern"
    window.picture("exactly")


def test_the_lens_explains_in_the_view_not_in_a_message(window: Window) -> None:
    window.open(BARRIER)
    window.sees(".codelens-decoration a", "1 unsafe barrier").click()
    window.panel("divergent_barrier.cu:12")
    assert window.notifications() == []


def test_a_graph_follows_the_theme_and_its_blocks_lead_to_their_lines(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(14)
    window.command("Show Control-Flow Graph")
    view = window.panel("smooth: 1 of 6 blocks divergent")
    page = view.locator("svg .page").evaluate("(element) => getComputedStyle(element).fill")
    assert page == "rgb(31, 31, 31)", "the background of Dark Modern"
    window.picture("graph")
    view.locator("g.node", has_text="block barrier").click()
    wait_until(lambda: window.cursor()[0] == 17, lambda: f"the cursor is at {window.cursor()}")


def test_lines_of_vectors_lead_to_their_source(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(14)
    window.command("Show as Vectors and Masks")
    view = window.panel("m0 = all_lanes")
    window.picture("vectors")
    view.locator(".vector-line", has_text="if any(m1):").locator("a").first.click()
    wait_until(lambda: window.cursor()[0] == 17, lambda: f"the cursor is at {window.cursor()}")


def test_a_graph_is_zoomed_and_fitted(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(14)
    window.command("Show Control-Flow Graph")
    view = window.panel("smooth: 1 of 6 blocks divergent")

    def width() -> float:
        return float(view.locator(".graph svg").evaluate("(svg) => svg.getBoundingClientRect().width"))

    first = width()
    view.get_by_label("Larger").click()
    wait_until(lambda: width() > 1.2 * first, lambda: f"{width()} after {first}")
    window.picture("zoomed")
    view.get_by_label("All of it").click()
    fits = "(graph) => graph.scrollHeight <= graph.clientHeight + 1 && graph.scrollWidth <= graph.clientWidth + 1"
    wait_until(lambda: view.locator(".graph").evaluate(fits), lambda: f"{width()}")
    window.picture("fitted")


def test_marks_are_explained_where_they_are_first_seen_and_in_a_view(launched_window: Window) -> None:
    window = launched_window
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    told = "tinted: differs between threads"
    wait_until(lambda: told in _drawn_behind(window), lambda: _drawn_behind(window))
    window.picture("legend-hint")
    window.command("SIMT: Show Legend")
    view = window.panel("What the marks mean")
    for word in ("affine", "italics", "Bars in the gutter"):
        assert word in view.locator("main").inner_text()
    wait_until(lambda: told not in _drawn_behind(window), lambda: _drawn_behind(window))
    window.picture("legend")
    window.open("reduction.cu")
    window.sees(".codelens-decoration", "Simulate")
    assert told not in _drawn_behind(window), "once is enough"


def test_a_line_without_device_code_says_what_to_do_and_leaves_the_view(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(19, 5)
    window.command("Explain Divergence Here")
    window.panel("divergent_barrier.cu:19")
    window.at(1)
    window.command("Explain Divergence Here")
    expected = ["Put the cursor into a kernel or a device function, or on a launch, first."]
    wait_until(lambda: window.notifications() == expected, lambda: f"{window.notifications()}")
    window.picture("not-there")
    window.panel("divergent_barrier.cu:19")


def test_commands_are_there_with_the_focus_in_a_view(window: Window) -> None:
    (window.folder / "focus.cu").write_text((window.folder / BARRIER).read_text())  # its faults stay its own
    window.open("focus.cu")
    window.wait_for_codes("focus.cu", bool)
    window.at(14)
    window.command("Show Control-Flow Graph")
    window.panel("blocks divergent").locator("svg .title, svg text").first.click()
    window.command("Simulate Kernel")
    window.panel("barrier-divergence")


def test_views_say_when_the_text_has_changed_and_can_be_renewed(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(16, 7)
    window.command("Explain Divergence Here")
    view = window.panel("threadIdx.x < RADIUS")
    banner = view.locator(".stale-banner")
    assert banner.is_hidden()
    window.ask(
        "const edit = new vscode.WorkspaceEdit();"
        "edit.replace(vscode.window.activeTextEditor.document.uri, new vscode.Range(15, 20, 15, 26), '32 / 2');"
        "await vscode.workspace.applyEdit(edit);"
    )
    banner.wait_for(state="visible")
    window.picture("stale")
    banner.locator("button").click()
    window.panel("threadIdx.x < 32 / 2")


def _drawn_behind(window: Window) -> str:
    """All that decorations put behind lines."""
    return str(window.page.evaluate(_AFTER))


_AFTER: Final = """() => [...document.querySelectorAll('.view-line span')]
  .map((span) => getComputedStyle(span, '::after').content).filter((text) => text !== 'none').join('\\n')"""
