"""What was found out about melding a function is kept from version to version, while nothing it depends on changes."""

from __future__ import annotations

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.refactor.meld.model import Outcome
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

HELPER = "__device__ float weight(float v) { return v * 2.0f; }\n"
OTHER = "__global__ void other(float *o) { o[0] = 1.0f; }\n"
KERNEL = """__global__ void k(float *even, float *odd, const float *x, const float *y) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    even[i] = weight(x[i]) * x[i] + 1.0f;
  } else {
    odd[i] = weight(y[i]) * y[i] + 1.0f;
  }
}
"""
TEXT = HELPER + OTHER + KERNEL


def versions(*texts: str) -> list[tuple[Outcome, ...]]:
    """The outcomes of `k` in each version of one file."""
    analyzer = Analyzer()
    return [outcomes(analyzer, text) for text in texts]


def outcomes(analyzer: Analyzer, text: str, settings: MeldSettings | None = None) -> tuple[Outcome, ...]:
    analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader({}), AnalysisSettings())
    function = next(one for one in analysis.facts.functions if one.name == "k")
    return meld_outcomes(analysis, function, settings or MeldSettings())


def test_a_function_that_only_moved_is_not_looked_at_again() -> None:
    first, moved, apart = versions(TEXT, "\n\n" + TEXT, HELPER + OTHER.replace("1.0f", "1.0f + 2.0f") + KERNEL)
    assert first
    assert first is moved is apart


def test_what_changed_is_looked_at_again() -> None:
    callee = TEXT.replace("v * 2.0f", "sqrtf(v)")
    own = TEXT.replace("+ 1.0f", "+ 3.0f / x[0]", 1)
    macro = "#define weight(v) __shfl_sync(~0u, v, 0)\n" + OTHER + KERNEL
    found = versions(TEXT, callee, own, macro, TEXT)
    for text, here in zip((TEXT, callee, own, macro, TEXT), found, strict=True):
        assert here == outcomes(Analyzer(), text)
    assert all(found[0] != other for other in found[1:4])


def test_other_settings_have_answers_of_their_own() -> None:
    analyzer = Analyzer()
    best, tail = outcomes(analyzer, TEXT), outcomes(analyzer, TEXT, MeldSettings(method=MeldMethod.TAIL))
    assert best != tail
    assert outcomes(analyzer, TEXT) is best
