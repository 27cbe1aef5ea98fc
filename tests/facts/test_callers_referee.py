"""A function of a header varies at least as much as the same function does where it is inlined into its callers.

What callers pass is summed up (`CallContext`), and the function is analysed alone.  In one file with its kernels it is
inlined into each of them instead, and nothing is summed up: a summary that says too much shows as a lower level.
"""

from __future__ import annotations

from itertools import product

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.calls import KnownCallers, known_callers
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

FUNCTIONS = {
    "a pointer": """__device__ void f(Pair *q, int n) {
  if (q[n].first > 0) q[n].second = 1;
  for (int i = 0; i < q->second; i++) q[0].first += i;
  if (q != 0) q[1].first = 0;
}
""",
    "a reference": """__device__ void f(Pair &q, int n) {
  if (q.first > n) q.second = 1;
  while (q.second < n) q.second += q.first;
}
""",
    "a value": """__device__ void f(Pair q, int n) {
  if (q.first > n) q.second = 1;
  do { q.second++; } while (q.second < n);
  if (q.second > 3) atomicAdd(&shared_by_all, q.first);
}
""",
}
OBJECTS = ("p[n]", "p[threadIdx.x]", "p[blockIdx.x]", "ours[n]", "mine", "several[n]", "*(n > 9 ? &mine : p)", "same")
PAIR = "struct Pair { int first; int second; };\n__device__ int shared_by_all;\n"


def _analyze(path: str, files: dict[str, str], callers: KnownCallers | None = None) -> FileAnalysis:
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    document = Document.open(files[path].encode())
    return Analyzer().analyze(path, document, loader, AnalysisSettings(), callers=callers)


def _kernel(kind: str, objects: tuple[str, str]) -> str:
    calls = [f"f({'&' if kind == 'a pointer' else ''}{one}, n);" for one in objects]
    return f"""__global__ void k(Pair *p, int n) {{
  __shared__ Pair ours[8];
  Pair mine = {{(int)threadIdx.x, n}}, several[4], same = {{n, 3}};
  several[n].first = threadIdx.x;
  ours[n].first = n;
  __syncthreads();
  {calls[0]}
  if (n > 4) {{ {calls[1]} }}
  p[n].first = mine.second + several[1].second + same.first;
}}
void host(Pair *p) {{ k<<<4, 128>>>(p, 2); }}
"""


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_summary_of_calls_says_no_more_than_the_calls(kind: str) -> None:
    header = PAIR + FUNCTIONS[kind]
    for objects in product(OBJECTS, ("p[n]", "mine")):
        kernel = _kernel(kind, objects)
        files = {"h.cuh": header, "main.cu": f'#include "h.cuh"\n{kernel}', "whole.cu": header + kernel}
        callers = known_callers("h.cuh", [_analyze("main.cu", files).calls(is_included=False)])
        alone = next(one for one in _analyze("h.cuh", files, callers).facts.functions if one.name == "f")
        inlined = next(one for one in _analyze("whole.cu", files).facts.functions if one.name == "f")
        assert alone.callers_known, objects
        assert len(alone.branches) == len(inlined.branches) > 1
        for summed, followed in zip(alone.branches, inlined.branches, strict=True):
            assert summed.level >= followed.level, (objects, summed)
            assert (summed.trips is None) is (followed.trips is None)
            if summed.trips is not None and followed.trips is not None:
                assert summed.trips >= followed.trips, (objects, summed)
            assert summed.convergent >= followed.convergent, (objects, summed)
