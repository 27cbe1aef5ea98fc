"""CAL708."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL708"}))
KERNELS = """
__global__ void strided(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2.0f;
}
__global__ void sized(float *x, int n) {
  for (int i = 0; i < n; i++) x[blockIdx.x * blockDim.x + threadIdx.x] += i;
}
__global__ void timed(float *x, long long *when, int n) {
  for (int i = 0; i < n; i++) x[blockIdx.x * blockDim.x + threadIdx.x] += i;
  when[blockIdx.x + gridDim.x] = clock64();
}
__global__ void covered(float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 512; i += gridDim.x * blockDim.x) x[i] *= 2.0f;
}
__device__ void rows(float *x, int n, int step) {
  const int by = step * 2;
  for (long long i = threadIdx.x; n > i; i = i + by) x[i] *= 2.0f;
}
__global__ void called(float *x, int n) { rows(x, n, __mul24(gridDim.x, blockDim.x)); }
"""


def test_idle_multiprocessors_and_tails() -> None:
    few, _, _, tail = check_fixture(
        KERNELS
        + """
void f(float *x, int n) {
  strided<<<64, 256>>>(x, n);  //~ small-grid
  strided<<<48, 256>>>(x, n);
}
void h(float *x, int n) {
  covered<<<2, 128>>>(x);  //~ small-grid
  called<<<16, 256>>>(x, n);  //~ small-grid
}
void g(float *x, int n) {
  strided<<<220, 1024>>>(x, n);  //~ small-grid
}
""",
        ONLY,
    )
    assert (few.code, few.severity) == ("CAL708", Severity.HINT)
    assert few.message == "A grid of 64 blocks: 44 of the 108 multiprocessors of a large GPU (A100) are idle."
    assert tail.message == (
        "A grid of 220 blocks: 216 of 1,024 threads fit on a large GPU (A100) at once, and the last 4 run in a wave of "
        "their own."
    )


def test_grids_that_fill_are_meant_or_are_not_known() -> None:
    check_fixture(
        KERNELS
        + """
void f(float *x, int n, int blocks) {
  strided<<<108, 256>>>(x, n);
  strided<<<1, 256>>>(x, n);
  strided<<<blocks, 256>>>(x, n);
  strided<<<400, 1024>>>(x, n);
  sized<<<16, 256>>>(x, n);
  timed<<<16, 256>>>(x, (long long *)x, n);
  covered<<<3, 256>>>(x);
}
""",
        ONLY,
    )
