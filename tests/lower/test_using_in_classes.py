"""`using Base::name;` in a class adds the base's methods to its own, which hide those with the same parameters."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean
from tests.sim.running import run

CODE = """
struct S {
  __device__ int get(int) { return threadIdx.x; }
  __device__ int only() const { return 5 + threadIdx.x; }
};
template <class X> struct B { __device__ X take(X a) { return a + threadIdx.x; } };
struct T : S, B<int> {
  using S::get;
  using B<int>::take;
  using Mine = S;
  using Mine::only;
  __device__ int get(float) { return 20; }
  __device__ int take(int) { return 30; }
};
template <class X> struct U : B<X> { using B<X>::take; __device__ int call() { return take(1); } };
"""


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("T().get(1)", [0, 1, 2, 3]),
        ("T().get(1.0f)", [20] * 4),
        ("T().take(1)", [30] * 4),
        ("T().only()", [5, 6, 7, 8]),
        ("U<int>().call()", [1, 2, 3, 4]),
    ],
)
def test_the_method_that_is_called(call: str, wanted: list[int]) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ out[threadIdx.x] = {call}; }}"
    clean(text)
    found = run(text, {"out": np.zeros(4, np.int32)}, block=4)
    assert found.arrays["out"].tolist() == wanted
