"""Which constructor or conversion function makes an object, or a number, of an object of another class."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean
from tests.sim.running import run

CODE = """
struct Any { int v; template <class T> __device__ operator T() const { return T(v + 1); }
             __device__ operator short() const { return short(v + 2); } };
struct Null { template <class T> __device__ operator T *() const { return nullptr; } };
struct Long { long v; __device__ operator long() const { return v; } __device__ operator float() const { return -1; } };
struct Base { int b = 1; __device__ virtual int kind() const { return b; } };
struct Derived : Base { int d = 2; };
struct Scales { __device__ int operator*(float &x) const; __device__ operator double() const { return 1.5; } };
__device__ int Scales::operator*(float &x) const { x = 7; return 200; }
struct Made { int m; __device__ Made(int x) : m(x) {} };
struct Near : Made { __device__ Near() : Made(5) {} __device__ operator int() const { return 9; } };
template <class T> struct Box {
  T v;
  __device__ Box(T x, int) : v(x) {}
  template <class U> __device__ explicit operator Box<U>() const { return Box<U>(U(v) + 1, 0); }
};
struct Counts { int n = 5; __device__ operator int() { return ++n; } };
struct Two { __device__ operator int() const { return 10; } __device__ operator float() { return 20; } };
struct Truth { __device__ operator int() const { return 4; } __device__ explicit operator bool() const { return 0; } };
struct Exact { __device__ operator float() const { return 1; } __device__ explicit operator int() const { return 2; } };
struct Holds { const Two own; Two *other; };
__device__ int copied(int a, int b) { return a * 10 + b; }
__device__ int f(int *) { return 1; }
__device__ int f(int) { return 2; }
__device__ int of_long(long x) { return int(x); }
__device__ int of_unsigned(const unsigned long &x) { return int(x); }
"""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("of_long(Any{3})", 4),
        ("of_unsigned(Any{3})", 4),
        ("static_cast<short>(Any{3})", 5),
        ("int(static_cast<unsigned long long>(Any{3}))", 4),
        ("f(Null())", 1),
        ("of_long(Long{6})", 6),
        ("[] { Scales s; float x = 1; return s * x + int(x); }()", 207),
        ("int(Scales() * 2)", 3),
        ("+Near() * 10 + -Near() + ~Near() + !Near()", 71),
        ("[] { int row[3] = {4, 5, 6}; return -1[row] + 2 * +2[row]; }()", 7),
        ("[] { Derived d; d.b = 4; Base b = d; return b.kind(); }()", 4),
        ("Made(Near()).m", 5),
        ("Box<int>(Box<long>(4, 2)).v", 5),
        ("[] { Counts c; int x = c; return x * 100 + int(c) * 10 + c.n; }()", 677),
        ("[] { Counts c; int x; x = c; const int &y = c; return x * 100 + y * 10 + c.n; }()", 677),
        ("[] { Counts c; int a = copied(c, 1), b = 1 + c; return a + b * 100 + (c ? c.n : 0); }()", 869),
        ("[] { Counts c; int list[] = {c, c}; float x = true ? c : 1.5f; return list[1] * 10 + int(x) + c.n; }()", 86),
        ("[]() -> int { Counts c; switch (c) { case 6: return c; default: return 0; } }()", 7),
        ("[] { const Two a{}; Two b; int x = a, y = b; return x * 100 + y; }()", 1020),
        ("[] { const Two a{}; Two b; int x, y; x = a; y = b; return x * 100 + y; }()", 1020),
        ("[] { Two b; Holds h{Two{}, &b}; const Holds &same = h; return copied(h.own, *same.other); }()", 120),
        ("[] { const Two a{}; double x = a; return int(x) + int(Two{}) + static_cast<int>(a); }()", 40),
        ("[] { const Two a{}; Two b; return (a + 1) * 10 + (a ? 1 : 0) + (!b ? 5 : 2); }()", 113),
        ("[] { Truth t; return (t ? 10 : 20) + (!t ? 1 : 2) + t; }()", 25),
        ("[] { Counts c; int list[9] = {}; list[c] = 3; return list[6] * 10 + c.n; }()", 36),
        ("[] { Exact e; int x = e; return x * 10 + int(e); }()", 12),
    ],
)
def test_what_an_object_becomes(value: str, wanted: int) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ out[0] = {value}; }}"
    found = run(text, {"out": np.zeros(1, np.int32)}, block=1)
    assert found.arrays["out"].tolist() == [wanted]
    assert found.faults == ()


def test_classes_defined_behind_their_class() -> None:
    text = """
    template <class T> struct A { struct B; B *p; __device__ int size() const; };
    template <class T> struct A<T>::B { T v[3]; };
    template <class T> __device__ int A<T>::size() const { return int(sizeof(B)); }
    struct O { struct I; I *i; };
    struct O::I { int k = 4; };
    __global__ void k(int *out) { O::I i; O o{&i}; out[0] = A<char>().size() * 10 + o.i->k; out[1] = A<int>().size(); }
    """
    clean(text)
    assert run(text, {"out": np.zeros(2, np.int32)}, block=1).arrays["out"].tolist() == [34, 12]


def test_a_specialisation_is_of_a_template_in_front_of_it() -> None:
    text = """
    template <class T, class U> __device__ int f(T, U) { return 1; }
    template <> __device__ int f(int, int) { return 2; }
    template <class T> __device__ int f(T, int) { return 3; }
    template <> __device__ int f(char, int) { return 4; }
    __global__ void k(int *out) {
      out[0] = f(1, 2); out[1] = f('a', 2); out[2] = f<int, int>(1, 2); out[3] = f(1, 2.5);
    }
    """
    assert run(text, {"out": np.zeros(4, np.int32)}, block=1).arrays["out"].tolist() == [3, 4, 2, 1]
