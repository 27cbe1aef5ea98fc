"""A function that is too large to analyse costs itself alone, and it is said."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.model import ProblemKind
from analysis.facts.settings import AnalysisSettings
from analysis.lower import builder
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

TEXT = """__device__ int large(int *a, int n) {
  a[0] = n; a[1] = n; a[2] = n; a[3] = n;
  return n;
}
__global__ void small(int *a) { if (threadIdx.x < 3) a[0] = 1; }
__global__ void caller(int *a) { a[0] = large(a, 1); }
"""


def test_only_the_large_function_is_unknown_and_a_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "MAX_VALUES", 16)
    analysis = Analyzer().analyze("a.cu", Document.open(TEXT.encode()), DictLoader(), AnalysisSettings())
    (problem,) = analysis.facts.problems
    assert problem.kind is ProblemKind.TOO_LARGE
    assert TEXT[problem.start : problem.end] == "large"
    assert "large is not analysed" in problem.message
    opaque = {function.name: len(function.opaque) for function in analysis.facts.functions}
    assert opaque == {"large": 1, "small": 0, "caller": 1}
    small = next(function for function in analysis.facts.functions if function.name == "small")
    assert len(small.branches) == 1
