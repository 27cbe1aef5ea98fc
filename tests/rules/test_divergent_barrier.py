"""SYN101."""

from __future__ import annotations

import pytest

from analysis.rules.consequence_text import ALLOWED
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import PATH, check_fixture

ALL_TIERS = RuleSettings(tiers=frozenset(Tier))


def test_the_message_names_the_threads_and_the_origin() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x) {
  int tid = threadIdx.x;
  if (tid < 16) {
    __syncthreads();  //~ divergent-barrier
  }
  x[tid] = 0.0f;
}
void host(float *x) { k<<<4, 256>>>(x); }
""")
    assert (found.code, found.severity, found.tier, found.function) == (
        "SYN101",
        Severity.INFORMATION,
        Tier.PROVEN,
        "k",
    )
    assert found.message == (
        "Threads 0-15 of the block arrive at this barrier, 16-255 do not (blocks of 256 threads): "
        f"at the `if` at line 4, `tid < 16` depends on `threadIdx.x` (line 3).{ALLOWED}"
    )


def test_the_range_is_the_barrier_and_related_places_lead_to_the_thread_index() -> None:
    text = """
__global__ void k() {
  int tid = threadIdx.x;
  if (tid < 16) __syncthreads();  //~ divergent-barrier
}
"""
    (found,) = check_fixture(text)
    assert text[found.start : found.end].startswith("__syncthreads()")
    places = [text[entry.location.start : entry.location.end] for entry in found.related]
    assert places[0] == "if"
    assert places[-1] == "threadIdx.x"
    assert {entry.location.path for entry in found.related} == {PATH}


def test_the_else_arm_counts_as_well() -> None:
    check_fixture("""
__global__ void k(float *x) {
  if (threadIdx.x == 0) {
    x[0] = 1.0f;
  } else {
    __syncthreads();  //~ divergent-barrier
  }
}
""")


def test_a_uniform_guard_is_fine() -> None:
    check_fixture("""
__global__ void k(int n, const int *p) {
  if (n > 3) __syncthreads();
  if (blockIdx.x == 0) __syncthreads();
  if (p[blockIdx.x]) __syncthreads();
  for (int i = 0; i < n; i++) __syncthreads();
}
""")


def test_a_condition_on_data_is_possible_and_shown_only_when_asked() -> None:
    text = """
__global__ void k(const int *p) {
  if (p[threadIdx.x]) __syncthreads();%s
}
"""
    check_fixture(text % "")
    (found,) = check_fixture(text % "  //~ divergent-barrier", ALL_TIERS)
    assert found.tier is Tier.POSSIBLE
    assert found.message == (
        "Some threads of the block may not arrive at this barrier: "
        f"at the `if` at line 3, `p[threadIdx.x]` depends on `threadIdx.x`.{ALLOWED}"
    )


def test_a_condition_that_is_not_understood_is_assumed() -> None:
    text = """
__global__ void k() {
  if (mystery()) __syncthreads();  //~ divergent-barrier
}
"""
    (found,) = check_fixture(text, ALL_TIERS)
    assert found.tier is Tier.ASSUMED
    assert found.message.startswith("It is not known whether all threads of the block arrive at this barrier: ")


def test_a_parameter_of_a_function_without_callers_is_assumed() -> None:
    (found,) = check_fixture(
        """
__device__ void helper(bool flag) {
  if (flag) __syncthreads();  //~ divergent-barrier
}
""",
        ALL_TIERS,
    )
    assert found.tier is Tier.ASSUMED


def test_a_barrier_in_a_function_without_callers_is_no_finding() -> None:
    check_fixture("__device__ void helper() { __syncthreads(); }\n", ALL_TIERS)


def test_a_function_called_twice_reports_its_own_barrier_once() -> None:
    check_fixture("""
__device__ void helper() {
  if (threadIdx.x < 5) __syncthreads();  //~ divergent-barrier
}
__global__ void a() { helper(); }
__global__ void b() { helper(); helper(); }
""")


def test_code_that_is_not_compiled_is_silent() -> None:
    check_fixture("""
#if 0
__global__ void k() {
  if (threadIdx.x < 5) __syncthreads();
}
#endif
""")


def test_a_suppressed_finding_is_silent() -> None:
    check_fixture("""
__global__ void k() {
  if (threadIdx.x < 5) __syncthreads();  // NOLINT(simt-divergent-barrier)
  // NOLINTNEXTLINE(SYN101)
  if (threadIdx.x < 5) __syncthreads();
  if (threadIdx.x < 5) __syncthreads();  // NOLINT(bugprone-x)  //~ divergent-barrier
}
""")


def test_the_other_arms_of_a_short_circuit_and_of_a_switch() -> None:
    check_fixture("""
__global__ void k(int n) {
  if (n > 3 && threadIdx.x < 8) __syncthreads();  //~ divergent-barrier
  switch (threadIdx.x) {
    case 0:
      __syncthreads();  //~ divergent-barrier
      break;
    default:
      break;
  }
}
""")


def test_a_warp_barrier_is_a_matter_of_its_mask() -> None:
    check_fixture(
        """
__global__ void k() {
  if (threadIdx.x < 16) __syncwarp();  //~ mask-names-absent-lane
}
""",
        ALL_TIERS,
    )


def test_every_other_guard_is_a_related_place() -> None:
    text = """
__global__ void k() {
  if (threadIdx.x < 16) {
    if (threadIdx.x % 2) __syncthreads();  //~ divergent-barrier
  }
}
"""
    (found,) = check_fixture(text)
    others = [entry for entry in found.related if entry.message == "This branch keeps threads away, too."]
    assert [entry.location.start for entry in others] == [text.index("if")]


def test_a_condition_is_not_said_to_depend_on_itself() -> None:
    (found,) = check_fixture(
        """
__global__ void k() {
  if (mystery()) __syncthreads();  //~ divergent-barrier
}
""",
        ALL_TIERS,
    )
    assert "at the `if` at line 3, `mystery()` varies between threads." in found.message


def test_what_was_assumed_for_a_witness_is_said() -> None:
    (found,) = check_fixture("""
__global__ void k(const int *p) {
  if (p[blockIdx.x] > 3) {
    if (threadIdx.x < 16) __syncthreads();  //~ divergent-barrier
  }
}
""")
    assert "(blocks of 64 threads, other conditions permitting)" in found.message


def test_a_number_behind_a_pointer_is_as_free_as_an_argument() -> None:
    (found,) = check_fixture("""
__global__ void k(const int *limit, const int *sizes, int *out, int n) {
  bool enough = true;
  if (threadIdx.x == 0) enough = *limit >= n && sizes[2] > 0;
  if (enough) __syncthreads();  //~ divergent-barrier
  out[threadIdx.x] = n;
}
""")
    assert found.tier is Tier.PROVEN
    assert found.message.startswith(
        "Threads 1-63 of the block arrive at this barrier, 0 does not "
        "(blocks of 64 threads, sizes[2] = 0, n = 32, *limit = 0): "
    )


@pytest.mark.parametrize(
    "before",
    [
        "if (threadIdx.x == 0) limit[0] = n;",
        "if (threadIdx.x == 0) atomicMax(limit, n);",
        "mystery(limit);",
        "limit = *other;",
        "**other = n;",
    ],
)
def test_what_the_kernel_may_write_itself_is_not_free(before: str) -> None:
    (found,) = check_fixture(
        f"""
__global__ void k(int *limit, int **other, int *out, int n) {{
  bool enough = true;
  {before}
  if (threadIdx.x == 0) enough = *limit >= n;
  if (enough) __syncthreads();  //~ divergent-barrier
}}
""",
        ALL_TIERS,
    )
    assert found.tier is not Tier.PROVEN


_BARRIER_BELOW_M = """
__global__ void k(int *x, int m) {
  x[threadIdx.x] = 1;
  if (threadIdx.x < m) __syncthreads();  %s
}
void host(int *x, int n) {
  k<<<1, 64>>>(x, 64);
  k<<<2, 64>>>(x, %s);
}
"""


def test_nothing_is_proven_of_a_number_that_no_launch_passes() -> None:
    assert check_fixture(_BARRIER_BELOW_M % ("", "64")) == ()


@pytest.mark.parametrize(("passed", "named"), [("n", 32), ("48", 48)])
def test_where_launches_pass_other_numbers_each_is_tried(passed: str, named: int) -> None:
    (found,) = check_fixture(_BARRIER_BELOW_M % ("//~ divergent-barrier", passed))
    assert f"m = {named}" in found.message


def test_the_number_that_all_launches_pass_is_the_one_of_the_proof() -> None:
    (found,) = check_fixture((_BARRIER_BELOW_M % ("//~ divergent-barrier", "48")).replace("(x, 64)", "(x, 48)"))
    assert "Threads 0-47 of the block arrive" in found.message
    assert "m = 48" in found.message
