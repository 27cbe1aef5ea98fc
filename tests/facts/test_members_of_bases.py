"""Members of a local object are values of the thread, whichever class of its bases reads and writes them."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.ir.types import MemorySpace
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

CODE = """
struct Tag {};
struct Io { int end; __device__ void begin(int n) { end = n; } };
struct Other { int more; __device__ void put(int n) { more = n; } };
struct Loader : Tag, Io, Other {
  int last;
  __device__ void start(int n) { begin(n); put(n + 1); last = threadIdx.x; }
};
__global__ void k(int n, int *out) {
  Loader l;
  l.start(n);
  if (CONDITION) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = l.end;
}
"""


@pytest.mark.parametrize(
    ("condition", "codes"),
    [("l.end > 3", []), ("l.more > 3", []), ("l.last > 3", ["SYN101"]), ("l.end + l.last > 3", ["SYN101"])],
)
def test_they_have_no_accesses_and_levels_of_their_own(condition: str, codes: list[str]) -> None:
    text = Document.open(CODE.replace("CONDITION", condition).encode())
    analysis = Analyzer().analyze("k.cu", text, DictLoader({}), AnalysisSettings())
    kernel = next(one for one in analysis.facts.functions if one.name == "k")
    assert [access.space for access in kernel.accesses] == [MemorySpace.GLOBAL]
    assert [one.code for one in check(analysis, RuleSettings()) if one.code != "SYN107"] == codes
