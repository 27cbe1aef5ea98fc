"""A suppression that says nothing is reported with what takes it away, and nothing else is."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.edit import apply_replacements
from analysis.rules.settings import RuleSettings, read_rule_settings
from analysis.rules.unused_suppressions import unused_suppressions
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

BARRIER = "  if (threadIdx.x < 7) __syncthreads();"


def kernel(*lines: str) -> str:
    return "\n".join(("__global__ void k(float *x, int n) {", *lines, "  x[threadIdx.x] = n;", "}", ""))


def said(text: str, settings: RuleSettings | None = None) -> list[tuple[str, str, str]]:
    """The marked text, the message, and the text after the removal."""
    document = Document.open(text.encode())
    analysis = Analyzer().analyze("a.cu", document, DictLoader({}), AnalysisSettings())
    return [
        (
            document.text[one.start : one.end].decode(),
            one.message,
            apply_replacements(document.text, one.removal).decode(),
        )
        for one in unused_suppressions(analysis, settings or RuleSettings())
    ]


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("  x[0] = 1;  // NOLINT(simt-divergent-barrier)", "  x[0] = 1;"),
        ("  x[0] = 1;  // NOLINT(SYN101): why", "  x[0] = 1;  // : why"),
        ("  x[0] = 1;  /* NOLINT(simt-SYN101) */", "  x[0] = 1;"),
        ("  x[0] = 1;  // NOLINT(bugprone-x, simt-SYN101)", "  x[0] = 1;  // NOLINT(bugprone-x)"),
        ("  x[0] = 1;  // NOLINT(simt-SYN101, bugprone-x)", "  x[0] = 1;  // NOLINT(bugprone-x)"),
        ("  // NOLINTNEXTLINE(divergent-barrier)\n  x[0] = 1;", "  x[0] = 1;"),
        ("  // NOLINTBEGIN(simt-SYN101)\n  x[0] = 1;\n  // NOLINTEND(simt-SYN101)", "  x[0] = 1;"),
    ],
)
def test_what_suppresses_nothing_goes(line: str, left: str) -> None:
    [(_, message, after)] = said(kernel(line))
    assert message.startswith("Nothing to suppress: `")
    assert after == kernel(left)


@pytest.mark.parametrize(
    "text",
    [
        kernel(f"{BARRIER}  // NOLINT(simt-divergent-barrier)"),
        kernel("  // NOLINTNEXTLINE(SYN101)", BARRIER),
        kernel("  // NOLINTBEGIN(SYN101)", BARRIER, "  // NOLINTEND(SYN101)"),
        kernel("  x[0] = 1;  // NOLINT"),
        kernel("  x[0] = 1;  // NOLINT(simt-*)"),
        kernel("  x[0] = 1;  // NOLINT(*,-simt-SYN101)"),
        kernel("  x[0] = 1;  // NOLINT(bugprone-x)"),
        kernel('  const char *text = "// NOLINT(simt-SYN101)";'),
        kernel("#ifdef SLOW", BARRIER + "  // NOLINT(SYN101)", "#endif"),
        kernel("  NV_IF_TARGET(NV_PROVIDES_SM_90, (", BARRIER + "  // NOLINT(SYN101)", "), (x[0] = 1;))"),
        kernel("  int y = ;", "  x[0] = 1;  // NOLINT(SYN101)"),
        kernel("  x[0] = unknown(n);  // NOLINT(SYN101)"),
        "#if 0\n" + kernel("  x[0] = 1;  // NOLINT(SYN101)") + "#endif\n",
        "// NOLINT(SYN101)\nint host;\n",
        kernel("  // NOLINTBEGIN(SYN101)"),
    ],
)
def test_what_is_used_or_not_known_stays(text: str) -> None:
    assert said(text) == []


def test_what_a_kernel_reports_in_a_function_that_it_calls_is_used() -> None:
    text = """__device__ float first(float *s, float v) {
  s[threadIdx.x] = v;  // NOLINT(simt-RAC301)
  __syncthreads();
  return s[0];
}
__global__ void k(float *out, const float *in) {
  __shared__ float s[256];
  float a = first(s, in[threadIdx.x]);
  out[threadIdx.x] = a + first(s, in[threadIdx.x + blockDim.x]);
}
"""
    assert said(text) == []


def test_a_rule_that_is_off_has_nothing_to_say() -> None:
    text = kernel("  x[0] = 1;  // NOLINT(SYN101)")
    assert said(text, read_rule_settings(severities={"SYN101": "off"})[0]) == []


def test_a_rule_that_speaks_above_a_price_is_not_asked() -> None:
    text = kernel("  if (threadIdx.x < 7) x[n] *= 3; else x[n + 1] += 4;  // NOLINT(simt-divergent-branch)")
    assert said(text) == []


@pytest.mark.parametrize(
    ("name", "close"),
    [("simt-divergent-barier", "simt-divergent-barrier"), ("simt-SYN1O1", "simt-SYN101"), ("simt-zzz", None)],
)
def test_a_name_that_no_rule_has_is_said_with_one_that_is_close(name: str, close: str | None) -> None:
    [(marked, message, _)] = said(kernel(f"{BARRIER}  // NOLINT({name})"))
    assert marked == name
    assert message == f"No rule is called `{name}`" + (f"; did you mean `{close}`?" if close else ".")
