"""What lets lanes leave a loop, and whether that says that they lie far apart."""

from __future__ import annotations

import pytest

from analysis.ir.function import SourceBranchKind
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.rounds_by import APART, ORDER, RoundsBy, worse_rounds
from tests.rules.fixture import analyze, check_fixture

LOOPS = {
    "for (int j = row[i]; j < row[i + 1]; j++) y[i] += x[j];": RoundsBy.LENGTHS,
    "int end = row[i]; for (int j = 0; j < end / 32; j++) y[j] += x[j];": RoundsBy.LENGTHS,
    "int from = row[i]; while (from != row[from]) from = row[from];": RoundsBy.WALK,
    "int a = i, b = 0; while (a < n && b < n) { if (x[a] < x[b]) a++; else b++; } y[a] = b;": RoundsBy.WALK,
    "int j = 0; while (j < n && row[j] != i) j++; y[i] = j;": RoundsBy.SEARCH,
    "int j = 0; while (j < n && row[j] != row[i + n]) j++; y[i] = j;": RoundsBy.SEARCH,
    "float key = x[row[i]]; int j = 0; while (j < n && y[j] < key) j++; row[i] = j;": RoundsBy.SEARCH,
    "int key = row[i] % 97; int j = 0; while (j < n && row[j] < key) j++; y[i] = j;": RoundsBy.SEARCH,
    "float key = x[i]; int j = 0; while (j < n && x[j * n + i] < key) j++; row[i] = j;": RoundsBy.SEARCH,
    "float key = x[i]; int j = 0; while (j < n && y[j] < key && row[j] != i) j++; row[i] = j;": RoundsBy.SEARCH,
    "unsigned h = row[i] % 97; while (row[h] != i) h = (h + 1) % 97; y[i] = h;": RoundsBy.SEARCH,
    "float key = x[i]; int j = 0; while (j < n && y[j] < key) j++; row[i] = j;": RoundsBy.LOOKUP,
    "int j; for (j = 0; j < n; j++) if (y[j] >= x[i]) break; row[i] = j;": RoundsBy.LOOKUP,
    "float s = 0; int j = 0; for (; j < n; j++) { s += y[j]; if (s > x[2 * i + 1]) break; } row[i] = j;": (
        RoundsBy.LOOKUP
    ),
    "int j = 0; while (row[j + 1] <= i) j++; y[i] = j;": RoundsBy.NEIGHBOURS,
    "int j = i; while (x[j] > 0.5f) j++; row[i] = j;": RoundsBy.SEARCH,
    "while (atomicCAS(&row[i % 7], 0, 1) != 0) ; row[i % 7] = 0;": RoundsBy.RETRY,
    "volatile int *tag = row; do { tag[i % 9] = i; } while (tag[i % 9] != i);": RoundsBy.RETRY,
    "unsigned v = row[i]; while (v != 1) { v = v % 2 ? 3 * v + 1 : v / 2; y[i] += 1; }": RoundsBy.NUMBERS,
    "unsigned v = row[i]; int c = 0; while (v) { v &= v - 1; c++; } y[i] = c;": RoundsBy.NUMBERS,
    "float a = x[i], v = 1.0f; while (v * v - a > 1e-3f) v = 0.5f * (v + a / v); y[i] = v;": RoundsBy.NUMBERS,
    "for (int j = 0; j < i * i % 64; j++) y[j] += x[j];": RoundsBy.INDEX,
    "float c = i * 0.01f, v = 0; int k = 0; while (v < 4 && k < n) { v = v * v + c; k++; } y[i] = k;": (
        RoundsBy.NEIGHBOURS
    ),
    "float c = i * 0.01f, s = 0; for (int k = 0; k < n; k++) { s += x[k * n + i]; if (s > 1) break; } y[i] = s;": (
        RoundsBy.NEIGHBOURS
    ),
    "int a = 0, b = 0; while (a < n && b < n) { if (x[i + a] < x[i + b + n]) y[i] += x[a++]; else y[i] += x[b++]; }": (
        RoundsBy.MERGED
    ),
    "int a = 0, b = 0; while (a < n && b < n) { bool t = x[i + a] < x[i - b]; a += t; b += !t; } y[i] = a;": (
        RoundsBy.MERGED
    ),
    "int b = i * 2 * n, m = min(b + n, 999), e = min(b + 2 * n, 999), c = m; while (b < m || c < e) "
    "{ if (c >= e || (b < m && x[b] <= x[c])) y[i] += x[b++]; else y[i] += x[c++]; }": RoundsBy.MERGED,
    "int a = 0, b = 0; while (true) { bool more = a < n, other = b < n && b < row[i]; if (more) { if (other) { "
    "if (x[i + a] < x[i + b]) a++; else b++; } else a++; } else { if (other) b++; else break; } y[i] += 1; }": (
        RoundsBy.MERGED
    ),
    "const float *a = x + i * n, *b = x + i, *e = a + n, *f = b + n; while (a < e && b != f) "
    "{ if (*a < *b) ++a; else ++b; } y[i] = *a;": RoundsBy.MERGED,
    # both counters in one round, or lengths of the lane's own, or an end that is in the data
    "int a = 0, b = 0; while (a < n && b < n) { if (x[i + a] < x[i + b]) a++; else if (x[i + a] > x[i + b]) b++; "
    "else { a++; b++; } } y[i] = a;": RoundsBy.WALK,
    "int a = row[i], e = row[i + 1], b = 0; while (a < e && b < n) { if (x[a] < x[b]) a++; else b++; } y[i] = b;": (
        RoundsBy.WALK
    ),
    "int a = 0, b = 0; while (a < n && b < n && x[i + a] > 0) { if (x[i + a] < x[i + b]) a++; else b++; } y[i] = a;": (
        RoundsBy.WALK
    ),
    "int a = 0, b = 0; while (a < n && b < n) { if (x[i + a] < x[i + b]) a++; else b += 2; } y[i] = a;": RoundsBy.WALK,
    "int low = max(i - 5, 0), high = min(i + 5, n); for (int j = low; j < high; j++) y[i] += x[j];": RoundsBy.CLIPPED,
    "int low = 0, high = row[i]; while (low < high) { int m = (low + high) / 2; if (x[m] < 1) low = m + 1; "
    "else high = m; } y[i] = low;": RoundsBy.HALVING,
    "for (int s = row[i]; s > 0; s >>= 1) y[s] += 1;": RoundsBy.HALVING,
    "for (int s = 1; s < row[i]; s *= 2) y[s] += 1;": RoundsBy.HALVING,
    "while (unknown(i)) y[i] += 1;": RoundsBy.UNKNOWN,
}


@pytest.mark.parametrize(("loop", "expected"), LOOPS.items())
def test_what_lets_lanes_leave(loop: str, expected: RoundsBy) -> None:
    text = f"""__device__ bool unknown(int i);
__global__ void k(int *row, const float *x, float *y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {loop}
}}"""
    branches = analyze(text).facts.functions[-1].branches
    (found,) = [branch.rounds_by for branch in branches if branch.kind is SourceBranchKind.LOOP]
    assert found is expected


def test_a_list_that_passes_through_a_variable_in_memory_is_one_all_the_same() -> None:
    (kernel,) = analyze("""
union Node { uint4 words; struct { unsigned next, size, a, b; } fields; };
__global__ void k(const uint4 *nodes, unsigned *out) {
  Node node;
  node.words = nodes[threadIdx.x];
  while (node.fields.next != 0) node.words = nodes[node.fields.next];
  out[threadIdx.x] = node.fields.size;
}
""").facts.functions
    (loop,) = kernel.branches
    assert loop.rounds_by in (RoundsBy.WALK, RoundsBy.SEARCH)


def test_of_two_views_the_one_that_lies_further_apart_counts() -> None:
    assert worse_rounds(None, None) is None
    assert worse_rounds(RoundsBy.CLIPPED, None) is RoundsBy.CLIPPED
    assert worse_rounds(RoundsBy.CLIPPED, RoundsBy.LENGTHS) is RoundsBy.LENGTHS
    assert APART.isdisjoint(ORDER[ORDER.index(RoundsBy.UNKNOWN) :])


@pytest.mark.parametrize(
    ("start", "severity"),
    [("0.01f * threadIdx.x", Severity.HINT), ("x[threadIdx.x]", Severity.INFORMATION)],
)
def test_where_neighbours_compute_nearly_the_same_a_finding_is_a_hint(start: str, severity: Severity) -> None:
    text = f"""
__global__ void k(const float *x, int *rounds, int most) {{
  float c = {start}, v = 0.0f;
  int count = 0;
  while (v < 4.0f && count < most) {{  //~ divergent-loop
    v = v * v + c;
    count++;
  }}
  rounds[threadIdx.x] = count;
}}
"""
    settings = RuleSettings(ignore=frozenset({"DIV401", "DIV403"}))
    (found,) = check_fixture(text, settings)
    assert found.severity is severity
    (asked_for,) = check_fixture(text, RuleSettings(settings.select, settings.ignore, {"DIV402": Severity.WARNING}))
    assert asked_for.severity is Severity.WARNING


@pytest.mark.parametrize(("end", "severity"), [("n", Severity.HINT), ("lengths[i]", Severity.INFORMATION)])
def test_a_merge_of_rows_of_one_length_is_a_hint(end: str, severity: Severity) -> None:
    text = f"""
__global__ void k(const int *lengths, const float *x, float *y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x, end = {end};
  int a = 0, b = 0;
  while (a < end && b < end) {{  //~ divergent-loop
    float one = x[a * 1024 + i], other = y[b * 1024 + i];
    if (one < other) a++;
    else b++;
    y[(a + b) * 1024 + i] = one * other;
  }}
}}
"""
    (found,) = check_fixture(text, RuleSettings(ignore=frozenset({"DIV401", "DIV403", "RAC305", "MEM501"})))
    assert found.severity is severity


@pytest.mark.parametrize(
    ("end", "severity"),
    [
        ("table[x] >= i * 0.5f", Severity.HINT),
        ("table[x] == i * 0.5f", Severity.INFORMATION),
        ("table[x] >= sought[i]", Severity.INFORMATION),
        ("table[x] >= sought[order[i]]", Severity.INFORMATION),
    ],
)
def test_the_place_of_a_number_of_the_index_in_an_order_that_lanes_share_is_a_hint(
    end: str, severity: Severity
) -> None:
    text = f"""
__global__ void k(const float *table, const float *sought, const int *order, int *found, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = 0;
  for (; x < n; x++) {{  //~ divergent-loop
    if ({end}) break;
  }}
  found[i] = x;
}}
"""
    (found,) = check_fixture(text, RuleSettings(ignore=frozenset({"DIV401", "DIV403"})))
    assert found.severity is severity
