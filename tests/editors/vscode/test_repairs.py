"""Repairs are chosen with the keys or made on a save, and their findings are gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import pytest

from tests.editors.others.snippets import snippet
from tests.editors.vscode.window import Window, wait_until

TRANSPOSE = """\
__global__ void transpose(float *out, const float *in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void run(float *out, const float *in) { transpose<<<1, dim3(32, 32)>>>(out, in); }
"""
FLAGGED: Final = """__global__ void k(float *out, const int *flag) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (flag[t]) {
    s[t] = out[t];
    out[t] = s[127 - t];
  }
}
void host(float *a, int *b) { k<<<2, 128>>>(a, b); }
"""


def test_padding_is_offered_and_removes_the_bank_conflict(window: Window) -> None:
    (window.folder / "tile.cu").write_text(TRANSPOSE)
    window.open("tile.cu")
    assert "MEM502" in window.wait_for_codes("tile.cu", bool)
    window.at(5, 45)
    window.offered("Pad the rows")
    window.picture("offered")
    window.page.keyboard.press("Enter")
    window.wait_for_codes("tile.cu", lambda codes: "MEM502" not in codes)
    window.sees(".codelens-decoration", "no divergent branches")
    window.picture("applied")
    text = window.ask("return vscode.window.activeTextEditor.document.getText()")
    assert "tile[32][33]" in text or "tile[32][32 + 1]" in text


TWO: Final = TRANSPOSE.replace("tile[32][32];", "tile[32][32], more[32][32];").replace(
    "= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.x][threadIdx.y] + more[threadIdx.x][threadIdx.y];"
)
PADDED: Final = TWO.replace("[32][32]", "[32][32 + 1]")


def written(window: Window) -> str:
    text: str = window.ask("return vscode.window.activeTextEditor.document.getText()")
    return text


@pytest.fixture
def fixing_window(window: Window) -> Iterator[Window]:
    """With the setting of docs/editors.md."""
    ((name, value),) = json.loads("{" + snippet("VS Code", "json") + "}").items()
    window.set_setting(name, value)
    yield window
    window.set_setting(name, None)


def test_all_safe_repairs_are_made_on_a_save_and_undone(fixing_window: Window) -> None:
    window = fixing_window
    (window.folder / "tiles.cu").write_text(TWO)
    window.open("tiles.cu")
    assert "MEM502" in window.wait_for_codes("tiles.cu", bool)
    window.at(1)
    window.page.locator(".monaco-editor textarea, .native-edit-context").first.focus()
    wait_until(lambda: window.cursor() == (1, 1), lambda: f"the cursor is at {window.cursor()}")
    window.page.keyboard.press("Enter")
    window.page.keyboard.press("Control+s")
    window.wait_for_codes("tiles.cu", lambda codes: "MEM502" not in codes)
    assert written(window) == f"\n{PADDED}"
    wait_until(lambda: (window.folder / "tiles.cu").read_text() == f"\n{PADDED}", lambda: "never saved")
    window.picture("saved")
    window.page.keyboard.press("Control+z")
    window.wait_for_codes("tiles.cu", lambda codes: "MEM502" in codes)
    assert written(window) == f"\n{TWO}"


def test_all_repairs_of_one_rule_are_made_from_one_finding(window: Window) -> None:
    (window.folder / "tiles.cu").write_text(TWO)
    window.open("tiles.cu")
    assert "MEM502" in window.wait_for_codes("tiles.cu", bool)
    window.at(5, 45)
    window.offered("Fix all bank-conflict (MEM502) in this file").click()
    window.wait_for_codes("tiles.cu", lambda codes: "MEM502" not in codes)
    assert written(window) == PADDED


def test_a_finding_that_data_decides_is_confirmed_by_a_run(window: Window) -> None:
    (window.folder / "flagged.cu").write_text(FLAGGED)
    window.set_setting("simt-lsp.tiers", ["proven", "assumed"])
    try:
        window.open("flagged.cu")
        assert "RAC301" in window.wait_for_codes("flagged.cu", lambda codes: "RAC301" in codes)
        window.at(6, 15)
        window.offered("Confirm by a run").click()

        def messages() -> list[str]:
            return [one["message"] for one in window.diagnostics("flagged.cu") if one["code"] == "RAC301"]

        wait_until(
            lambda: "(confirmed by a run of k (grid 2, block 128): " in "".join(messages()), lambda: str(messages())
        )
        window.picture("confirmed")
    finally:
        window.set_setting("simt-lsp.tiers", None)
