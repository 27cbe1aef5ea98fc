"""Constructors that initialise members in braces: `S(int x) : a{x}, b{} { ... }`."""

from __future__ import annotations

import numpy as np

from tests.lower.check import clean
from tests.sim.running import run

TEXT = """
struct Arrays {
  int v[3]; int w[2]; int z[2];
  __device__ Arrays() : v{}, w{4, 5}, z() { v[0] += 1; }
};
struct Base { float a; int b; __device__ Base(int x) : a{x * 0.5f}, b{x} { b += 1; } };
struct Derived : Base { int c; __device__ Derived(int x); };
__device__ Derived::Derived(int x) : Base{x}, c{7} { c *= 2; }
__device__ int after(int x) { return x; }
__global__ void k(float* o) {
  Arrays f; Derived h(3);
  o[0] = f.v[0]; o[1] = f.v[2]; o[2] = f.w[1]; o[3] = f.z[1];
  o[4] = h.a; o[5] = h.b; o[6] = h.c; o[7] = after(9);
}
"""


def test_the_body_behind_the_members_is_run() -> None:
    clean(TEXT)
    result = run(TEXT, {"o": np.full(8, -1, np.float32)}, block=1)
    assert result.faults == ()
    assert result.arrays["o"].tolist() == [1, 0, 5, 0, 1.5, 4, 14, 9]
