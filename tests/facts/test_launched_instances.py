"""A kernel template has the facts of the instances that the file launches."""

from __future__ import annotations

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.verdict.grade import Grade

EACH = """\
template <typename F> __global__ void each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) f(i);
}
"""
SCALE = """\
struct Scale { float* p; static constexpr int rows = 4; __device__ void operator()(int& i) const { p[i] *= 2; } };
void go(float* p, int n) { each<<<8, 128>>>(n, Scale{p}); }
"""


def _analyzed(text: str, analyzer: Analyzer | None = None) -> FileAnalysis:
    return (analyzer or Analyzer()).analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())


def _branches(analysis: FileAnalysis, name: str) -> tuple[BranchFact, ...]:
    return next(function.branches for function in analysis.facts.functions if function.name == name)


def test_a_functor_that_is_launched_is_seen_through() -> None:
    (loop,) = _branches(_analyzed(EACH + SCALE), "each")
    assert loop.grade is Grade.BOUNDARY
    (loop,) = _branches(_analyzed(EACH), "each")
    assert loop.grade is Grade.DATA_DEPENDENT  # it may change `i`


def test_a_launch_that_is_not_understood_keeps_the_template() -> None:
    (loop,) = _branches(_analyzed(EACH + SCALE + "void other(int n) { each<<<8, 128>>>(n, mystery()); }"), "each")
    assert loop.grade is Grade.DATA_DEPENDENT


def test_a_lambda_of_the_host_is_seen_through() -> None:
    host = "void go(float* p, int n) { each<<<8, 128>>>(n, [=] __device__ (int i) { if (p[i] > 0) p[i] = 0; }); }"
    (loop,) = _branches(_analyzed(EACH + host), "each")
    assert loop.grade is Grade.BOUNDARY


def test_code_that_no_launched_instance_has_is_analysed_all_the_same() -> None:
    text = """\
template <bool B> __global__ void k(float* a) {
  if constexpr (B) { if (a[threadIdx.x] > 0) a[0] = 1; } else { a[1] = 2; }
}
void go(float* a) { k<false><<<1, 32>>>(a); }
"""
    _, inner = _branches(_analyzed(text), "k")
    assert inner.level is Level.VARYING


def test_an_edit_of_what_the_launch_passes_is_seen() -> None:
    analyzer = Analyzer()
    text = (
        "struct P { static constexpr int n = 1; __device__ int at() const { return n; } };\n"
        + """\
template <class T> __device__ bool cond(T t) { return t.at() > 2 ? threadIdx.x % 2 : T::n; }
template <class T> __global__ void k(T t, int* a) { if (cond(t)) a[0] = 1; }
void go(int* a) { k<<<1, 32>>>(P{}, a); }
"""
    )
    (branch,) = _branches(_analyzed(text, analyzer), "k")
    before = branch.level
    changed = text.replace("return n;", "return threadIdx.x;")
    (branch,) = _branches(_analyzed(changed, analyzer), "k")
    assert branch.level is Level.VARYING
    fresh = _branches(_analyzed(changed), "k")
    assert _branches(_analyzed(changed, analyzer), "k") == fresh
    assert _branches(_analyzed(text, analyzer), "k")[0].level is before


_WIDTH = """\
template <int W> __global__ void k(float* a) { if (threadIdx.x < W) a[threadIdx.x] = 1; }
template <int W> static void launch(float* a, int n) { k<W><<<n, %s>>>(a); }
void run(float* a, int n) {
  if (n > 900) launch<192>(a, n); else if (n > 400) launch<%s>(a, n); else launch<64>(a, n);
}
"""


def test_an_instance_runs_with_the_blocks_of_its_own_launches() -> None:
    (branch,) = _branches(_analyzed(_WIDTH % ("W", 128)), "k")
    assert branch.level is Level.GRID
    (branch,) = _branches(_analyzed(_WIDTH % ("W", 144)), "k")
    assert branch.level is Level.GRID


def test_blocks_that_are_wider_than_an_instance_split_it() -> None:
    (branch,) = _branches(_analyzed(_WIDTH % ("192", 128)), "k")
    assert branch.level is Level.WARP
    (branch,) = _branches(_analyzed(_WIDTH % ("W + 32", 128)), "k")
    assert branch.level is Level.WARP
    (branch,) = _branches(_analyzed(_WIDTH % ("192", 144)), "k")
    assert branch.level is Level.VARYING
