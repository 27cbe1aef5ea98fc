"""An old version of a file is freed with its last reader: the collector would stop everything for it, at any time."""

from __future__ import annotations

import gc
from weakref import ref

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

TEXT = b"""namespace n { template <typename T> struct Pair { T a, b; }; enum E { one, two }; }
using namespace n;
template <typename T> __device__ T sum(Pair<T> pair) { return pair.a + pair.b + two; }
__global__ void kernel(Pair<int> *pairs, int *out) { out[threadIdx.x] = sum(pairs[threadIdx.x]); }
"""


def test_nothing_keeps_a_version_but_its_readers() -> None:
    analyzer = Analyzer()
    gc.collect()
    gc.disable()
    try:
        analysis = analyzer.analyze("k.cu", Document.open(TEXT), DictLoader(), AnalysisSettings())
        assert len(analysis.facts.functions) == 2
        program = ref(analysis.program)
        del analysis
        assert program() is None
    finally:
        gc.enable()
