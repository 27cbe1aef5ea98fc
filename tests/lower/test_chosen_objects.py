"""Objects that are named in a roundabout way, and operators that the program declares, as they run."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.running import run

CODE = """
struct Fields { int a : 3; unsigned b : 5; long c : 40; };
struct Base { int n = 1; }; struct Derived : Base { int d = 2; };
struct Root { __device__ int f(int) & { return 1; } __device__ int f(long) && { return 2; } };
struct Leaf : Root {};
struct Logic {
  int v; __device__ int operator&&(int o) const { return 10 * v + o; } __device__ operator bool() const { return true; }
};
__device__ int operator||(Logic l, Logic r) { return 100 * l.v + r.v; }
__device__ int operator,(Logic l, int r) { return 7 * l.v + r; }
__device__ int operator!(Logic l) { return 40 + l.v; }
__device__ int &same(int &x) { return x; } __device__ int next(int &x) { return ++x; }
__device__ int which(int &) { return 1; } __device__ int which(const int &) { return 2; }
__device__ int which(long) { return 3; }
__device__ int of(Base &) { return 1; } __device__ int of(const Derived &) { return 2; }
"""
VARIABLES = """int a = 5, b = 6; const int fixed = 7; Fields x{1, 2, 3}, y{}; Derived derived; Base base; Leaf leaf;
Logic one{1}, two{2};"""


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("((n > 1 ? a : b) = 9, 10 * a + b)", 96),
        ("((n > 3 ? a : (n > 2 ? b : a)) += 1, 10 * a + b)", 66),
        ("((a, n > 3 ? a : b) = 1, 10 * a + b)", 51),
        ("((n > 1 ? same(a) : b)++, a)", 6),
        ("next(n > 3 ? a : same(b)) + b", 14),
        ("((n > 1 ? x.b : y.b) = 9, 100 * x.b + y.b)", 900),
        ("((n > 1 ? x.c : x.c) -= 5, int(x.c))", -2),
        ("which(n > 1 ? a : b) + 10 * which(n > 1 ? a : fixed) + 100 * which(n > 1 ? a : 3L)", 321),
        ("which(n > 3 ? (*&a) : (n > 1 ? a : b))", 1),
        ("of(n > 1 ? base : derived) + 10 * of(derived)", 21),
        ("(n > 3 ? base : derived).n + 10 * sizeof(n > 1 ? base : derived)", 41),
        ("int(static_cast<const unsigned char &>(2.9)) + 10 * (!static_cast<const bool &>(0.5f))", 2),
        ("(const bool &)(&fixed) + 10 * static_cast<bool &&>(&base) + 100 * !(const bool &)((int *)nullptr)", 111),
        ("(static_cast<int &>(a) = 3, a) + 10 * of(static_cast<Base &>(derived))", 13),
        ("(one && 5) + 100 * (n > 1 && a)", 115),
        ("(one || two) + 1000 * !two", 42102),
        ("(one || two ? 1 : 0) + 10 * (!one ? 1 : 0)", 11),
        ("(one, 4) + 100 * (a, 4)", 411),
        ("Leaf().Root::f(3) + 10 * Leaf().f(3L)", 22),
        ("static_cast<Leaf &&>(leaf).Root::f(1) + 10 * leaf.Root::f(1)", 12),
    ],
)
def test_what_is_computed(expression: str, wanted: int) -> None:
    text = f"{CODE} __global__ void k(int *out, int n) {{ {VARIABLES} out[0] = {expression}; }}"
    arguments = {"out": np.zeros(1, np.int32), "n": 2}
    assert run(text, arguments, block=1).arrays["out"].tolist() == [wanted]
