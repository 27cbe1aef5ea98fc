"""Explanations and graphs beside the editor, whose places lead back into it."""

from __future__ import annotations

from tests.editors.vscode.window import Window, wait_until

BARRIER = "divergent_barrier.cu"


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


def test_a_line_without_device_code_says_what_to_do_and_leaves_the_view(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(19, 5)
    window.command("Explain Divergence Here")
    window.panel("divergent_barrier.cu:19")
    window.at(1)
    window.command("Explain Divergence Here")
    expected = ["Put the cursor into a kernel or a device function first."]
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
