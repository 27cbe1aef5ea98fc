"""RAC305."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

RACES = RuleSettings(select=frozenset({"RAC303", "RAC305"}), tiers=frozenset(Tier))
MARK = "  //~ global-race"

KERNEL = """
__device__ int table[4096];
__device__ int done;
__global__ void k(float *a, const float *in, float *b, const int *order, int n, int width) {
  int t = threadIdx.x;
  STATEMENTS
}
void host(float *a, int *o, int n, int w) { k<<<1, 128>>>(a, a, a, o, n, w); }
"""

FIRING = {
    "a neighbour in place": f"a[t] = a[t + 1];{MARK}",
    "a neighbour that was read before": f"float v = a[t + 1];\n  a[t] = v;{MARK}",
    "everybody's sum in one place": f"a[0] = in[t];{MARK}",
    "a reduction without barriers": f"for (int d = 64; d > 0; d /= 2)\n    if (t < d) a[t] += a[t + d];{MARK}",
    "places that overlap": f"a[2 * t] = in[t];\n  a[2 * t + 2] = in[t];{MARK}",
    "a variable of the program": f"table[t] = table[127 - t];{MARK}",
    "rounds without a barrier between": f"""
  for (int i = 0; i < 4; i++) {{
    float v = a[t ^ 1];{MARK}
    __syncthreads();
    a[t] = v;
  }}""",
    "a row of this block": f"a[blockIdx.x * width + t] = a[blockIdx.x * width + t + 1];{MARK}",
    "what everybody counts": f"done++;{MARK}",
    "what everybody adds to": f"a[0] = 2.0f * a[0] + width;{MARK}",
    "a sum in a loop": f"for (int i = 0; i < 4; i++) a[7] += in[i];{MARK}",
    "a block that memory lets go on": f"if (order[0] == 0) return;\n  a[t] = a[t + 1];{MARK}",
}

SILENT = {
    "its own element": "a[t] = a[t] * 2;",
    "another array": "b[t] = a[t + 1] + a[t];",
    "a barrier between": "float v = a[t + 1];\n  __syncthreads();\n  a[t] = v;",
    "a reduction": "for (int d = 64; d > 0; d /= 2) {\n    if (t < d) a[t] += a[t + d];\n    __syncthreads();\n  }",
    "its own row": "for (int c = 0; c < 4; c++) a[4 * t + c] = a[4 * t + 3 - c];",
    "even elements from odd ones": "a[2 * t] = a[2 * t + 1] + a[2 * t + 3];",
    "another half, that an argument says": "a[t] += a[t + width];",
    "one thread": "if (t == 0) { a[0] = in[0]; a[1] = a[0]; }",
    "the same value": "a[0] = 1.0f;",
    "a flag": "if (done) return;\n  done = 1;",
    "a bit that is set": "done |= 4;",
    "a flag that counts nothing": "done = done == 0 ? 1 : done;",
    "atomics": "atomicAdd(&a[t & 7], in[t]);",
    "an index that data decides": "a[order[t]] = in[t];",
    "threads that wait for each other": """volatile int *flag = (volatile int *)table;
  if (t == 0) { a[0] = in[0]; __threadfence(); flag[0] = 1; }
  else { while (!flag[0]) {} b[t] = a[0]; }""",
    "a ticket": "b[atomicAdd(&done, 1)] = in[t];\n  a[t] = a[t + 1];",
    "what is not understood may order": 'asm volatile("frobnicate;");\n  a[t] = a[t + 1];',
}


@pytest.mark.parametrize("statements", FIRING.values(), ids=FIRING)
def test_threads_that_race(statements: str) -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENTS", statements), RACES)
    assert (found.code, found.severity, found.tier) == ("RAC305", Severity.WARNING, Tier.PROVEN)


@pytest.mark.parametrize("statements", SILENT.values(), ids=SILENT)
def test_threads_that_do_not_or_may_be_ordered(statements: str) -> None:
    check_fixture(KERNEL.replace("STATEMENTS", statements), RACES)


def test_the_message_names_two_threads() -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENTS", f"float v = a[t + 1];\n  a[t] = v;{MARK}"), RACES)
    words = "Threads 31 and 32: line 6 reads `a[32]`, line 7 writes it; no barrier between (blocks of 128 threads)."
    assert found.message == words
    assert [place.message for place in found.related] == ["thread 31 reads it here"]


def test_what_blocks_do_as_well_is_told_once() -> None:
    text = """
__global__ void k(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) a[i] = a[i + 1];  //~ inter-block-race
}
void host(float *a, int n) { k<<<n / 128, 128>>>(a, n); }
"""
    check_fixture(text, RACES)


@pytest.mark.parametrize(
    ("passed", "mark"),
    [("4", "  //~ global-race"), ("128", ""), ("n", ""), ("4); k<<<1, 128>>>(a, 8", "")],
    ids=["near", "behind the block", "not known", "two launches"],
)
def test_a_distance_is_what_every_launch_passes(passed: str, mark: str) -> None:
    text = f"""
__global__ void k(float *a, int distance) {{
  a[threadIdx.x] = a[threadIdx.x + distance];{mark}
}}
void host(float *a, int n) {{ k<<<1, 128>>>(a, {passed}); }}
"""
    check_fixture(text, RACES)


IMAGE = """
struct Image {
  float *data;
  int width, height;
  __device__ float &at(int x, int y) { return data[y * width + x]; }
};
"""


def test_members_of_arguments_are_objects_like_arguments() -> None:
    text = f"""{IMAGE}
__global__ void k(Image in, Image out) {{
  int t = threadIdx.x;
  out.at(t, 0) = in.at(t + 1, 0);
  in.at(t, 1) = in.at(t + 1, 1);{MARK}
}}
void host(Image in, Image out) {{ k<<<1, 128>>>(in, out); }}
"""
    (found,) = check_fixture(text, RACES)
    assert "at line 11 one reads and the other writes `in.data[" in found.message
    assert ", in.width = " in found.message


@pytest.mark.parametrize(
    ("launch", "mark"), [("", ""), ("void host(int *a) { k<<<1, 64>>>(a, 2); }", MARK)], ids=["unknown", "64 threads"]
)
def test_a_kernel_whose_threads_cannot_be_told_apart_is_made_for_one(launch: str, mark: str) -> None:
    check_fixture(f"__global__ void k(int *sum, int x) {{\n  sum[0] += x;{mark}\n}}\n{launch}\n", RACES)
