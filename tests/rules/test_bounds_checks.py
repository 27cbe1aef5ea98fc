"""A bounds check around a whole kernel is what every kernel has: no rule may say a word, at any price."""

from __future__ import annotations

import pytest

from analysis.rules.settings import RuleSettings
from analysis.verdict.grade import Grade
from tests.rules.fixture import analyze, check_fixture

CHEAP = RuleSettings(ignore=frozenset({"ARI", "MEM"}), share_threshold=0)

WORK = "for (int k = 0; k < 64; k++) y[i] = y[i] * x[i] + sinf(y[i]);"


@pytest.mark.parametrize("index", ["int", "unsigned", "size_t", "long long"])
@pytest.mark.parametrize("bound", ["int", "unsigned", "size_t"])
@pytest.mark.parametrize(
    "guard",
    [
        "if (i < n) { WORK }",
        "if (i < n) { WORK } else { y[0] = 1.0f; y[1] = x[2] * 3.0f; }",
        "if (i >= n) return; WORK",
        "if (!(i < n)) return; WORK",
        "if (n > i) { WORK }",
        "bool inside = i < n; if (inside) { WORK }",
        "if (i + 1 < n && i > 0) { WORK }",
        "for (; i < n; i += blockDim.x * gridDim.x) { WORK }",
    ],
)
def test_along_one_axis(index: str, bound: str, guard: str) -> None:
    check_fixture(
        f"""
__global__ void k(const float *x, float *y, {bound} n) {{
  {index} i = blockIdx.x * blockDim.x + threadIdx.x;
  {guard.replace("WORK", WORK)}
}}
""",
        CHEAP,
    )


@pytest.mark.parametrize(
    "guard",
    [
        "if (c < w && r < h) { WORK }",
        "if (c >= w || r >= h) return; WORK",
        "if (c < w) if (r < h) { WORK }",
        "if (c >= w) return; if (r >= h) return; WORK",
        "if (i < w * h) { WORK }",
        "bool inside = c < w && r < h; if (inside) { WORK }",
        "if (c > 0 && c < w - 1 && r > 0 && r < h - 1) { WORK } else if (c < w && r < h) y[i] = x[i];",
        "if (i / w < h) { WORK }",
        "if (min(c, w) < w) { WORK }",
    ],
)
@pytest.mark.parametrize("type_", ["int", "unsigned"])
def test_along_two_axes(guard: str, type_: str) -> None:
    check_fixture(
        f"""
__global__ void k(const float *x, float *y, {type_} w, {type_} h) {{
  {type_} c = blockIdx.x * blockDim.x + threadIdx.x;
  {type_} r = blockIdx.y * blockDim.y + threadIdx.y;
  {type_} i = r * w + c;
  {guard.replace("WORK", WORK)}
}}
""",
        CHEAP,
    )


def test_through_helpers_and_macros() -> None:
    check_fixture(
        f"""
#define FOR_EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
__device__ int index() {{ return blockIdx.x * blockDim.x + threadIdx.x; }}
__device__ bool inside(int i, int n) {{ return i >= 0 && i < n; }}
__device__ void step(const float *x, float *y, int i, int n) {{ if (inside(i, n)) {{ {WORK} }} }}
__global__ void direct(const float *x, float *y, int n) {{ int i = index(); if (inside(i, n)) {{ {WORK} }} }}
__global__ void nested(const float *x, float *y, int n) {{ step(x, y, index(), n); }}
__global__ void strided(const float *x, float *y, int n) {{ FOR_EACH(i, n) {{ {WORK} }} }}
""",
        CHEAP,
    )


def folded(fold: str, condition: str) -> str:
    return f"""
__global__ void k(const unsigned *data, float *out, unsigned n) {{
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, step = n / 7;
  unsigned key = x * step;
  {fold}
  float at = key * 0.25f - 0.5f;
  if ({condition}) out[x] = sinf(out[x]); else out[x] = cosf(out[x]);
}}
"""


@pytest.mark.parametrize(
    "fold",
    [
        "if (key >= 0x80000000u) key = 0xffffffffu - key;",
        "if (x > n) key = 2 * n - key; else key = key + 1;",
        "key = key < n ? key : n - key / 2;",
        "key = x < n ? key : n - key / 2;",
    ],
)
def test_a_number_that_is_folded_meets_a_bound_a_few_times(fold: str) -> None:
    check_fixture(folded(fold, "at > -0.42f"), CHEAP)


@pytest.mark.parametrize(
    ("fold", "condition"),
    [
        ("if (x % 2) key = n - key;", "at > 3.0f"),
        ("if (data[x] > 7) key = n - key;", "at > 3.0f"),
        ("if (key > n) key = key % 7;", "at > 3.0f"),
        ("if (key > n) key = data[x];", "at > 3.0f"),
        ("if (key > n) key = n - key;", "at * at > 3.0f + key"),
        ("if (key > n) key = n - key;", "(unsigned)at % 8 > 3"),
    ],
)
def test_a_number_that_goes_up_and_down_meets_it_often(fold: str, condition: str) -> None:
    branch = analyze(folded(fold, condition)).facts.functions[-1].branches[-1]
    assert branch.grade in (Grade.STRUCTURED, Grade.DATA_DEPENDENT)
