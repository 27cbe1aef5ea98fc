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
