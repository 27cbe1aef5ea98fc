"""The vector form of kernels, run as NumPy, leaves the memory that the simulator leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.scalar.simd.model import NotVectorised, SimdCode
from tests.scalar.random_control_flow import difference
from tests.scalar.simd_machine import run_simd, simd_code
from tests.sim.running import run

KERNELS = {
    "branches": """__global__ void k(int *x, int n) {
  int i = threadIdx.x, r = 0;
  if (i > 17) r = 1;
  if (i < 2) { if (i == 0) r = 2; else r = 3; }
  x[blockIdx.x * blockDim.x + i] = r;
}""",
    "a loop with all its exits": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  for (int j = 0; j < i; j++) {
    if (x[200 + j] % 5 == 3) continue;
    if (x[200 + j] > 90) break;
    if (n > 5 && s > 700) return;
    s += x[200 + j];
  }
  x[i] = s;
}""",
    "nested loops and values that change places": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, a = i, b = 1;
  while (a < 60) {
    int t = a; a = a + b; b = t & 3;
    for (int j = 0; j < b; j++) { if ((a + j) % 7 == 0) break; a++; }
  }
  x[i] = a * 100 + b;
}""",
    "a branch and a loop of the warp": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  for (int j = 0; j < n; j++) { if (j & 1) s += x[200 + j]; else s -= i; }
  x[i] = s;
}""",
    "a switch": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
  switch (i % 5) { case 0: r = 7; case 1: r += 3; break; case 4: r = n; break; default: r = -i; }
  x[i] = r;
}""",
    "a loop with two entries": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, r = i;
  if (i & 1) goto second;
first:
  r += 3;
second:
  r *= 2;
  if (r < 500) goto first;
  x[i] = r;
}""",
    "a reduction over warps": """__global__ void k(int *x, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = x[200 + i];
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  x[i] = s[0] + t;
}""",
    "arrays of threads, floats and conversions": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float f[4] = {0.5f, 1.5f, 2.25f, -3.0f};
  for (int j = 0; j < i % 7; j++) f[j & 3] = f[(j + 1) & 3] * 1.5f - i;
  unsigned char c = (unsigned char)(i * 37);
  x[i] = (int)(f[i & 3] * 4.0f) + c / 3 - (i - 40) % 9 + min(i, n);
}""",
}
ARRAY = np.random.default_rng(7).integers(0, 100, 400).astype(np.int32)


def of(text: str) -> SimdCode:
    code = simd_code(text)
    assert isinstance(code, SimdCode), code
    return code


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("grid", "block"), [(2, 64), (3, 50)])
def test_the_memory_is_that_of_the_simulator(name: str, grid: int, block: int) -> None:
    if name.startswith("a reduction") and block != 64:
        pytest.skip("it needs 64 threads")
    given: dict[str, Any] = {"x": ARRAY.copy(), "n": np.int32(9)}
    found = run_simd(of(KERNELS[name]), given, grid=grid, block=block)
    simulated = run(KERNELS[name], {"x": ARRAY.copy(), "n": 9}, grid=grid, block=block)
    assert not simulated.faults
    np.testing.assert_array_equal(found["x"], simulated.arrays["x"])


@pytest.mark.parametrize("seed", range(6))
def test_random_control_flow(seed: int) -> None:
    assert difference(seed) is None


def test_exits_are_masks_and_what_agrees_is_scalar() -> None:
    code = of(KERNELS["a branch and a loop of the warp"])
    text = [line.text.strip() for line in code.lines]
    assert any(line.startswith("if s") for line in text)
    assert any(line.startswith("while any(m") for line in text)
    assert code.scalars
    loop = of(KERNELS["a loop with all its exits"])
    assert not any(line.text.strip().startswith("if s") for line in loop.lines)
    assert all(line.span.end > line.span.start for line in loop.lines[1:] if line.target is not None)


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("__global__ void k(int *x) { atomicAdd(x, 1); }", "atomic"),
        ("__global__ void k(int *x) { x[0] = __shfl_sync(0xffffffffu, x[1], 0); }", "shuffle"),
        ("__global__ void k(float4 *x) { x[0] = x[1]; }", "load"),
    ],
)
def test_what_has_no_form_is_refused_with_its_place(text: str, construct: str) -> None:
    found = simd_code(text)
    assert isinstance(found, NotVectorised)
    assert found.construct == construct
    assert found.span.end > found.span.start
