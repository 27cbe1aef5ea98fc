"""Typing at speed in a large file: nothing is lost, and findings elsewhere stay where they are."""

from __future__ import annotations

from typing import Final

from tests.editors.vscode.window import Window

COPIES: Final = 150
TYPED: Final = "int a = threadIdx.x; if (a < n) a = a * 2 + n; out[a] = in[a] + 1.0f; if (a < 9) __syncthreads();"
"""Its end is a finding, so that it can be seen when the last letter is analysed."""


KERNEL: Final = """\
__global__ void k{number}(float *out, const float *in, int n) {{
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < {some}) {{
    tile[threadIdx.x] += 1.0f;
    __syncthreads();
  }}

  if (i < n) out[i] = tile[threadIdx.x];
}}

"""
LINES: Final = KERNEL.count("\n")


def _large() -> str:
    """150 kernels in 1,800 lines, each with one finding."""
    return "".join(KERNEL.format(number=number, some=3 + number % 28) for number in range(COPIES))


def test_findings_do_not_flicker_while_somebody_types(window: Window) -> None:
    (window.folder / "large.cu").write_text(_large())
    window.open("large.cu")
    window.wait_for_codes("large.cu", lambda codes: codes.count("SYN101") == COPIES)
    line = LINES * (COPIES // 2) + 9
    window.at(line)
    window.ask(
        "const { uri } = vscode.window.activeTextEditor.document;"
        "const ours = ({ code }) => (code?.value ?? code) === 'SYN101';"
        "const count = () => vscode.languages.getDiagnostics(uri).filter(ours).length;"
        "globalThis.seen = [];"
        "globalThis.watching = vscode.languages.onDidChangeDiagnostics(() => globalThis.seen.push(count()));"
    )
    window.page.locator(".monaco-editor textarea, .native-edit-context").first.focus()
    window.page.keyboard.type(TYPED, delay=25)
    window.wait_for(
        f"return vscode.window.activeTextEditor.document.lineAt({line - 1}).text.trim().length >= {len(TYPED.strip())}"
    )
    window.wait_for_codes("large.cu", lambda codes: codes.count("SYN101") == COPIES + 1)
    window.picture("typed")
    text = str(window.ask(f"return vscode.window.activeTextEditor.document.lineAt({line - 1}).text"))
    assert text.strip() == TYPED.strip()
    counts = window.ask("globalThis.watching.dispose(); return globalThis.seen;")
    assert min(counts, default=COPIES) >= COPIES - 1, f"at most the kernel under the cursor: {counts}"
