"""Shapes of code that were misjudged once: what is reported of each, with all rules at their defaults."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

_DEFAULTS = RuleSettings(ignore=frozenset({"SYN107", "MEM503", "DIV404"}))


def test_at_most_one_warp_differs_by_a_round_in_a_remainder_loop() -> None:
    check_fixture(
        """
__global__ void remainder(const float *x, float *y, int n) {
  int i = threadIdx.x;
  for (; i + 3 * blockDim.x < n; i += 4 * blockDim.x) y[i] += x[i] + x[i + blockDim.x];
  for (; i < n; i += blockDim.x) y[i] += x[i];
}
void host(const float *x, float *y, int n) { remainder<<<1, 256>>>(x, y, n); }
""",
        _DEFAULTS,
    )


def test_a_loop_with_the_stride_of_a_warp() -> None:
    check_fixture(
        """
__global__ void lanes(const float *x, float *y, int n) {
  for (int i = threadIdx.x % 32; i < n; i += warpSize) y[i] = x[i];
}
void host(const float *x, float *y, int n) { lanes<<<1, 32>>>(x, y, n); }
""",
        _DEFAULTS,
    )


def test_thread_0_alone_misses_a_barrier() -> None:
    (found,) = check_fixture(
        """
__global__ void only_one(int *flag, int n) {
  bool enough = true;
  if (threadIdx.x == 0) enough = *flag >= n;
  if (enough) __syncthreads();  //~ divergent-barrier
}
""",
        _DEFAULTS,
    )
    assert found.tier is Tier.PROVEN
    assert found.severity is Severity.INFORMATION  # nobody needs it afterwards
    assert found.message.startswith("Threads 1-63 of the block arrive at this barrier, 0 does not (")


def test_thread_0_alone_misses_a_barrier_that_orders_what_it_does_next() -> None:
    (found,) = check_fixture(
        """
__global__ void only_one(float *x, int *flag, int n) {
  __shared__ float s[64];
  bool enough = true;
  if (threadIdx.x == 0) enough = *flag >= n;
  s[threadIdx.x] = x[threadIdx.x];
  if (enough) __syncthreads();  //~ divergent-barrier
  x[threadIdx.x] = s[63 - threadIdx.x];
}
void host(float *x, int *flag, int n) { only_one<<<1, 64>>>(x, flag, n); }
""",
        _DEFAULTS,
    )
    assert (found.tier, found.severity) == (Tier.PROVEN, Severity.ERROR)
    assert found.message.endswith(
        "They go on without waiting: `s[63 - threadIdx.x]` at line 8 touches what the others write."
    )


_BLOCK_SUM = """
__device__ float block_sum(float *s, float v) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (lane == 0) s[warp] = v;  MARK
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? s[lane] : 0.0f;
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0) s[0] = v;
  }
  __syncthreads();
  float total = s[0];
  LAST
  return total;
}
__global__ void reused(float *out, const float *in) {
  __shared__ float s[32];
  float a = block_sum(s, in[threadIdx.x]);
  float b = block_sum(s, in[threadIdx.x + blockDim.x]);
  out[threadIdx.x] = a + b;
}
void host(float *out, const float *in) { reused<<<1, 256>>>(out, in); }
"""


def test_the_second_use_of_an_array_overwrites_what_others_still_read() -> None:
    (found,) = check_fixture(_BLOCK_SUM.replace("MARK", "//~ shared-race").replace("LAST", ""), _DEFAULTS)
    assert found.tier is Tier.PROVEN
    assert "reads `s[0]`, line 5 writes it in another call; no barrier between" in found.message


def test_a_barrier_between_the_uses_is_enough() -> None:
    check_fixture(_BLOCK_SUM.replace("MARK", "").replace("LAST", "__syncthreads();"), _DEFAULTS)


def test_a_loop_whose_rounds_are_counted_by_the_thread_index() -> None:
    (found,) = check_fixture(
        """
__global__ void uneven(float *x) {
  int t = threadIdx.x;
  for (int i = 0; i < t; i++) __syncthreads();  //~ barrier-in-varying-loop
  __syncthreads();
}
void host(float *x) { uneven<<<1, 128>>>(x); }
""",
        RuleSettings(ignore=frozenset({"SYN107", "DIV"})),
    )
    assert (found.tier, found.severity) == (Tier.PROVEN, Severity.ERROR)


def test_a_bounds_check_before_a_reduction() -> None:
    (found,) = check_fixture(
        """
__global__ void total(const float *x, float *y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;  //~ early-exit-before-barrier
  s[t] = x[i];
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
void host(const float *x, float *y, int n) { total<<<8, 256>>>(x, y, n); }
""",
        RuleSettings(select=frozenset({"SYN"})),
    )
    assert (found.tier, found.severity) == (Tier.PROVEN, Severity.ERROR)
    assert found.message.endswith("`s[t + d]` at line 9 may read what they should have written.")


def test_a_bounds_check_that_nobody_minds() -> None:
    (found,) = check_fixture(
        """
__global__ void scaled(const float *x, float *y, const float *factor, int n) {
  __shared__ float f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  //~ early-exit-before-barrier
  if (threadIdx.x == 0) f = *factor;
  __syncthreads();
  y[i] = f * x[i];
}
void host(const float *x, float *y, const float *f, int n) { scaled<<<8, 256>>>(x, y, f, n); }
""",
        RuleSettings(select=frozenset({"SYN"})),
    )
    assert (found.tier, found.severity) == (Tier.PROVEN, Severity.INFORMATION)
