"""Levels after names, by mode and range."""

from __future__ import annotations

from analysis.features.inlay_hints import InlayHintMode, inlay_hints
from tests.rules.fixture import analyze

TEXT = """__global__ void k(float *x, int n) {
  int tid = threadIdx.x;
  int twice = tid * 2;
  int base = blockIdx.x * 4;
  int vote = __any_sync(0xffffffff, tid > 3);
  x[twice + base + vote] = n;
}
__device__ int helper(int a) {
  int b = a + 1;
  return b;
}
"""


def labels(mode: InlayHintMode, text: str = TEXT, start: int = 0, end: int | None = None) -> list[str]:
    """`name: label` of each hint, read from the text before its offset."""
    analysis = analyze(text)
    found: list[str] = []
    for hint in inlay_hints(analysis, mode, start, end):
        name = text[: hint.offset].replace("*", " ").split()[-1].split("(")[-1]
        found.append(f"{name}: {hint.label}")
    return found


def test_off_shows_nothing() -> None:
    assert labels(InlayHintMode.OFF) == []


def test_varying_leaves_out_what_is_uniform_and_what_is_only_assumed() -> None:
    assert labels(InlayHintMode.VARYING) == ["tid: varying", "twice: varying", "b: varying"]


def test_all_shows_every_declared_name() -> None:
    assert labels(InlayHintMode.ALL) == [
        "x: uniform",
        "n: uniform",
        "tid: varying",
        "twice: varying",
        "base: block",
        "vote: warp",
        "a: varying",
        "b: varying",
    ]


def test_only_the_asked_range() -> None:
    line = TEXT.index("  int twice")
    assert labels(InlayHintMode.ALL, start=line, end=TEXT.index("\n", line)) == ["twice: varying"]


def test_the_tooltip_gives_the_reason() -> None:
    hints = inlay_hints(analyze(TEXT), InlayHintMode.ALL)
    assert {hint.tooltip for hint in hints if hint.label == "block"} == {
        "base is uniform in the block\nline 4: int base = blockIdx.x * 4;  (the block index is one per block)"
    }
    assert "a is varying: no caller is known, so nothing is assumed about this parameter" in {
        hint.tooltip for hint in hints
    }


def test_code_that_is_not_compiled_has_no_hints() -> None:
    assert labels(InlayHintMode.ALL, "#if 0\n__global__ void k(int n) { int m = n; }\n#endif\n") == []
