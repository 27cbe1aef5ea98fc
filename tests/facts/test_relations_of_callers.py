"""What every launch says of a parameter holds in the functions of headers that kernels pass it to."""

from __future__ import annotations

import pickle

import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.calls import KnownCallers, known_callers
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

HEADER = """\
__device__ inline void helper(int *x, int size) {
  if (blockIdx.x * blockDim.x + threadIdx.x < size) x[0] = 1;
}
"""
COVERED = "void go(int *x, int n) { k<<<n / 64, 64>>>(x, n); }"
ANY = "void go(int *x, int n) { k<<<4, 64>>>(x, n); }"


def _analyze(
    path: str, files: dict[str, str], callers: KnownCallers | None = None, context: str | None = None
) -> FileAnalysis:
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    document = Document.open(files[path].encode())
    return Analyzer().analyze(path, document, loader, AnalysisSettings(), context=context, callers=callers)


def _level(*sources: str) -> Level:
    files = {f"{number}.cu": f'#include "h.cuh"\n{text}\n' for number, text in enumerate(sources)}
    files["h.cuh"] = HEADER
    calls = [_analyze(path, files).calls() for path in files if path != "h.cuh"]
    callers = pickle.loads(pickle.dumps(known_callers("h.cuh", calls)))
    analysis = _analyze("h.cuh", files, callers=callers, context="0.cu")
    (branch,) = next(one for one in analysis.facts.functions if one.name == "helper").branches
    return branch.level


def _kernel(passed: str, host: str = COVERED) -> str:
    return f"__global__ void k(int *x, int n) {{ {passed} }}\n{host}"


@pytest.mark.parametrize("passed", ["helper(x, n);", "int m = n; helper(x, m);", "if (n > 3) helper(x, (unsigned)n);"])
def test_what_is_passed_on_covers_the_grid_there_too(passed: str) -> None:
    assert _level(_kernel(passed)) is Level.GRID
    other = _kernel("helper(x, n);", "void go(int *x, int n) { k<<<n / 32, 32>>>(x, n); }")
    assert _level(_kernel(passed), other) is Level.GRID


@pytest.mark.parametrize(
    "sources",
    [
        (_kernel("helper(x, n - 1);"),),
        (_kernel("helper(x, (short)n);"),),
        (_kernel("helper(x, n);", ANY),),
        (_kernel("helper(x, n); helper(x, 7);"),),
        (_kernel("helper(x, n);"), _kernel("helper(x, n);", ANY)),
        (_kernel("helper(x, n);") + "\n__device__ void more(int *x, int n) { helper(x, n); }",),
    ],
)
def test_what_some_caller_passes_otherwise_is_not_known(sources: tuple[str, ...]) -> None:
    assert _level(*sources) is Level.VARYING
