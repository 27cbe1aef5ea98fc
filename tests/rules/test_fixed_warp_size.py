"""WRP212."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from tests.rules.warp_fixture import diagnostics_of, reported, silent

CODE, SLUG = "WRP212", "fixed-warp-size"
WIDE = """//! warp-size = 64
#define WARP_SIZE 32
constexpr int kWarp = 32;
__device__ float summed(float v) {
  for (int d = warpSize / 2; d > 0; d >>= 1) v += __shfl_down(v, d);
  return v;
}
__global__ void k(float *x, int *y, int n) {
  int t = threadIdx.x;
  float v = x[t];
  STATEMENT
  x[t] = summed(v);
}
void host(float *x, int *y) { k<<<1, 64>>>(x, y, 64); }
"""


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "y[0] = t & 31;",  # //~ fixed-warp-size
            "This counts lanes of a warp of 32: in a warp of 64, lanes 0 and 32 get the same number.",
        ),
        ("y[0] = t >> 5;", "This counts warps of 32 lanes: a warp of 64 gets 2 numbers."),
        (
            "for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d);",
            "The shuffles that start with a distance of 16 cover 32 of the 64 lanes of a warp.",
        ),
    ],
)
def test_the_message(statement: str, message: str) -> None:
    found = reported(statement, CODE, SLUG, kernel=WIDE)
    assert (found.severity, found.tier) == (Severity.WARNING, None)
    assert found.message == message


@pytest.mark.parametrize(
    "statement",
    [
        "y[0] = (threadIdx.y * blockDim.x + threadIdx.x) % WARP_SIZE;",
        "y[0] = threadIdx.x / kWarp;",
        "y[0] = blockDim.x / 32;",
        "y[0] = 31 & (t + blockIdx.x * blockDim.x);",
        "for (int d = WARP_SIZE / 2; d > 0; d /= 2) v += __shfl_down_sync(~0ull, v, d);",
        "v += __shfl_xor(v, 16); v += __shfl_xor(v, 8); v += __shfl_xor(v, 4); v += __shfl_xor(v, 2); "
        "v += __shfl_xor(v, 1);",
    ],
)
def test_reported(statement: str) -> None:
    reported(statement, CODE, SLUG, kernel=WIDE)


@pytest.mark.parametrize(
    "statement",
    [
        "y[0] = t % warpSize + t / warpSize;",
        "y[0] = n / 32 + n % 32;",
        "y[0] = t / 64 + (t & 63);",
        "y[0] = t % 16;",
        "for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d, 32);",
        "for (int d = 32; d > 0; d >>= 1) v += __shfl_xor(v, d);",
        "v += __shfl_xor(v, 16);",
        "v += __shfl_xor(v, 32); v += __shfl_xor(v, 16); v += __shfl_xor(v, 8); v += __shfl_xor(v, 4); "
        "v += __shfl_xor(v, 2); v += __shfl_xor(v, 1);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE, kernel=WIDE)


def test_silent_without_an_exchange_of_lanes() -> None:
    silent("y[0] = t % 32;", CODE, kernel=WIDE.replace("summed(v)", "v"))


def test_silent_where_warps_have_32_lanes() -> None:
    assert not diagnostics_of("v += __shfl_xor_sync(~0u, v, 1); y[t] = t & 31;", CODE, warp_size=32)
