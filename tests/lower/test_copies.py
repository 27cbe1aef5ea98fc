"""Which copies run code, which copy bytes, and which objects are not copied at all."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean, constructs, lower_one
from tests.sim.running import run

CODE = """
struct C {
  int v;
  __device__ C(int x) : v(x) {}
  __device__ C(const C &o) : v(o.v + 1 + threadIdx.x) {}
};
__device__ int take(C c) { return c.v; }
__device__ C make(int x) { return C(x); }
struct Owner {
  C c;
  __device__ Owner(int x) : c(x) {}
  __device__ C get() const { return c; }
};
struct Heir : C { __device__ Heir(int x) : C(x) {} };
struct Plain {
  int a, b;
  __device__ Plain(int x, int y) : a(x), b(y) {}
  __device__ Plain(const Plain &other) : a(other.a), b(other.b) {}
};
struct Assigned { int v; __device__ Assigned &operator=(const Assigned &o) { v = o.v + 1; return *this; } };
struct Around { Assigned inner; int w; };
struct Below : Assigned { int w; };
struct Bytes {
  int v;
  __device__ int call() {
    auto copy = [*this] { return v; };
    auto same = [this] { return v; };
    v += 100;
    return copy() + 1000 * same();
  }
};
__device__ int sum(Plain p) { return p.a + p.b; }
"""


@pytest.mark.parametrize(
    ("body", "value", "wanted"),
    [
        ("C a(1); C b = a;", "b.v", [2, 3, 4, 5]),
        ("C a(1);", "take(a)", [2, 3, 4, 5]),
        ("", "take(C(1)) + 10 * take(make(2))", [21] * 4),
        ("C a = C(1); C b = make(2); C c{C(3)};", "a.v + 10 * b.v + 100 * c.v", [321] * 4),
        ("Owner o(1); C c = o.get();", "c.v", [2, 3, 4, 5]),
        ("C a(1); C b[2] = {a, 7};", "b[0].v + 10 * b[1].v", [72, 73, 74, 75]),
        ("Owner a(1); Owner b = a;", "b.c.v", [2, 3, 4, 5]),
        ("Heir a(1); Heir b = a;", "b.v", [2, 3, 4, 5]),
        ("Plain a(1, threadIdx.x); Plain b = a;", "sum(b) + 10 * sum(a)", [11, 22, 33, 44]),
        ("Bytes s{1};", "s.call()", [101001] * 4),
        ("Bytes s{1}; auto f = [s] { return s.v; }; s.v = 5;", "f()", [1] * 4),
        ("int a[2] = {1, 2}; auto f = [=] { return a[1]; }; a[1] = 5;", "f()", [2] * 4),
        ("__shared__ int a[4]; auto f = [=] { return a[threadIdx.x]; }; a[threadIdx.x] = 5;", "f()", [5] * 4),
    ],
)
def test_copies(body: str, value: str, wanted: list[int]) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ {body} out[threadIdx.x] = {value}; }}"
    clean(text)
    found = run(text, {"out": np.zeros(4, np.int32)}, block=4)
    assert found.arrays["out"].tolist() == wanted
    assert found.faults == ()


@pytest.mark.parametrize(
    ("body", "construct"),
    [
        ("Around a; Around b; a = b;", "assignment of Around, in which Assigned is assigned by code"),
        ("Below a; Below b; a = b;", "assignment of Below, in which Assigned is assigned by code"),
        ("C a(1); auto f = [a] { return a.v; }; f();", "copy of C, which copies by code"),
        ("int n = 1; auto f = [n]() mutable { return ++n; }; auto g = f; g();", "copy of a mutable lambda"),
    ],
)
def test_copies_that_are_not_followed_are_said(body: str, construct: str) -> None:
    lowered = lower_one(f"{CODE} __global__ void k(int *out) {{ {body} }}", "k")
    assert constructs(lowered)[0] == construct
