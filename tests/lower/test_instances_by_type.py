"""Instances of templates are told apart by C++ types, also where values are stored alike."""

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
__device__ int kind(int *) { return 5; }
__device__ int kind(const int *) { return 6; }
template <class T> __device__ int f(T v) { return kind(v); }
template <class T> __device__ int g(T v) { return f<T>(v) + 10 * f(v); }
template <class T> struct Box { T held; __device__ int of() { return kind(held); } };
template <class T> __device__ int boxed(Box<T> b) { return b.of() + 10 * kind(b.held); }
template <class T> __device__ int shown(T) { return 0; }
template <> __device__ int shown<long long>(long long) { return 1; }
template <> __device__ int shown<Colour>(Colour) { return 2; }
"""


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("f(1) + 10 * f(1L) + 100 * f(1LL) + 1000 * f(RED)", 4321),
        ("g(1LL)", 33),
        ("g(RED)", 44),
        ("f(&x) + 10 * f(&y)", 65),
        ("Box<long>{}.of() + 10 * Box<long long>{}.of() + 100 * Box<Colour>{}.of()", 432),
        ("boxed(Box<long long>{})", 33),
        ("boxed(Box<const int *>{})", 66),
        ("shown(1L) + 10 * shown(1LL) + 100 * shown(RED) + 1000 * shown(1)", 210),
    ],
)
def test_which_instance_is_called(call: str, wanted: int) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ int x = 0; const int y = 0; out[threadIdx.x] = {call}; }}"
    assert run(text, {"out": np.zeros(4, np.int32)}, block=4).arrays["out"].tolist() == [wanted] * 4
