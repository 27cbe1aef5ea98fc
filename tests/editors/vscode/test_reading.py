"""What is seen without doing anything: findings, hovers, hints, lenses, colours, counts."""

from __future__ import annotations

import json
import re
from typing import Final

import pytest

from tests.editors.vscode.install import EXTENSION
from tests.editors.vscode.server import QUIET
from tests.editors.vscode.window import Window, wait_until

BARRIER: Final = "divergent_barrier.cu"
TRANSPOSE: Final = "transpose.cu"
HELPER: Final = """\
__device__ float settle(const float *x) {
  float e = x[threadIdx.x];
  if (e > 0.5f) {
    for (int k = 0; k < 16; ++k) e = sqrtf(e) * cosf(e);
  } else {
    for (int k = 0; k < 16; ++k) e = expf(-e) + logf(e);
  }
  return e;
}
"""


def test_a_finding_is_underlined_with_its_reason(window: Window) -> None:
    window.open(BARRIER)
    window.sees(".squiggly-error")
    window.picture("squiggle")
    (finding,) = window.diagnostics(BARRIER)
    assert (finding["code"], finding["line"], finding["source"]) == ("SYN101", 19, "simt-lsp")
    assert "Threads 0-3 of the block arrive at this barrier" in finding["message"]


def test_a_hover_says_in_which_group_a_value_agrees(window: Window) -> None:
    window.open(BARRIER)
    window.wait_for_codes(BARRIER, bool)
    window.at(16, 8)
    window.page.locator(".monaco-editor textarea, .native-edit-context").first.focus()
    window.ask("await vscode.commands.executeCommand('editor.action.showHover')")
    hover = window.sees(".monaco-hover", "threadIdx.x")
    window.picture("hover")
    assert "varying" in hover.inner_text()


def test_hints_and_lenses_stand_where_they_belong(window: Window) -> None:
    window.open(TRANSPOSE)
    window.sees(".view-line", "tile[threadIdx.x][threadIdx.y]32-way conflict;".replace(" ", "\u00a0"))
    assert "varying" not in window.page.locator(".view-lines").first.inner_text(), "a word beside a tinted name"
    window.open(BARRIER)
    window.sees(".codelens-decoration", "Simulate")
    first = window.page.locator(".codelens-decoration").first.inner_text().replace("\u00a0", " ")
    assert re.search(r"1 unsafe barrier.*\|\s*Simulate", first, re.DOTALL), first
    window.picture("hints-and-lens")


def test_the_status_item_counts_for_the_kernel_at_the_cursor(window: Window) -> None:
    window.open(BARRIER)
    window.at(1)
    window.sees(".statusbar-item", "2 kernels · 1 error")
    window.at(14)
    window.sees(".statusbar-item", "smooth: 1 error")
    window.at(30)
    window.sees(".statusbar-item", "smooth_fixed: nothing found")
    window.picture("counts")


def test_the_status_item_counts_what_is_found_outside_of_kernels(window: Window) -> None:
    (window.folder / "helper.cuh").write_text(HELPER)
    window.open("helper.cuh")
    window.sees(".statusbar-item", "no kernels · 1 note")


@pytest.mark.parametrize(
    ("theme", "rules", "least"),
    [
        ("Default Dark Modern", "[*Dark*]", 4.5),
        ("Default Light Modern", "[*Light*]", 4.5),
        ("Default High Contrast", "[*High Contrast]", 7.0),
        ("Default High Contrast Light", "[*Light*]", 7.0),
    ],
)
def test_tinted_names_can_be_read(window: Window, theme: str, rules: str, least: float) -> None:
    """`least` is the contrast of text on its background that WCAG 2 asks for: level AA, and AAA in high contrast."""
    expected = json.loads((EXTENSION / "package.json").read_text())["contributes"]["configurationDefaults"]
    tints = expected["editor.semanticTokenColorCustomizations"][rules]["rules"]
    window.set_setting("workbench.colorTheme", theme)
    try:
        window.open("data_dependent_branch.cu")
        for name, kind in (("e", "*.varying"), ("i", "variable.affine")):
            wanted = _rgb(*(int(tints[kind][at : at + 2], 16) for at in (1, 3, 5)))
            _wait_for_colour(window, name, wanted)
            background = _numbers(str(window.page.locator(".monaco-editor-background").first.evaluate(_BACKGROUND)))
            assert _contrast(_numbers(wanted), background) >= least, (theme, kind)
        window.picture(theme.replace(" ", "-").lower())
    finally:
        window.set_setting("workbench.colorTheme", QUIET["workbench.colorTheme"])


_BACKGROUND: Final = "(element) => getComputedStyle(element).backgroundColor"
_COLOURS: Final = """(name) => [...document.querySelectorAll('.view-line span span')]
  .filter((span) => span.textContent === name).map((span) => getComputedStyle(span).color)"""


def _wait_for_colour(window: Window, name: str, wanted: str) -> None:
    wait_until(lambda: wanted in _colours_of(window, name), lambda: f"{name}: {_colours_of(window, name)}")


def _colours_of(window: Window, name: str) -> list[str]:
    return [str(colour) for colour in window.page.evaluate(_COLOURS, name)]


def _rgb(red: int, green: int, blue: int) -> str:
    """As a browser says it."""
    return f"rgb({red}, {green}, {blue})"


def _numbers(text: str) -> tuple[float, float, float]:
    red, green, blue = (float(part) / 255 for part in re.findall(r"[\d.]+", text)[:3])
    return red, green, blue


def _contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: tuple[float, float, float]) -> float:
    """WCAG 2.2, relative luminance."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
