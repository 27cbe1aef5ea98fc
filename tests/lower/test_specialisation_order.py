"""Which partial specialisation is meant, and when that is not known; `f<>(x)` means a template."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean, constructs, lower_one
from tests.sim.running import run

CODE = """
enum Colour { RED };
template <class T> struct A { static __device__ int v() { return 0; } };
template <class T> struct A<T **> { static __device__ int v() { return 2; } };
template <class T> struct A<T *> { static __device__ int v() { return 1; } };
template <> struct A<char *> { static __device__ int v() { return 3; } };
template <class T, class U> struct P { static __device__ int v() { return 0; } };
template <class T> struct P<T, int *> { static __device__ int v() { return 1; } };
template <class T, class U> struct P<T, U *> { static __device__ int v() { return 2; } };
template <class T> struct P<T, T> { static __device__ int v() { return 3; } };
template <class T> struct Q { static __device__ int v() { return 0; } };
template <class T> struct Q<const T> { static __device__ int v() { return 1; } };
template <class T> struct R { static __device__ int v() { return 0; } };
template <class T> struct R<const T *> { static __device__ int v() { return 1; } };
template <class T> struct R<T *> { static __device__ int v() { return 2; } };
template <class T> struct E { static __device__ int v() { return 0; } };
template <class T> struct E<T &> { static __device__ int v() { return 1; } };
template <class T> __device__ int h(T v) { return 1; }
__device__ int h(int v) { return 2; }
struct H {
  template <class T> __device__ int h(T v) { return 1; }
  __device__ int h(int v) { return 2; }
  __device__ int both() { return 10 * h<>(3) + this->h<>(4); }
};
"""


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("A<int>::v()", 0),
        ("A<int *>::v()", 1),
        ("A<int **>::v()", 2),
        ("A<char *>::v()", 3),
        ("P<char, int>::v()", 0),
        ("P<char, int *>::v()", 1),
        ("P<char, float *>::v()", 2),
        ("P<int, int>::v()", 3),
        ("Q<int>::v()", 0),
        ("Q<const int>::v()", 1),
        ("R<int *>::v()", 2),
        ("R<const int *>::v()", 1),
        ("E<int>::v()", 0),
        ("E<int &>::v()", 1),
        ("E<const int &>::v()", 1),
        ("A<long long>::v() + P<long, long long>::v()", 0),
        ("P<Colour, int>::v() + P<char, signed char>::v()", 0),
        ("P<Colour, Colour>::v()", 3),
        ("h<>(3)", 1),
        ("h<int>(3)", 1),
        ("h(3)", 2),
        ("H().h<>(3)", 1),
        ("H().h(3)", 2),
        ("H().both()", 11),
    ],
)
def test_the_most_special_one_wins_wherever_it_stands(call: str, wanted: int) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ out[threadIdx.x] = {call}; }}"
    clean(text)
    found = run(text, {"out": np.full(4, -1, np.int32)}, block=4)
    assert found.arrays["out"].tolist() == [wanted] * 4


def test_two_that_are_equally_special_are_not_guessed() -> None:
    text = f"{CODE} __global__ void k(int *out) {{ out[0] = P<int *, int *>::v(); }}"
    assert constructs(lower_one(text, "k")) == ["call of P<int*, int*>::v, which a specialisation may define otherwise"]


def test_the_arguments_of_a_generic_kernel_are_taken_for_those_of_the_primary_template() -> None:
    text = f"{CODE} template <class T> __global__ void k(int *out) {{ out[0] = A<T>::v(); }}"
    assert constructs(lower_one(text, "k")) == []
