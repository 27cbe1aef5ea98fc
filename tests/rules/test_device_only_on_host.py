"""CAL709; what nvcc says of it is in `tests/sides`."""

from __future__ import annotations

from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL709"}))


def test_what_is_told() -> None:
    found = check_fixture(
        """
int f() {
  __shared__ int buffer[4];  //~ device-only-on-host
  return threadIdx.x + warpSize;  //~ device-only-on-host, device-only-on-host
}
__host__ __device__ int g() {
#ifdef __CUDA_ARCH__
  __shared__ int buffer[4];
  return buffer[threadIdx.x];
#else
  return __CUDA_ARCH__;  //~ device-only-on-host
#endif
}
""",
        ONLY,
    )
    assert [one.message for one in found] == [
        "A `__shared__` variable is not allowed in host code.",
        "`threadIdx` has no value in host code: the program does not link.",
        "`warpSize` has no value in host code: the program does not link.",
        "`__CUDA_ARCH__` is not defined in what the host compiles of a function for both sides.",
    ]


def test_qualifiers_that_a_macro_of_an_unseen_header_may_hold() -> None:
    text = "DEVICE_FUNCTION int f() { __shared__ int s; return threadIdx.x + __CUDA_ARCH__; }\n"
    check_fixture('#include "unseen.h"\n' + text, ONLY)
    check_fixture("#define DEVICE_FUNCTION __device__\n" + text, ONLY)
    claims = "  //~ device-only-on-host, device-only-on-host, device-only-on-host\n"
    check_fixture("#define DEVICE_FUNCTION static\n" + text.replace("\n", claims), ONLY)


def test_files_of_hip_have_indices_on_both_sides() -> None:
    check_fixture("int f() { return threadIdx.x; }\n", ONLY, path="k.hip")


def test_macros_of_headers_that_are_not_seen() -> None:
    """Those of the toolkit's and the library's headers in `<>` are not asked for."""
    check_fixture(
        """
#include <library/kernels.hpp>
KERNEL_OF_LIBRARY fill(int *p) { p[threadIdx.x] = 1; }
#ifndef __device__
#define __host__
#define __device__
#endif
#if !defined(__global__)
#define __global__
#endif
__device__ int here() { return threadIdx.x; }
__global__ void k(int *p) { p[here()] = 1; }
template <typename TYPE> TYPE g(TYPE x) { return x; }
int f() { return threadIdx.x; }  //~ device-only-on-host
""",
        RuleSettings(select=frozenset({"CAL"})),
    )
