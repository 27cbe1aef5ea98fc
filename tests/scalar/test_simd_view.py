"""The vector form of kernels, run as NumPy, leaves the memory that the simulator leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.scalar.simd.model import NotVectorised, SimdCode
from sim.specification import TextureImage
from tests.scalar.random_control_flow import difference
from tests.scalar.simd_machine import run_simd, simd_code
from tests.scalar.simd_of_random import difference as of_random
from tests.scalar.simd_of_random import kernel_of_seed
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
    "what the clock says": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long begin = clock64(); int r = 0;
  if (i & 1) { unsigned t = clock(); r = clock() >= t; }
  while (clock64() < begin + 2) r |= 2;
  x[i] = r & 1;
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
    "exchanges in a warp": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, v = x[200 + i], s = v;
  unsigned all = __ballot_sync(~0u, threadIdx.x < 50);
  if (threadIdx.x < 32) {
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    s += __shfl_up_sync(~0u, v, 3) - __shfl_down_sync(~0u, v, 5, 8) + __shfl_sync(~0u, v, lane * 7 + n);
    if (lane < 9) s ^= (int)__ballot_sync(0x1ffu, v & 1) + (int)__match_any_sync(0x1ffu, v & 3);
    s += __any_sync(~0u, v > 90) + 2 * __all_sync(~0u, v < 99) + (int)__reduce_max_sync(~0u, (unsigned)v);
  }
  x[i] = s + (int)all + __popc(__activemask());
}""",
    "atomics and a question to the block": """__global__ void k(int *x, int n) {
  __shared__ int s[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 8) s[threadIdx.x] = 0;
  __syncthreads();
  int old = atomicAdd(&s[i & 7], x[200 + i]);
  int many = __syncthreads_count(old > 40);
  atomicMax(&x[390], many); atomicXor(&x[391], old & 1);
  x[i] = many + s[i & 7] + atomicCAS(&x[200 + i], x[200 + i], n) + __syncthreads_or(i == 3);
}""",
    "structures, vectors and memory that does not change": """struct P { int a; unsigned char b; float4 c; };
__constant__ int table[4] = {3, -1, 4, 1};
__device__ P moved(P p, int by) { p.a += by; p.c.y *= 2.0f; return p; }
__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 q = ((int4 *)x)[50 + (i & 7)];
  P p = {i, (unsigned char)(i * 5), make_float4(1.0f, 0.5f * i, 3.0f, 4.0f)}, r[2] = {p, p};
  for (int j = 0; j < (i & 3); j++) { p = moved(p, table[j & 3]); r[j & 1] = p; }
  x[i] = p.a + p.b + (int)(p.c.y + r[i & 1].c.y) + q.x * q.w + (int)(&r[1] - &r[0]) + __float_as_int(p.c.x);
}""",
    "mathematics": """__global__ void k(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float f = x[200 + i] * 0.37f + 0.1f;
  double d = f;
  f = sinf(f) + expf(-f) * powf(f, 1.5f) - floorf(f * 3.0f) + fmaf(f, f, -0.5f) + rsqrtf(f) + fmodf(f, 0.7f);
  int bits = __clz(i * 77) + __popc(i) + __brev(i) % 1000 + __mulhi(i, 1 << 30);
  x[i] = __float_as_int(f) + (int)(log(d) * 1000.0) + bits;
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
    if name.startswith(("a reduction", "exchanges")) and block != 64:
        pytest.skip("it needs 64 threads")
    given: dict[str, Any] = {"x": ARRAY.copy(), "n": np.int32(9)}
    found = run_simd(KERNELS[name], given, grid=grid, block=block)
    simulated = run(KERNELS[name], {"x": ARRAY.copy(), "n": 9}, grid=grid, block=block)
    assert not simulated.faults
    np.testing.assert_array_equal(found["x"], simulated.arrays["x"])


TEXTURES = {
    "fetches under a mask": """__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < i % 5; j++) {
    float4 v = tex2D<float4>(t, j * 1.25f, i % 7 + 0.5f);
    if (v.y > 40.0f) continue;
    sum += v.x - v.w * tex2D<float4>(t, 0.5f, 1.5f).z;
  }
  x[i] = __float_as_int(sum);
}""",
    "a reference and whole texels": """texture<float, 2> ref;
__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = (int)(tex2D(ref, i % 4, i % 3 + 0.25f) * 8.0f);
}""",
    "a surface that others wrote": """__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, int *x) {
  int i = threadIdx.x, mine = 0;
  if (blockIdx.x == 0 && i < 16) surf2Dwrite((float)i * 2.0f, s, (i % 4) * 4, i / 4);
  __syncthreads();
  if (i < 20) mine = (int)surf2Dread<float>(s, (i % 4) * 4, (i + 5) / 4 % 4);
  x[blockIdx.x * blockDim.x + i] = mine;
}""",
}


@pytest.mark.parametrize("name", TEXTURES)
@pytest.mark.parametrize("is_linear", [False, True])
def test_textures_are_read_and_written_by_lanes(name: str, is_linear: bool) -> None:
    four = np.arange(8 * 8 * 4, dtype=np.float32).reshape(8, 8, 4)
    one = np.arange(16, dtype=np.float32).reshape(4, 4)

    def given() -> dict[str, Any]:
        images = {"t": TextureImage(four, channels=4, linear=is_linear), "s": TextureImage(one.copy())}
        return {**images, "x": ARRAY.copy()}

    text = TEXTURES[name]
    variables = {"ref": TextureImage(one, linear=is_linear)} if "ref;" in text else {}
    found = run_simd(text, given(), grid=2, block=50, variables=variables)
    simulated = run(text, given(), grid=2, block=50, variables=variables)
    assert not simulated.faults
    assert np.any(simulated.arrays["x"][:100] != ARRAY[:100])
    np.testing.assert_array_equal(found["x"], simulated.arrays["x"])


@pytest.mark.parametrize("seed", range(6))
def test_random_control_flow(seed: int) -> None:
    assert difference(seed) is None


@pytest.mark.parametrize("seed", range(6))
def test_random_kernels_of_all_kinds(seed: int) -> None:
    kernel = kernel_of_seed(seed)
    assert of_random(kernel) is None, kernel.text


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
        ('__global__ void k(int *x) { asm volatile("bar.sync 1, 64;"); }', "named barrier"),
        ("__global__ void k(int **x) { x[0] = (int *)malloc(8); }", "allocate"),
        ("union U { int i; float f; }; __global__ void k(U *x) { x[0] = x[1]; }", "a value that is no numbers"),
    ],
)
def test_what_has_no_form_is_refused_with_its_place(text: str, construct: str) -> None:
    found = simd_code(text)
    assert isinstance(found, NotVectorised)
    assert found.construct == construct
    assert found.span.end > found.span.start
