"""Which instance of a class template does an initialiser mean?  What is expected is what C++20 says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.running import run

CODE = """
enum Colour { RED };
__device__ int kind(int) { return 1; }
__device__ int kind(long) { return 2; }
__device__ int kind(long long) { return 3; }
__device__ int kind(Colour) { return 4; }
__device__ int kind(const int *) { return 6; }
__device__ int kind(float) { return 7; }
template <class T> struct Held { T v; __device__ Held(const T &x) : v(x) {} };
template <class T> Held(T *) -> Held<const T *>;
template <class T> struct Plain { T v; };
template <class T> Plain(T) -> Plain<T>;
Plain(char) -> Plain<long>;
template <class T, int N> struct Row { T v[N]; };
template <class T, class... U> Row(T, U...) -> Row<T, 1 + int(sizeof...(U))>;
template <class T> struct Copied { T v; __device__ Copied(T x) : v(x) {} __device__ Copied(T *x) : v(*x) {} };
"""


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("kind(Held{1}.v) + 10 * kind(Held(1LL).v) + 100 * kind(Held(RED).v)", 431),
        ("kind(Held{&x}.v)", 6),
        ("kind(Plain{'a'}.v) + 10 * kind(Plain{1}.v) + 100 * kind(Plain{2.5f}.v)", 712),
        ("int(sizeof(decltype(Row{1, 2, 3}.v))) + 100 * int(sizeof(decltype(Row{2.5f}.v)))", 412),
        ("kind(Copied{&x}.v) + 10 * kind(Copied(1L).v)", 21),
        ("kind(Copied{Copied{1LL}}.v)", 3),
        ("kind(static_cast<decltype(Held{1L}.v)>(1))", 2),
    ],
)
def test_which_class_is_meant(call: str, wanted: int) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ int x = 0; out[threadIdx.x] = {call}; }}"
    assert run(text, {"out": np.zeros(4, np.int32)}, block=4).arrays["out"].tolist() == [wanted] * 4
