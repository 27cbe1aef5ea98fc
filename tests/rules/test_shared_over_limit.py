"""CAL707."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL707"}))


def test_arrays_of_kernel_and_callee() -> None:
    text = """
__device__ float first(float x) {
  __shared__ float t[8192];
  t[threadIdx.x] = x;
  __syncthreads();
  return t[0];
}
__global__ void k(float *x) {  //~ shared-over-limit
  __shared__ float s[8192];
  s[threadIdx.x] = x[0];
  __syncthreads();
  x[threadIdx.x] = s[1] + first(x[1]);
}
__global__ void fits(float *x) { x[threadIdx.x] = first(x[1]); }
"""
    (found,) = check_fixture(text, ONLY)
    assert (found.code, found.severity) == ("CAL707", Severity.ERROR)
    assert "take 65,536 bytes: at most 49,152" in found.message
    assert [one.message for one in found.related] == ["`s`: 32,768 bytes"]


def test_what_is_not_used_and_what_is_dynamic() -> None:
    check_fixture(
        """
__global__ void k(float *x) {
  __shared__ float never[100000];
  extern __shared__ float dynamic[];
  __shared__ float most[12288];
  dynamic[threadIdx.x] = most[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = dynamic[0] + most[0];
}
""",
        ONLY,
    )
