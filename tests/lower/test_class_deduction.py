"""Class template argument deduction: what objects hold and how large they are says which class was deduced."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import constructs, lower_one
from tests.sim.running import run

CLASSES = """
#include <cuda/std/array>
template <class T> struct Pair { T a, b; };
template <class T, class U = double> struct Mixed { T a; U b; };
template <class T> struct Built {
  T a, b;
  __device__ Built(T x, T y) : a(x), b(y) {}
  template <class U> __device__ Built(U x, T y, T z) : a(y + x), b(z) {}
  __device__ Built(const T* p) : a(p[0]), b(p[1]) {}
  __device__ Built shifted(T by) const { Built moved(a + by, b); return moved; }
};
template <class T> struct Grown { T a; __device__ Grown(T x, int n = 3) : a(x + n) {} };
template <class T, int N> struct Vec { T v[N]; };
template <class T, class... U> Vec(T, U...) -> Vec<T, 1 + sizeof...(U)>;
template <class T> struct Box { T v; __device__ Box(T x) : v(x) {} };
template <class T> Box(T*) -> Box<T>;
Box(char) -> Box<double>;
template <> struct Box<float> { int n; __device__ Box(float* p) : n(3) {} };
template <class T> struct Held { T v; __device__ Held(const T* p) : v(p[0]) {} __device__ Held(int) : v(9) {} };
template <class T> Held(T) -> Held<double>;
template <class T, int N> struct Row {
  T first;
  __device__ Row(const T (&x)[N]) : first(x[0]) {}
  __device__ int length() { return N; }
};
template <class T> struct Iterator { using value_type = T; T* p; };
template <class T> struct Sum { T s; template <class I> __device__ Sum(I b, I e) : s(*b.p) {} };
template <class I> Sum(I, I) -> Sum<typename I::value_type>;
template <class T = float, int N = 4> struct Buffer { T v[N]; };
namespace n { template <class T> struct One { T a; __device__ T get() const { return a; } }; }
template <class T> __device__ auto made(T a, T b) { return Pair{a, b}; }
template <class T> __device__ Pair<T> turned(T a, T b) { return Pair(b, a); }
template <class T> __device__ T doubled(n::One<T> p) { return p.a * 2; }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Pair p{1.5f, 2.0f}; o[0] = sizeof(p); o[1] = p.a + p.b;", (8, 3.5)),
        (
            "Mixed p{1, 2.5f}; const Mixed q = Mixed{true}; o[0] = sizeof(p); o[1] = sizeof(q); o[2] = p.b;",
            (8, 16, 2.5),
        ),
        (
            "Pair p = made(1.5, 2.0); Pair q = p; Pair r(q); Pair s{q}; q.a = 7; o[0] = sizeof(s); o[1] = r.a;",
            (16, 1.5),
        ),
        ("auto p = Pair(o[0], 2.0f); Pair q = {3, 4}; o[0] = sizeof(p); o[1] = q.b; o[2] = p.b;", (8, 4, 2)),
        ("Pair p = turned(3.0, 4.0); o[0] = p.a; o[1] = sizeof(p);", (4, 16)),
        ("Built p(1.0f, 2.0f); Built q{2, 3.0f, 4.0f}; o[0] = p.b; o[1] = q.a; o[2] = sizeof(q);", (2, 5, 8)),
        ("o[1] = 6; Built p(o); Built q = p.shifted(2); o[0] = p.b; o[1] = q.a; o[2] = sizeof(q);", (6, 2, 8)),
        ("Grown g = 4; Grown h{2.5}; o[0] = g.a; o[1] = h.a; o[2] = sizeof(g);", (7, 5.5, 4)),
        ("Vec v{1.0f, 2.0f, 3.0f}; o[0] = v.v[2]; o[1] = sizeof(v);", (3, 12)),
        ("Box b(o); Box c('a'); Box d(2); o[0] = b.n; o[1] = sizeof(c); o[2] = sizeof(d);", (3, 8, 4)),
        ("o[0] = 4; Held h((const float*)o); Held g('c'); o[1] = h.v; o[2] = g.v; o[3] = sizeof(h);", (4, 4, 9, 4)),
        ("float x[5] = {2}; Row r(x); o[0] = r.first; o[1] = r.length();", (2, 5)),
        ("o[1] = 3; Iterator i{o + 1}; Sum s(i, i); o[0] = s.s; o[2] = sizeof(s);", (3, 3, 4)),
        ("Buffer b; Buffer<> c; Buffer d{}; o[0] = sizeof(b); o[1] = sizeof(c); o[2] = d.v[1];", (16, 16, 0)),
        ("n::One x{3u}; o[0] = doubled(n::One{4}); o[1] = n::One(2.5).get(); o[2] = x.get();", (8, 2.5, 3)),
        ("Pair p{Pair{1, 2}, Pair{3, 4}}; o[0] = sizeof(p); o[1] = p.b.a;", (16, 3)),
        ("for (n::One r{0}; r.a < 3; r.a++) o[r.a] = r.a + 1;", (1, 2, 3)),
        ("cuda::std::array a{1.0f, 2.0f}; o[0] = sizeof(a); o[1] = a[1];", (8, 2)),
        ("std::pair p{1, 2.5f}; std::pair q = p; o[0] = q.first / 2; o[1] = q.second;", (0, 2.5)),
        ("std::tuple t(1, 2.5, 'c'); o[0] = std::get<1>(t); o[1] = std::get<0>(t) / 2;", (2.5, 0)),
        ("std::optional e{4}; std::span s(o, 64); s[1] = *e; o[0] = s.size();", (64, 4)),
        ("std::complex z{1.0f, 2.0f}; o[0] = z.imag(); o[1] = z.real();", (2, 1)),
    ],
)
def test_the_class_that_an_initialiser_means(body: str, expected: tuple[float, ...]) -> None:
    text = f"{CLASSES}__global__ void k(float* o) {{ {body} }}"
    assert constructs(lower_one(text, "k")) == []
    result = run(text, {"o": np.zeros(64, np.float32)}, block=1)
    assert result.faults == ()
    assert tuple(result.arrays["o"][: len(expected)]) == expected


@pytest.mark.parametrize(
    "body",
    [
        "Pair p{1.5f, 2}; o[0] = p.a;",  # two types for one parameter
        "Mixed p; o[0] = p.a;",  # nothing to deduce from
        "Built p(1.0f); o[0] = p.a;",  # no constructor
    ],
)
def test_what_cannot_be_deduced_has_no_class(body: str) -> None:
    lowered = lower_one(f"{CLASSES}__global__ void k(float* o) {{ {body} }}", "k")
    assert any("T" in repr(type) for type in lowered.function.types)
