"""What random editing sessions begin with: a small file with its header, where much hangs together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, final

from tests.races.kernels import exchange_kernel
from tests.sim.random.choices import Choices, Seeded
from tests.sim.random.kernels import random_kernel

MAIN: Final = "a.cu"
HEADER: Final = "h.cuh"

_EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"


@final
class Project(NamedTuple):
    """The text of a file and of the header that it may include."""

    main: str
    header: str


_HEADER: Final = """\
#pragma once
#define TILE 32
#define ROWS(n) ((n) / TILE)
#define EACH(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)
enum Side { left, right = 4 };
namespace shapes {
struct Point { int x, y; __device__ Point(int a) : x(a), y(0) {} __device__ int sum() const { return x + y; } };
template <typename T> __device__ T twice(T v) { return v + v; }
__device__ inline int where() { return threadIdx.x / TILE; }
}  // namespace shapes
template <int N> struct Tile { static const int size = N; int cell[N]; };
"""

_MAIN: Final = """\
#include "h.cuh"
#define LIMIT 40
#define CHECK(c) if (!(c)) return
const int BLOCK = 128;
__constant__ int table[TILE];
using shapes::Point;
__device__ int pick(int v) { return v > LIMIT ? right : left; }
__device__ int pick(float v) { return 1; }
template <class T> __device__ T reduce(T *s, T v) {
  int t = threadIdx.x;
  s[t] = v;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  __syncthreads();
  return s[0];
}
__global__ void first(int *out, const int *in, int n) {
  __shared__ int s[BLOCK];
  CHECK(threadIdx.x < LIMIT);
  int v = reduce(s, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x * TILE] = pick(v) + ROWS(n);
}
#undef LIMIT
#define LIMIT 64
__global__ void second(float *out, int n) {
  Point p(threadIdx.x);
  Tile<TILE> tile;
  EACH(i, n) {
    if (p.sum() > LIMIT) out[i] = shapes::twice(1.5f); else out[i] = tile.size;
    if (shapes::where() == 1) __syncthreads();
  }
  switch (n & 3) { case 0: out[0] = 1; break; default: out[1] = pick(n); }
}
#if TILE > 16
__global__ void third(int *out) { if (threadIdx.x & 1) __syncwarp(0xffff); else out[0] = __shfl_sync(~0u, 1, 0); }
#else
__global__ void third(int *out) { out[threadIdx.x] = __LINE__; }
#endif
void host(int *o, float *f, int n) {
  dim3 block(BLOCK);
  first<<<n, block>>>(o, o, n);
  second<<<1, LIMIT>>>(f, n);
  third<<<1, 32>>>(o);
}
"""


_CLASSES: Final = """\
#include "h.cuh"
#define METHOD __device__ int
#define MEMBER(name) int name; METHOD get_##name() const { return name; }
struct Base {
  int low;
  __device__ int limit(int v) const { return v > 3 ? low : v; }
  static constexpr int width(int n) { return n * 2; }
  __device__ auto part() const { return low; }
};
class Step : public Base {
 public:
  using Base::limit;
  MEMBER(high)
  int size = 4;
  union { int bits; float number; };
  struct Inner { int x; METHOD sum(int v) { x += v; return x; } };
  Inner inner;
  __device__ Step(int v) : high(v) { low = 1; }
  __device__ void clear() { high = size; inner.x = 0; }
  METHOD next(int v, int by = 1) { inner.x = v; return inner.sum(by) + limit(v) + part(); }
  METHOD twice(int v) const { return v * 2; }
  METHOD twice(float v) const { return 1; }
  __device__ bool operator<(const Step &o) const { return high < o.high; }
  template <class F> __device__ int each(F f) { return f(high) + size; }
  __device__ void meet(int v) { if (v < width(4)) __syncthreads(); }
};
template <int N, class T> struct Box {
  T cell[N];
  __device__ T at(int i) const { return cell[i & (N - 1)]; }
  __device__ void put(int i, T v) { cell[i % N] = v; if (at(i) > 2) fill(v); }
  __device__ void fill(T v) { for (int i = 0; i < N; i++) cell[i] = v; }
};
__global__ void steps(int *out, int n) {
  Step a(threadIdx.x), b(n);
  __shared__ int tile[Step::width(8)];
  a.clear();
  tile[threadIdx.x & 7] = a.next(n) + b.twice(1) + a.get_high();
  if (a < b) b.meet(threadIdx.x);
  out[threadIdx.x] = tile[0] + a.each([=](int v) { return v + n; });
}
__global__ void boxes(float *out, int n) {
  Box<4, float> box;
  Box<TILE, int> other;
  box.put(n, 1.5f);
  other.put(threadIdx.x, n);
  if (other.at(n)) __syncthreads();
  out[n] = box.at(threadIdx.x) + other.at(1);
}
void host(int *o, float *f, int n) {
  steps<<<n, 64>>>(o, n);
  boxes<<<1, TILE>>>(f, n);
}
"""


def projects(seed: int) -> Sequence[Project]:
    """Hand-written, published and generated programs, the last ones of this seed."""
    return (
        Project(_MAIN, _HEADER),
        Project(_CLASSES, _HEADER),
        *(Project(path.read_text(encoding="utf-8"), _HEADER) for path in sorted(_EXAMPLES.glob("*.cu"))),
        Project('#include "h.cuh"\n' + random_kernel(Seeded(seed)).text, _HEADER),
        Project('#include "h.cuh"\n' + exchange_kernel(Choices(Seeded(seed))).text, _HEADER),
    )
