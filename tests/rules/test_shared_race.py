"""RAC301."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

RACES = RuleSettings(select=frozenset({"RAC301"}))
ALL_TIERS = RuleSettings(select=frozenset({"RAC301"}), tiers=frozenset(Tier))

KERNEL = """
__global__ void k(float *out, const float *in, const int *order, int n, int stride) {
  __shared__ float s[256];
  __shared__ float tile[16][17];
  __shared__ int count;
  int t = threadIdx.x;
  float v = in[t];
  STATEMENTS
  out[t] = v;
}
void host(float *a) { k<<<1, 128>>>(a, a, nullptr, 100, 2); }
"""

MARK = "  //~ shared-race"

FIRING = {
    "nothing between the write and the read": f"s[t] = v;\nv = s[127 - t];{MARK}",
    "the barrier stands in front of the write": f"__syncthreads();\ns[t] = v;\nv += s[t ^ 32];{MARK}",
    "a neighbour's element is read and then written": f"s[t] = v;\n__syncthreads();\nv = s[t + 1];\ns[t] = v;{MARK}",
    "a halo is read before it is complete": f"""
  s[t + 1] = v;
  if (t == 0) s[0] = 0.0f;
  v = s[t] + s[t + 2];{MARK}""",
    "a reduction whose loop has no barrier": f"""
  s[t] = v;
  __syncthreads();
  for (int k = 64; k > 0; k >>= 1)
    if (t < k) s[t] += s[t + k];{MARK}
  __syncthreads();""",
    "a reduction that is read before its last round is over": f"""
  s[t] = v;
  for (int k = 64; k > 0; k >>= 1) {{
    __syncthreads();
    if (t < k) s[t] += s[t + k];
  }}
  v = s[0];{MARK}""",
    "a tile that is filled again without a barrier": f"""
  for (int m = 0; m < n; m++) {{
    s[t] = in[m * 128 + t];{MARK}
    __syncthreads();
    for (int j = 0; j < 8; j++) v += s[(t + j) % 128];
  }}""",
    "a tile that is read in many rounds before it is filled again": f"""
  for (int m = 0; m < n; m++) {{
    s[t] = in[m * 128 + t];{MARK}
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) v += s[j];
  }}""",
    "the last of many rounds reads what is filled again": f"""
  for (int m = 0; m < 2; m++) {{
    if (t == 100) s[199] = v;{MARK}
    __syncthreads();
    for (int j = 0, at = t + 1; j < 100; j++, at += 2) v += at == 199 ? s[at] : 0;
    if (t < 99) __syncwarp();
  }}""",
    "a tile that is read downwards in many rounds": f"""
  for (int m = 0; m < n; m++) {{
    s[t] = in[m * 128 + t];{MARK}
    __syncthreads();
    for (int j = 127; j >= 0; j -= 1) v += s[j];
  }}""",
    "a tile that is read while it is filled": f"""
  for (int m = 0; m < n; m++) {{
    s[t] = in[m * 128 + t];
    for (int j = 0; j < 8; j++) v += s[(t + j) % 128];{MARK}
    __syncthreads();
  }}""",
    "a chain within one warp without syncwarp": f"""
  s[t] = v;
  __syncthreads();
  if (t < 16) {{
    s[t] += s[t + 16];
    s[t] += s[t + 8];{MARK}
  }}""",
    "a chain within one warp that reads what the same statement writes": f"""
  s[t] = v;
  __syncthreads();
  if (t < 32) s[t] += s[t + 16];{MARK}""",
    "one thread overwrites what all read": f"""
  if (t == 0) s[0] = v;
  __syncthreads();
  v += s[0];
  if (t == 0) s[0] = 0.0f;{MARK}""",
    "two threads write one element": f"s[t / 2] = v;{MARK}",
    "shifts by bits, masks and remainders": f"s[(t & 31) << 2 | t >> 5] = v;\nv = s[t * 3 % 128];{MARK}",
    "an atomic and a plain read": f"""
  if (t == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  v = count;{MARK}""",
    "syncwarp orders one warp only": f"s[t] = v;\n__syncwarp();\nv = s[t ^ 32];{MARK}",
    "rounds of a strided loop": f"for (int i = t; i < 256; i += 128) s[i] = v;\nv = s[255 - t];{MARK}",
    "what data skips does not hide the rest": f"s[t] = v;\nif (v > 0.0f) v = 1.0f;\nv += s[127 - t];{MARK}",
    "a barrier in one of two buffers": f"""
  for (int m = 0; m < 8; m++) {{
    s[(m & 1) * 128 + t] = v;
    v += s[(m & 1) * 128 + (t ^ 64)];{MARK}
    __syncthreads();
  }}""",
}

SILENT = {
    "a tile that is read in many rounds, with a barrier before it is filled again": """
  for (int m = 0; m < n; m++) {
    s[t] = in[m * 128 + t];
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) v += s[j];
    __syncthreads();
  }""",
    "nobody gets behind a loop that every thread leaves the kernel from": """
  for (int j = 0; j < 100; j++) {
    v += s[j];
    if (j == 50) return;
  }
  s[t] = v;
  v = s[t ^ 1];""",
    "a barrier": "s[t] = v;\n__syncthreads();\nv = s[127 - t];",
    "own elements": "s[t] = v;\ns[t] *= 2.0f;\nv = s[t];",
    "a reduction": """
  s[t] = v;
  __syncthreads();
  for (int k = 64; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  v = s[0];""",
    "a tile": """
  for (int m = 0; m < n; m++) {
    s[t] = in[m * 128 + t];
    __syncthreads();
    for (int j = 0; j < 8; j++) v += s[(t + j) % 128];
    __syncthreads();
  }""",
    "two buffers need one barrier": """
  for (int m = 0; m < 8; m++) {
    s[(m & 1) * 128 + t] = v;
    __syncthreads();
    v += s[(m & 1) * 128 + (127 - t)];
  }""",
    "syncwarp": "s[t] = v;\n__syncwarp();\nv = s[t ^ 1];",
    "shuffles are taken to order a warp": "s[t] = v;\nv = __shfl_down_sync(0xffffffff, v, 1);\nv += s[t ^ 1];",
    "a volatile reduction in a warp is for another rule": """
  volatile float *w = s;
  s[t] = v;
  __syncthreads();
  if (t < 32) { w[t] += w[t + 32]; w[t] += w[t + 16]; }""",
    "atomics among themselves": "atomicAdd(&count, 1);\natomicMax(&count, t);",
    "one thread": "if (t == 3) s[0] = v;\nif (t == 3) v = s[0];",
    "other halves": "if (t < 64) s[t] = v; else v = s[t + 64];",
    "the same value": "s[0] = 1.0f;\ncount = 7;",
    "the same element of an argument": "s[t / 2] = in[t / 2];",
    "a strided loop": "for (int i = t; i < 256; i += 128) s[i] = v;",
    "an index that an argument decides": "s[t * stride % 256] = v;",
    "a guard that an argument decides": "if (n == 5) s[0] = v;",
    "a lock": """
  while (atomicCAS(&count, 0, 1) != 0) { }
  s[0] += v;
  __threadfence_block();
  atomicExch(&count, 0);""",
    "the guess of a compare and swap": """
  int old = count, expected;
  do { expected = old; old = atomicCAS(&count, expected, expected + t); } while (old != expected);""",
    "a function that is not known": "s[t] = v;\nmystery();\nv = s[127 - t];",
    "barriers of some threads": 's[t] = v;\nasm volatile("bar.sync 1, 64;");\nv = s[127 - t];',
    "a kernel that asks for other blocks": "assert(blockDim.x == 64);\ns[t % 64] = v;",
    "threads that have left": "if (t > 0) return;\ns[0] = v;\nv = s[0];",
}


def kernel(statements: str) -> str:
    return KERNEL.replace("STATEMENTS", statements)


@pytest.mark.parametrize("statements", FIRING.values(), ids=FIRING)
def test_races_are_proven(statements: str) -> None:
    (found,) = check_fixture(kernel(statements), RACES)
    assert (found.code, found.severity, found.tier) == ("RAC301", Severity.WARNING, Tier.PROVEN)


OPEN = {
    "an index that data decides": f"s[order[t]] = v;{MARK}",
    "a guard that data decides": f"if (order[0] == 3) s[0] = v;\nif (order[0] != 3) v = s[0];{MARK}",
    "a loop that data decides for each thread": f"""
  for (int i = 0; i < order[t]; i++) {{
    s[t] = v;
    v += s[127 - t];{MARK}
  }}""",
}

GOES_ON = {
    "a tile is filled again": f"""
  for (int i = 0; i < order[0]; i++) {{
    s[t] = v;{MARK}
    __syncthreads();
    v += s[127 - t];
  }}""",
    "the condition is read before all have left": f"""
  count = 0;
  __syncthreads();
  while (count < 9) {{{MARK}
    __syncthreads();
    if (t == 0) count = order[1];
  }}""",
    "the condition is reset before all have read it": f"""
  do {{
    if (t == 0) count = 0;{MARK}
    __syncthreads();
    if (in[t] > v) atomicAdd(&count, 1);
    __syncthreads();
    v += 1;
  }} while (count);""",
    "the next piece of work is fetched before all have the last": f"""
  for (;;) {{
    if (t == 0) count = order[2];{MARK}
    __syncthreads();
    if (count >= n) break;
    v += in[count + t];
  }}""",
    "the kernel does not end at once": f"""
  if (order[0] == 0) return;
  s[t] = v;
  v = s[127 - t];{MARK}""",
    "what memory lets the whole block do": f"""
  if (order[blockIdx.x]) {{
    s[t] = v;
    out[t + 1000] = s[127 - t];{MARK}
  }}
  if (t == 0) return;""",
    "a block whose list is empty ends at once": f"""
  int many = order[blockIdx.x];
  if (many == 0 || order[0] < 0) return;
  s[t] = v;
  __syncthreads();
  for (int i = t; i < many; i += 128) v += in[i];
  v += s[t ^ 32];
  s[t] = v;{MARK}""",
    "an outer loop is entered, and an inner one goes round": f"""
  for (int i = 0; i < order[0]; i++) {{
    __syncthreads();
    for (int j = 0; j < order[1]; j++) {{
      s[t] = v;{MARK}
      __syncthreads();
      v += s[127 - t];
    }}
  }}""",
}
"""What two threads do where memory lets the whole block go on."""

DOES_NOT_MEET = {
    "the tile": """
  for (int i = 0; i < order[0]; i++) {
    s[t] = v;
    __syncthreads();
    v += s[127 - t];
    __syncthreads();
  }""",
    "the condition": """
  count = 0;
  __syncthreads();
  while (count < 9) {
    __syncthreads();
    if (t == 0) count = order[1];
    __syncthreads();
  }""",
    "the reset condition": """
  do {
    __syncthreads();
    if (t == 0) count = 0;
    __syncthreads();
    if (in[t] > v) atomicAdd(&count, 1);
    __syncthreads();
    v += 1;
  } while (count);""",
    "the next piece of work": """
  for (;;) {
    __syncthreads();
    if (t == 0) count = order[2];
    __syncthreads();
    if (count >= n) break;
    v += in[count + t];
  }""",
    "ways of one branch that goes on either way": """
  if (order[0] > n) {
    s[t] = v;
    __syncthreads();
  } else {
    __syncthreads();
    v = s[127 - t];
  }""",
    "what some threads alone do not leave": """
  if (order[t] == 0) return;
  s[t] = v;
  __syncthreads();
  v = s[127 - t];""",
    "what is read in the last round alone": """
  while (order[0] > n) {
    s[t] = v;
    __syncthreads();
    if (order[1] > n) { v = s[127 - t]; break; }
    v += s[t];
    n++;
  }""",
}


@pytest.mark.parametrize("statements", OPEN.values(), ids=OPEN)
def test_what_data_decides_is_shown_by_setting_alone(statements: str) -> None:
    (found,) = check_fixture(kernel(statements), ALL_TIERS)
    assert found.tier is Tier.ASSUMED
    assert "; data decides whether two threads meet" in found.message
    proven_or_possible = RuleSettings(select=frozenset({"RAC301"}), tiers=frozenset({Tier.PROVEN, Tier.POSSIBLE}))
    check_fixture(kernel(statements.replace(MARK, "")), proven_or_possible)


def test_rounds_that_stand_for_more_are_not_named() -> None:
    """The launch passes 100; a few are followed."""
    (found,) = check_fixture(kernel(FIRING["a tile that is filled again without a barrier"]), RACES)
    assert found.message.endswith("(blocks of 128 threads).")


@pytest.mark.parametrize("statements", GOES_ON.values(), ids=GOES_ON)
def test_what_happens_if_a_block_goes_on_is_proven_and_says_so(statements: str) -> None:
    (found,) = check_fixture(kernel(statements), RACES)
    assert found.tier is Tier.PROVEN
    assert "; if the block goes on at line" in found.message


@pytest.mark.parametrize("statements", DOES_NOT_MEET.values(), ids=DOES_NOT_MEET)
def test_loops_that_go_on_in_order_are_silent(statements: str) -> None:
    check_fixture(kernel(statements), RACES)


@pytest.mark.parametrize("statements", SILENT.values(), ids=SILENT)
def test_what_is_ordered_or_not_decided_is_silent(statements: str) -> None:
    check_fixture(kernel(statements), ALL_TIERS)


def test_rows_and_columns() -> None:
    text = kernel(f"""int x = t % 16, y = t / 16;
  tile[y][x] = v;
  v = tile[x % 8][y];{MARK}""")
    (found,) = check_fixture(text, RACES)
    assert "`tile[" in found.message
    check_fixture(kernel("tile[t / 16][t % 16] = v;\n__syncthreads();\nv = tile[t % 8][t / 16];"), RACES)


UNKNOWN_BLOCK = """
__global__ void k(float *out, const float *in) {
  __shared__ float s[16][17];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  BARRIER
  out[threadIdx.x] = s[threadIdx.x][threadIdx.y];MARK
}
"""


def test_blocks_of_unknown_shape_are_those_that_the_arrays_are_made_for() -> None:
    (found,) = check_fixture(UNKNOWN_BLOCK.replace("BARRIER", "").replace("MARK", MARK), RACES)
    assert "blocks of 16 x 16 threads" in found.message
    check_fixture(UNKNOWN_BLOCK.replace("BARRIER", "__syncthreads();").replace("MARK", ""), RACES)


def test_the_message_names_threads_lines_and_the_interval() -> None:
    text = kernel(f"s[t] = v;\nv = s[127 - t];{MARK}")
    (found,) = check_fixture(text, RACES)
    assert found.message == (
        "Threads 0 and 127: line 8 writes `s[0]`, line 9 reads it; no barrier between (blocks of 128 threads)."
    )
    (related,) = found.related
    assert related.message == "thread 0 writes it here"


def test_a_later_round_and_another_call_are_named() -> None:
    (found,) = check_fixture(kernel(FIRING["a tile that is filled again without a barrier"]), RACES)
    assert "in a later round; no barrier between" in found.message
    (found,) = check_fixture(REUSED, RACES)
    assert "in another call" in found.message


def test_what_comes_behind_a_loop_is_no_later_round_of_it() -> None:
    (found,) = check_fixture(kernel(f"for (int j = 0; j < 4; j++) if (t == 0) s[j] = v;\nv = s[t & 3];{MARK}"), RACES)
    assert "writes `s[" in found.message
    assert "reads it; no barrier between" in found.message


def test_a_loop_around_a_loop_has_rounds_of_its_own() -> None:
    (found,) = check_fixture(
        kernel(f"""
  for (int m = 0; m < 3; m++) {{
    if (t == 0) s[m] = v;{MARK}
    __syncthreads();
    for (int j = 0; j <= m; j++) v += t == 40 ? s[m + 1] : 0;
  }}"""),
        RACES,
    )
    assert "in a later round; no barrier between" in found.message


REUSED = """
__device__ float block_sum(float *s, float v) {
  s[threadIdx.x] = v;  //~ shared-race
  __syncthreads();
  for (int k = 16; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  return s[0];
}
__global__ void reused(float *out, const float *in) {
  __shared__ float s[32];
  float a = block_sum(s, in[threadIdx.x]);
  float b = block_sum(s, in[threadIdx.x + blockDim.x]);
  out[threadIdx.x] = a + b;
}
void host(float *a) { reused<<<1, 32>>>(a, a); }
"""


def test_a_race_in_a_header_is_shown_at_the_call() -> None:
    text = '#include "sum.h"\n' + REUSED[REUSED.index("__global__") :].replace(
        "block_sum(s, in[threadIdx.x + blockDim.x]);", "block_sum(s, in[threadIdx.x + blockDim.x]);  //~ shared-race"
    )
    header = REUSED[: REUSED.index("__global__")].replace("//~ shared-race", "")
    check_fixture(text, RACES, files={"sum.h": header.encode()})


def test_behind_a_barrier_that_threads_miss_the_barrier_is_the_finding() -> None:
    statements = "s[t] = v;\nif (t < 64) __syncthreads();\nv = s[127 - t];"
    check_fixture(kernel(statements), RACES)
    (found,) = check_fixture(kernel(statements + MARK), ALL_TIERS)
    assert found.tier is Tier.POSSIBLE


def test_device_functions_alone_are_not_looked_at() -> None:
    check_fixture(REUSED[: REUSED.index("__global__")].replace("//~ shared-race", ""), ALL_TIERS)


@pytest.mark.parametrize(
    ("elements", "linear", "shape"),
    [
        (40, "threadIdx.x", "32"),
        (20, "threadIdx.x", "16"),
        (72, "threadIdx.y * 16 + threadIdx.x", "16 x 4"),
        (40, "threadIdx.y * 16 + threadIdx.x", "16 x 2"),
    ],
)
def test_a_kernel_that_is_made_for_small_blocks(elements: int, linear: str, shape: str) -> None:
    text = f"""
__global__ void k(float *out) {{
  __shared__ float s[{elements}];
  int t = {linear};
  s[t] = out[t];BARRIER
  out[t] = s[t ^ 1];MARK
}}
"""
    check_fixture(text.replace("BARRIER", "").replace("MARK", ""), RACES)
    (found,) = check_fixture(text.replace("BARRIER", "").replace("MARK", MARK), ALL_TIERS)
    assert found.tier is Tier.POSSIBLE
    assert f"(blocks of {shape} threads)" in found.message
    check_fixture(text.replace("BARRIER", "__syncthreads();").replace("MARK", ""), ALL_TIERS)
