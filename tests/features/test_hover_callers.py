"""Hover and explain name the calls in other files that a function is judged by."""

from __future__ import annotations

from analysis.facts.analyzer import Analyzer
from analysis.facts.calls import known_callers
from analysis.facts.settings import AnalysisSettings
from analysis.features.callers_text import callers_text
from analysis.features.hover import hover_at
from analysis.features.hover_text import render_markdown
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

HEADER = "__device__ void step(float *p, int i) { if (i < 4) p[i] = 1; }\n"


def _texts(calls: int) -> tuple[str | None, str]:
    body = "step(p, n);"
    kernels = "".join(f"__global__ void k{number}(float *p, int n) {{ {body} }}\n" for number in range(calls))
    files = {"h.cuh": HEADER, "main.cu": '#include "h.cuh"\n' + kernels}
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    analyzer = Analyzer()
    main = analyzer.analyze("main.cu", Document.open(files["main.cu"].encode()), loader, AnalysisSettings())
    document = Document.open(HEADER.encode())
    callers = known_callers("h.cuh", [main.calls()])
    header = analyzer.analyze("h.cuh", document, loader, AnalysisSettings(), context="main.cu", callers=callers)
    hover = hover_at(header, HEADER.index("step"))
    assert hover is not None
    return callers_text(header, header.facts.functions[0]), render_markdown(hover)


def test_the_calls_are_named() -> None:
    text, hover = _texts(2)
    assert text == "judged by all 2 calls in other files: main.cu:2, main.cu:3"
    assert "main.cu:3" in hover


def test_one_call() -> None:
    text, _ = _texts(1)
    assert text == "judged by the one call in other files: main.cu:2"


def test_nobody_calls() -> None:
    text, hover = _texts(0)
    assert text is None
    assert "no caller known" in hover
