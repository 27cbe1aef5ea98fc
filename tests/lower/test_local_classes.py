"""A class that a function declares is one of the instance of that function."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.running import run

CODE = """
template <class T> __device__ int of_type(T) { struct L { T v; }; return sizeof(L); }
template <int N> __device__ int of_number() { union L { char v[N]; }; return sizeof(L); }
template <class T> struct Holder { __device__ int size() { struct L { T v; }; return sizeof(L); } };
__device__ int overload(char) { struct L { char v; }; return sizeof(L); }
__device__ int overload(int) { struct L { int v; }; return sizeof(L); }
__device__ int in_lambda() {
  auto l = [](auto x) { struct L { decltype(x) v; }; return int(sizeof(L)); };
  return l('a') * 10 + l(1);
}
"""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("of_type('a') * 10 + of_type(1.5)", 18),
        ("of_number<2>() * 10 + of_number<5>()", 25),
        ("Holder<char>().size() * 10 + Holder<int>().size()", 14),
        ("overload('a') * 10 + overload(1)", 14),
        ("in_lambda()", 14),
    ],
)
def test_local_classes_are_told_apart(value: str, wanted: int) -> None:
    found = run(f"{CODE} __global__ void k(int *out) {{ out[0] = {value}; }}", {"out": np.zeros(1, np.int32)}, block=1)
    assert found.arrays["out"].tolist() == [wanted]
