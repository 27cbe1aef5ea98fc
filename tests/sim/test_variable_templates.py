"""`template <class T> __device__ T total;`: a variable in memory for each list of arguments."""

from __future__ import annotations

import numpy as np
import pytest

from tests.rules.fixture import check_fixture
from tests.sim.running import run

TEXT = """
template <class T> __device__ T total;
template <class T, int N> __device__ T rows[N];
template <class T> __constant__ T scale = T(3);
template <class T> __device__ void add(T by) { atomicAdd(&total<T>, by); }
__global__ void k(int *out) {
  BODY
}
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("add(2); add(1.5f); __syncthreads(); out[threadIdx.x] = total<int> + int(total<float>);", [14, 14, 14, 14]),
        ("rows<int, 4>[threadIdx.x] = threadIdx.x; out[threadIdx.x] = rows<int, 4>[threadIdx.x] + 1;", [1, 2, 3, 4]),
        ("rows<int, 4>[0] = 7; out[threadIdx.x] = rows<int, 3>[0] + (rows<int, 4>[0]);", [7, 7, 7, 7]),
        ("out[threadIdx.x] = scale<int> * 2 + int(scale<float>);", [9, 9, 9, 9]),
    ],
)
def test_each_instance_is_a_variable(body: str, wanted: list[int]) -> None:
    found = run(TEXT.replace("BODY", body), {"out": np.zeros(4, np.int32)}, block=4)
    assert found.faults == ()
    assert found.arrays["out"].tolist() == wanted


def test_elements_vary_as_those_of_any_array_do() -> None:
    """An open instance may be any other one, so nothing is known of it."""
    check_fixture(
        """
        template <class T, int N> __device__ T rows[N]; template <class T> constexpr T least = T(3);
        template <class T> __global__ void k(int *out) {
          int seen = rows<int, 64>[threadIdx.x];  //= seen: varying
          int same = rows<int, 64>[5];            //= same: grid-uniform
          int open = rows<T, 64>[5];              //= open: varying
          int limit = least<int>;                 //= limit: grid-uniform
          out[0] = seen + same + open + limit;
        }"""
    )
