"""A bounds check around a whole kernel is what every kernel has: no rule may say a word, at any price."""

from __future__ import annotations

import pytest

from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

CHEAP = RuleSettings(ignore=frozenset({"MEM"}), share_threshold=0)

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
