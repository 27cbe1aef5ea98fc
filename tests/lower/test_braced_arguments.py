"""Arguments in braces, `f({1, 2})`: objects of the parameter's type, and open where that is not known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean, constructs, lower_one
from tests.sim.running import run

TEXT = """
struct P { int a; int b; };
struct V { float x, y, z; __device__ V(float a, float b, float c) : x(a), y(b), z(c) {} };
struct Ray { V o; V d; __device__ Ray(V o, const V &d) : o(o), d(d) {} };
struct Box { P lo, hi; int n; };
struct M { __device__ int add(P p, P q = {5, 6}) const { return p.a + q.b; } };
__device__ int one(P p) { return p.a * 10 + p.b; }
__device__ int changed(P &p) { return p.a; }
__device__ int changed(P &&p) { return p.a * 2; }
__device__ int two(int k, P p) { return k + p.a; }
__device__ int two(int k, float f) { return k; }
__device__ int nested(const Box &b) { return b.lo.a + b.hi.b * 100 + b.n * 1000; }
template <class T> __device__ T behind(T k, P p) { return k + p.b; }
__device__ float vectors(float3 v, float2 w = {1, 2}) { return v.x + v.z * w.y; }
__device__ int numbers(int x, int y) { return x - y; }
__device__ int nothing(const P &p = {}) { return p.a + 3; }
__global__ void k(float *o) {
  Ray round({0, 0, 1}, {1, 2, 3}), braced{{0, 0, 2}, {1, 4, 3}};
  o[0] = one({1, 2}); o[1] = two(3, {4, 5}); o[2] = nested({{1, 2}, {3, 4}, 5}); o[3] = behind(1, {2, 3});
  o[4] = M().add({7, 8}); o[5] = vectors({1, 2, 3}); o[6] = round.d.y + round.o.z; o[7] = braced.d.y + braced.o.z;
  o[8] = Ray({0, 0, 1}, {1, 9, 3}).d.y; o[9] = numbers({9}, {4}); o[10] = nothing({}) + nothing();
  o[11] = one({int(o[4])}); o[12] = changed({6, 7});
}
"""


def test_lists_are_objects_of_the_parameters_types() -> None:
    clean(TEXT)
    result = run(TEXT, {"o": np.full(13, -1, np.float32)}, block=1)
    assert result.faults == ()
    assert result.arrays["o"].tolist() == [12, 7, 5401, 4, 13, 7, 3, 6, 9, 5, 6, 130, 12]


@pytest.mark.parametrize(
    "functions",
    [
        "__device__ int f(P p) { return 1; } __device__ int f(Q q) { return 2; }",
        "template <class T> __device__ int f(Pair<T> p) { return 1; }",
        "__device__ int f(P p, ...) { return 1; } template <class... T> __device__ int f(T... p) { return 2; }",
    ],
)
def test_a_list_that_may_be_several_objects_is_opaque(functions: str) -> None:
    kinds = "struct P { int a, b; }; struct Q { float a, b; }; template <class T> struct Pair { T a, b; };"
    found = lower_one(f"{kinds} {functions} __global__ void k(int *o) {{ o[0] = f({{1, 2}}); }}", "k")
    assert "initialiser list without a type" in constructs(found)
