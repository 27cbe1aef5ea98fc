"""The repair of MEM502: what it writes, that it helps, and when it is not offered."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.rules.fixture import analyze

TRANSPOSE = """// ünïcode
#define TILE 32
__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[x][y];
  EXTRA
}
void host(float *out, const float *in) { k<<<1, dim3(32, 32)>>>(out, in, 3); }
"""


def conflicts(text: str) -> list[Diagnostic]:
    return [found for found in check(analyze(text), RuleSettings()) if found.code == "MEM502"]


def applied(text: str, found: Diagnostic) -> str:
    assert found.fix is not None
    data = text.encode()
    for edit in reversed(found.fix.replacements):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data.decode()


def transpose(extra: str = "", dimensions: str = "[TILE][TILE]") -> str:
    return TRANSPOSE.replace("EXTRA", extra).replace("[TILE][TILE]", dimensions)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[TILE][TILE]", "[TILE][TILE + 1]"),
        ("[32][32 ]", "[32][32 + 1 ]"),
        ("[TILE] [ TILE/* row */]", "[TILE] [ TILE + 1/* row */]"),
        ("[32][1 << 5]", "[32][(1 << 5) + 1]"),
    ],
)
def test_the_row_becomes_longer_and_the_conflict_is_gone(before: str, after: str) -> None:
    text = transpose(dimensions=before)
    (found,) = conflicts(text)
    assert found.fix is not None
    assert found.fix.title == "Pad the rows of `tile` by one element"
    repaired = applied(text, found)
    assert repaired == transpose(dimensions=after)
    assert conflicts(repaired) == []


def test_a_cache_moves_the_repair_with_the_function() -> None:
    analyzer, cache, settings = Analyzer(), DiagnosticCache(), AnalysisSettings()
    for text in (transpose(), transpose().replace("// ünïcode", "// ünïcode and more")):
        analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), settings)
        (found,) = (entry for entry in check(analysis, RuleSettings(), cache) if entry.code == "MEM502")
        assert applied(text, found) == text.replace("[TILE][TILE]", "[TILE][TILE + 1]")


@pytest.mark.parametrize(
    "extra",
    [
        "out[0] = sizeof(tile);",
        "float *row = tile[y]; out[0] = row[x];",
        "float *all = &tile[0][0]; out[0] = all[y * 32 + x];",
        "out[0] = ((float *)tile)[n];",
        "out[0] = *(*(tile + y) + x);",
        "out[0] = tile[0][y * 32 + x];",
        "out[0] = tile[0][n];",
        "helper(tile);",
    ],
)
def test_it_is_not_offered_where_something_else_sees_the_layout(extra: str) -> None:
    text = transpose(extra).replace("__global__", "__device__ void helper(float (*t)[32]) { t[0][1] = 0; }\n__global__")
    found = conflicts(text)
    assert found
    assert all(entry.fix is None for entry in found)


def test_it_is_not_offered_where_another_access_would_get_worse() -> None:
    """Along the diagonal there is no conflict now; with padding there would be."""
    (found,) = conflicts(transpose("out[n] = tile[x][31 - x];"))
    assert found.fix is None


def test_it_is_not_offered_where_memory_would_run_out() -> None:
    (found,) = conflicts(transpose("", "[32][384]"))
    assert found.fix is None


def test_it_is_not_offered_for_an_array_that_macros_name() -> None:
    (found,) = conflicts("#define SIZE sizeof(tile)\n" + transpose())
    assert found.fix is None
