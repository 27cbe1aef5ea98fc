"""A base is constructed with the class that derives from it, whoever wrote the constructor."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean
from tests.sim.running import run

CODE = """
struct Base {
  int v;
  __device__ Base() { v = threadIdx.x; }
  __device__ Base(int w) { v = 10 * w + threadIdx.x; }
};
struct Empty {};
struct Plain { int a, b; };
struct Derived : Base { int own; };
struct Twice : Derived { int more = 7; };
struct Heir : Base { using Base::Base; int own = 4; };
struct AliasHeir : Base { using Parent = Base; using Parent::Parent; };
template <class T> struct Pack : T { using T::T; };
struct Own : Heir { using Heir::Heir; __device__ Own(char, int x) { v = x; } };
struct Near : Base { using Base::Base; __device__ Near(char, int x) { v = x; } };
struct Second : Plain, Base { int last; };
struct Flat : Empty, Plain { int c; };
"""


@pytest.mark.parametrize(
    ("declared", "value", "wanted"),
    [
        ("Derived t;", "t.v", [0, 1, 2, 3]),
        ("Derived t{};", "t.v + t.own", [0, 1, 2, 3]),
        ("Derived t = Derived();", "t.v + t.own", [0, 1, 2, 3]),
        ("Derived t{2, 5};", "t.v + 100 * t.own", [520, 521, 522, 523]),
        ("Derived t{{3}, 5};", "t.v + 100 * t.own", [530, 531, 532, 533]),
        ("Derived t[2];", "t[1].v", [0, 1, 2, 3]),
        ("Twice t;", "t.v + 10 * t.more", [70, 71, 72, 73]),
        ("Heir t(3);", "t.v + 100 * t.own", [430, 431, 432, 433]),
        ("Heir t{3};", "t.v + 100 * t.own", [430, 431, 432, 433]),
        ("Heir t;", "t.v + 100 * t.own", [400, 401, 402, 403]),
        ("Heir t = Heir(1);", "t.v", [10, 11, 12, 13]),
        ("AliasHeir t(3);", "t.v", [30, 31, 32, 33]),
        ("Pack<Base> t(3);", "t.v", [30, 31, 32, 33]),
        ("Own t(3);", "t.v + 100 * t.own", [430, 431, 432, 433]),
        ("Own t('a', 5);", "t.v + 100 * t.own", [405] * 4),
        ("Near t;", "t.v", [0, 1, 2, 3]),
        ("Near t[2] = {3, {'a', 6}};", "t[0].v + 100 * t[1].v", [630, 631, 632, 633]),
        ("Second t;", "t.v", [0, 1, 2, 3]),
        ("Second t{{1, 2}, {}, 3};", "t.v + 100 * t.b + 1000 * t.last", [3200, 3201, 3202, 3203]),
        ("Second t{1, 2, 4, 3};", "t.v + 100 * t.b + 1000 * t.last", [3240, 3241, 3242, 3243]),
        ("Flat t{{}, {1, 2}, 3};", "t.a + 10 * t.b + 100 * t.c", [321] * 4),
        ("struct { Derived d; int e; } t{{}, 5};", "t.d.v + 10 * t.e", [50, 51, 52, 53]),
    ],
)
def test_bases_are_constructed(declared: str, value: str, wanted: list[int]) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ {declared} out[threadIdx.x] = {value}; }}"
    clean(text)
    found = run(text, {"out": np.zeros(4, np.int32)}, block=4)
    assert found.arrays["out"].tolist() == wanted
    assert found.faults == ()
