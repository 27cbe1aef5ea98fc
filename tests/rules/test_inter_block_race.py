"""RAC303."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

RACES = RuleSettings(select=frozenset({"RAC303"}), tiers=frozenset(Tier))
MARK = "  //~ inter-block-race"

KERNEL = """
__device__ int table[4096];
__device__ int done;
__global__ void k(float *a, const float *in, float *b, const int *order, int n, int width, int offset) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  STATEMENTS
}
"""
SEVERAL = "void host(float *a, int *o, int n, int w) { k<<<n / 128, 128>>>(a, a, a, o, n, w, w); }\n"
UNKNOWN = ""

FIRING = {
    "a neighbour in place": f"if (i < n - 1) a[i] = (a[i] + a[i + 1]) / 2;{MARK}",
    "a neighbour that was read before": f"float v = a[i + 1];\n  if (i < n) a[i] = v;{MARK}",
    "blocks that forget who they are": f"a[t] = in[i];{MARK}",
    "one thread of each block": f"if (t == 0) a[0] = in[i];{MARK}",
    "blocks that overlap": f"a[blockIdx.x * (blockDim.x - 2) + t] = in[i];{MARK}",
    "a row above in place": f"a[(i + 1) * width] = a[i * width] + 1.0f;{MARK}",
    "a counter that every block sets to zero": f"if (t == 0) a[0] = 0.0f;\n  atomicAdd(&a[0], in[i]);{MARK}",
    "a variable of the program": f"if (i < 4000) table[i] = table[i + 2] * i;{MARK}",
    "what one thread of each block counts": f"if (t == 0) done += 1;{MARK}",
    "an atomic that is one for its block alone": f"atomicAdd_block(&table[t], 1);{MARK}",
    "atomics of two scopes": f"if (t == 0) atomicMax_block(&done, n);{MARK}\n  atomicAdd(&done, 1);",
    "a barrier orders no blocks": f"float v = a[i + 1];\n  __syncthreads();\n  a[i] = v;{MARK}",
}

SILENT = {
    "its own element": "a[i] = a[i] * 2;",
    "its own element, written twice as": "a[blockIdx.x * blockDim.x + threadIdx.x] = a[i] + 1;",
    "another array": "b[i] = a[i + 1] + a[i];",
    "its own row": "for (int c = 0; c < 4; c++) a[4 * i + c] = a[4 * i + 3 - c];",
    "even elements from odd ones": "if (2 * i + 2 < n) a[2 * i] = a[2 * i + 1] + a[2 * i + 3];",
    "the other half": "if (i < n / 2) a[i] += a[i + n / 2];",
    "another half, that an argument says": "if (i < n) a[i] += a[i + offset];",
    "two places, that arguments say": "a[i + offset] = a[i + width];",
    "a part of each block": "a[blockIdx.x * width + t] = a[blockIdx.x * width + t + 1];",
    "inside of one block": "if (t + 1 < blockDim.x) { float v = a[i + 1]; __syncthreads(); a[i] = v; }",
    "one block": "if (blockIdx.x == 0) a[t] = in[i];",
    "one thread of the grid": "if (i == 0) a[0] = in[0];",
    "the same value": "a[0] = 1.0f;",
    "the same value of an argument": "a[t] = in[t];",
    "a flag": "if (done) return;\n  done = 1;",
    "atomics": "atomicAdd(&a[t], in[i]);",
    "an atomic for the block on what the block has": "atomicAdd_block(&table[blockIdx.x], 1);",
    "a look at what atomics change": "if (in[i] > a[0]) atomicAdd_block(&a[blockIdx.x + 1], in[i]);",
    "an index that data decides": "a[order[i]] = in[i];",
    "a guard that data decides": "if (order[i]) a[t] = in[i];",
    "blocks that wait for each other": "a[i] = in[i];\n  cooperative_groups::this_grid().sync();\n  b[i] = a[i + 1];",
    "the last block": """a[i] = in[i];
  __threadfence();
  if (t == 0 && atomicAdd(&done, 1) == gridDim.x - 1) for (int j = 0; j < n; j++) b[0] += a[j];""",
    "a ticket": "if (t == 0) b[atomicAdd(&done, 1)] = in[i];\n  a[i] = a[i + 1];",
    "decoupled look-back": """volatile int *flag = (volatile int *)table;
  a[i] = in[i];
  while (!flag[blockIdx.x]) {}
  b[i] = a[i + 1];""",
    "what is not understood may order": 'asm volatile("frobnicate;");\n  a[i] = a[i + 1];',
}


@pytest.mark.parametrize("launch", [SEVERAL, UNKNOWN], ids=["launched", "not launched"])
@pytest.mark.parametrize("statements", FIRING.values(), ids=FIRING)
def test_blocks_that_race(statements: str, launch: str) -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENTS", statements) + launch, RACES)
    assert (found.code, found.severity, found.tier) == ("RAC303", Severity.WARNING, Tier.PROVEN)


@pytest.mark.parametrize("launch", [SEVERAL, UNKNOWN], ids=["launched", "not launched"])
@pytest.mark.parametrize("statements", SILENT.values(), ids=SILENT)
def test_blocks_that_do_not_or_may_be_ordered(statements: str, launch: str) -> None:
    check_fixture(KERNEL.replace("STATEMENTS", statements) + launch, RACES)


def test_the_message_names_a_thread_of_each_block() -> None:
    text = KERNEL.replace("STATEMENTS", f"if (i < n - 1) a[i] = (a[i] + a[i + 1]) / 2;{MARK}") + SEVERAL
    (found,) = check_fixture(text, RACES)
    words = "Thread 127 of block 0 and thread 0 of block 1: at line 6 one reads and the other writes `a[128]`"
    assert found.message.startswith(words)
    assert "nothing orders two blocks (blocks of 128 threads" in found.message
    assert [place.message for place in found.related] == ["thread 127 reads it here"]


def test_a_grid_of_one_block_is_silent() -> None:
    statements = "a[t] = in[i];"
    for launch, mark in (("<<<1, 128>>>", ""), ("<<<2, 128>>>", MARK), ("<<<dim3(1, 4), 128>>>", "")):
        host = f"void host(float *a, int *o) {{ k{launch}(a, a, a, o, 9, 9, 9); }}\n"
        check_fixture(KERNEL.replace("STATEMENTS", statements + mark) + host, RACES)


def test_a_kernel_that_never_asks_for_its_block_is_made_for_one() -> None:
    text = "__global__ void k(float *a, const float *in) { a[threadIdx.x] = a[63 - threadIdx.x]; }\n"
    check_fixture(text, RACES)
    marked = text.replace(" }\n", f" }}{MARK}\n")
    check_fixture(marked + "void host(float *a) { k<<<4, 64>>>(a, a); }\n", RACES)


def test_a_block_that_is_not_known_must_not_decide() -> None:
    """Blocks of 64 threads do not overlap; only a launch says that there are more."""
    text = KERNEL.replace("STATEMENTS", f"a[blockIdx.x * 64 + t] = in[i];{MARK}")
    check_fixture(text.replace(MARK, ""), RACES)
    check_fixture(text + SEVERAL, RACES)
