"""A repair is chosen with the keys, applied, and its finding is gone."""

from __future__ import annotations

from tests.editors.vscode.window import Window

TRANSPOSE = """\
__global__ void transpose(float *out, const float *in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void run(float *out, const float *in) { transpose<<<1, dim3(32, 32)>>>(out, in); }
"""


def test_padding_is_offered_and_removes_the_bank_conflict(window: Window) -> None:
    (window.folder / "tile.cu").write_text(TRANSPOSE)
    window.open("tile.cu")
    assert "MEM502" in window.wait_for_codes("tile.cu", bool)
    window.at(5, 45)
    window.page.locator(".monaco-editor textarea, .native-edit-context").first.focus()
    window.page.keyboard.press("Control+.")
    window.sees(".action-widget .monaco-list-row.action", "Pad the rows")
    window.picture("offered")
    window.page.keyboard.press("Enter")
    window.wait_for_codes("tile.cu", lambda codes: "MEM502" not in codes)
    window.sees(".codelens-decoration", "no divergent branches")
    window.picture("applied")
    text = window.ask("return vscode.window.activeTextEditor.document.getText()")
    assert "tile[32][33]" in text or "tile[32][32 + 1]" in text
