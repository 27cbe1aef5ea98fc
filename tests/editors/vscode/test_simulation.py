"""Simulating: the report with its numbers, the bars in the gutter, what is remembered, what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Final

from tests.editors.folders import REPOSITORY
from tests.editors.vscode.window import Window, wait_until

BRANCH: Final = "data_dependent_branch.cu"
ENDLESS: Final = """\
// simt: grid=1 block=32 n=1000000000
__global__ void endless(int *x, int n) {
  for (int j = 0; j < n; ++j) x[threadIdx.x] += j;
}
"""
"""It outlasts every time limit."""
REFUSED: Final = """\
__device__ int unknown(int);
__global__ void calls(int *out) {
  out[threadIdx.x] = unknown(threadIdx.x);
}
"""


def test_the_report_has_the_numbers_of_the_simulation(window: Window) -> None:
    _open(window, BRANCH)
    window.sees(".codelens-decoration a", "Simulate").click()
    report = window.panel("relax")
    expected = _simulated(BRANCH, "relax")
    text = report.locator("body").inner_text()
    assert (
        f"{expected['simd_efficiency']:.1%}".replace("%", " %") in text or f"{expected['simd_efficiency']:.1%}" in text
    )
    assert f"{expected['warp_instructions']:,}" in text
    window.picture("report")
    assert window.notifications() == []


def test_bars_stand_beside_what_ran_until_the_kernel_changes(window: Window) -> None:
    (window.folder / "bars.cu").write_text((window.folder / BRANCH).read_text())  # never simulated before
    _open(window, "bars.cu")
    assert _bars(window) == 0
    window.at(20)
    window.command("SIMT: Simulate Kernel")
    report = window.panel("relax")
    lines = _simulated(BRANCH, "relax")["lines"]
    lost = sum(line["warp_instructions"] > 0 and line["simd_efficiency"] < 0.95 for line in lines)
    assert 0 < lost < len(lines)  # where all lanes worked there is no bar
    wait_until(lambda: _bars(window) == lost, lambda: f"{_bars(window)} bars")
    window.sees(".codelens-decoration", "Simulate again")
    window.picture("bars")
    _replace(window, "state[i] > 0", "state[i] > 1")
    wait_until(lambda: _bars(window) == 0, lambda: f"{_bars(window)} bars")
    report.locator(".stale-banner").wait_for(state="visible")
    window.picture("stale")
    _replace(window, "state[i] > 1", "state[i] > 0")
    wait_until(lambda: _bars(window) == lost, lambda: f"{_bars(window)} bars")
    report.locator(".stale-banner").wait_for(state="hidden")


def test_a_launch_is_chosen_in_a_form_and_remembered(window: Window) -> None:
    _open(window, BRANCH)
    window.at(20)
    window.command("Simulate with…")
    _pick(window, "Grid")
    window.sees(".quick-input-title", "Grid: blocks along x, y and z")
    window.page.keyboard.type("zero")
    window.sees(".quick-input-message", "One to three whole numbers")
    window.picture("not-a-grid")
    window.page.keyboard.press("Control+a")
    window.page.keyboard.type("3")
    window.page.keyboard.press("Enter")
    window.sees(".quick-input-list .monaco-list-row", "Grid")
    window.picture("form")
    _pick(window, "Run")
    window.panel("grid 3 · block 256")
    window.command("SIMT: Simulate Kernel")
    window.panel("grid 3 · block 256")
    window.command("Simulate with…")
    _pick(window, "Everything in words")
    window.sees(".quick-input-title", "Everything in words")
    window.page.keyboard.type("grid=5 block=64")
    window.page.keyboard.press("Enter")
    _pick(window, "Warp size")
    window.sees(".quick-input-title", "Warp size: lanes of a warp")
    window.page.keyboard.type("16")
    window.page.keyboard.press("Enter")
    _pick(window, "Run")
    window.panel("grid 3 · block 64 · 12 warps of 16 lanes")
    window.command("Simulate with…")
    _pick(window, "Forget these")
    window.page.locator(".quick-input-list .monaco-list-row", has_text="Forget these").wait_for(state="detached")
    _pick(window, "Run")
    window.panel("grid 8 · block 256")


def test_a_simulation_that_was_stopped_no_longer_says_that_it_goes_on(window: Window) -> None:
    (window.folder / "endless.cu").write_text(ENDLESS)
    window.set_setting("simt-lsp.simulate.seconds", 600)
    try:
        _open(window, "endless.cu")
        window.at(2)
        window.command("SIMT: Simulate Kernel")
        report = window.panel("still running")
        assert "so far, after" in report.locator("body").inner_text()
        window.picture("goes-on")
        window.press_button("Cancel")
        stopped = window.panel("stopped before its end")
        assert "in part, stopped after" in stopped.locator("body").inner_text()
        window.sees(".codelens-decoration", "ended early")
        wait_until(lambda: window.notifications() == [], lambda: f"{window.notifications()}")
        window.picture("stopped")
    finally:
        window.set_setting("simt-lsp.simulate.seconds", None)


def test_what_cannot_be_simulated_is_said_with_the_place(window: Window) -> None:
    (window.folder / "refused.cu").write_text(REFUSED)
    _open(window, "refused.cu")
    window.at(3)
    window.command("SIMT: Simulate Kernel")
    window.page.get_by_role("button", name="Go to Line", exact=True).wait_for()
    wait_until(lambda: len(window.notifications()) == 1, lambda: f"{window.notifications()}")
    assert "call of unknown" in window.notifications()[0]
    window.picture("refused")
    window.at(1)
    window.press_button("Go to Line")
    wait_until(lambda: window.cursor()[0] == 3, lambda: f"the cursor is at {window.cursor()}")


def _open(window: Window, name: str) -> None:
    window.open(name)
    window.sees(".codelens-decoration", "Simulate")


def _pick(window: Window, label: str) -> None:
    """A line of the list that is open."""
    window.sees(".quick-input-list .monaco-list-row", label).click()


def _bars(window: Window) -> int:
    """Lines with a picture in the glyph margin, of those on the screen."""
    return int(window.page.evaluate(_COUNT_BARS))


_COUNT_BARS: Final = """() => [...document.querySelectorAll('.glyph-margin-widgets *, .margin-view-overlays *')]
  .filter((element) => getComputedStyle(element).backgroundImage.includes('data:image/svg')).length"""


def _replace(window: Window, old: str, new: str) -> None:
    window.ask(
        "const document = vscode.window.visibleTextEditors[0].document;"
        f"const start = document.positionAt(document.getText().indexOf({json.dumps(old)}));"
        f"const range = new vscode.Range(start, start.translate(0, {len(old)}));"
        "const edit = new vscode.WorkspaceEdit();"
        f"edit.replace(document.uri, range, {json.dumps(new)});"
        "await vscode.workspace.applyEdit(edit);"
    )


def _simulated(name: str, kernel: str) -> dict[str, Any]:
    """The run of the first policy, from the command line."""
    command = [sys.executable, "-m", "simt_lsp", "simulate", f"{REPOSITORY / 'examples' / name}:{kernel}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    return next(iter(json.loads(done.stdout)["policies"].values()))
