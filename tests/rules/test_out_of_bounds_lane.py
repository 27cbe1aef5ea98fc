"""MEM504."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

MEMORY_ERRORS = RuleSettings(select=frozenset({"MEM504"}), tiers=frozenset(Tier))

KERNEL = """
__constant__ float table[64];
__global__ void k(float *out, const int *data, int n) {
  __shared__ float s[64];
  __shared__ float grid[8][8];
  int x = threadIdx.x;
  STATEMENT
  __syncthreads();
  out[x] = s[x % 64] + grid[n][n];
}
void host(float *out) { k<<<1, 64>>>(out, nullptr, 3); }
"""


def test_the_message_names_threads_and_elements() -> None:
    text = KERNEL.replace("STATEMENT", "s[x + 1] = 1.0f;  //~ out-of-bounds-lane")
    (found,) = check_fixture(text, MEMORY_ERRORS)
    assert (found.code, found.severity, found.tier) == ("MEM504", Severity.WARNING, Tier.PROVEN)
    assert found.message == (
        "In blocks of 64 x 1 x 1 threads, thread 63 reaches `s[x + 1]` outside of the array: at element 64 of `s`, "
        "which has 64."
    )


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("s[x + 32] = 1.0f;", "threads 32 to 63 reach"),
        ("s[x - 1] = 1.0f;", "4 bytes before the beginning of `s`"),
        ("if (x < 63) s[x + 2] = 1.0f;", "thread 62 reaches"),
        ("if (x >= 60) { if (x % 2 == 0) s[x * 2] = 1.0f; }", "2 threads from 60 to 62 reach"),
        ("if (x > 2) return; s[64 + x] = 1.0f;", "threads 0 to 2 reach"),
        ("grid[x / 8 + 1][x % 8] = 1.0f;", "threads 56 to 63 reach"),
        ("out[x] = table[2 * x];", "at element 126 of `table`, which has 64"),
        ("if (blockDim.x == 64) s[x + 1] = 1.0f;", "thread 63"),
        ("s[64] = 1.0f;", "threads 0 to 63 reach"),
        ("for (int j = 0; j < 4; j++) s[4 * x + j] = 1.0f;", "threads 16 to 63 reach"),
        (
            "for (int j = x; j <= 64; j += blockDim.x) s[j] = 1.0f;",
            "thread 0 reaches `s[j]` outside of the array: at element 64",
        ),
        ("for (int j = x; j < 100; j += blockDim.x) s[j] = 1.0f;", "threads 0 to 35 reach"),
        ("for (int j = x; j >= -1; j--) s[j] = 1.0f;", "threads 0 to 63 reach"),
        ("int j = 0; do { s[x + j] = 1.0f; } while (++j < 2);", "thread 63 reaches"),
        ("if (x > 60) for (int j = 0; j < 3; j++) s[x + j] = 1.0f;", "threads 62 to 63 reach"),
        ("for (int j = 0; j < 3; j++) if (x > 60) s[x + j] = 1.0f;", "threads 62 to 63 reach"),
        ("for (int r = 0; r < 2; r++) for (int j = 0; j < 2; j++) s[x + r + j] = 1.0f;", "threads 62 to 63 reach"),
    ],
)
def test_proofs(statement: str, words: str) -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENT", f"{statement}  //~ out-of-bounds-lane"), MEMORY_ERRORS)
    assert words in found.message


@pytest.mark.parametrize(
    "statement",
    [
        "s[x] = 1.0f;",
        "if (x < 63) s[x + 1] = 1.0f;",
        "if (x > 0) s[x - 1] = 1.0f;",
        "if (x + 1 < blockDim.x) s[x + 1] = 1.0f;",
        "if (blockDim.x > 64) s[x + 1] = 1.0f;",
        "if (x >= 63) return; s[x + 1] = 1.0f;",
        "if (x < n) s[x + 1] = 1.0f;",
        "if (n > 3) s[x + 1] = 1.0f;",
        "if (data[0]) s[x + 1] = 1.0f;",
        "if (x < 3 || n) s[x + 61] = 1.0f;",
        "for (int j = 0; j < n; j++) s[x + j] = 1.0f;",
        "for (int j = 0; j < 2; j++) if (j == 0) s[x + j] = 1.0f;",
        "for (int j = 0; j < 2; j++) { if (data[j]) break; s[x + j] = 1.0f; }",
        "for (int j = 0; j < 2; j++) { if (n > j) continue; s[x + j] = 1.0f; }",
        "for (int j = 0; j < 0; j++) s[x + 64 + j] = 1.0f;",
        "for (int j = x; j < 64; j += blockDim.x) s[j] = 1.0f;",
        "for (int j = x; j < 63; j++) s[j + 1] = 1.0f;",
        "for (int j = 0; j < 4; j++) for (int r = 0; r < j; r++) s[x + r] = 1.0f;",
        "for (int j = 32; j > 0; j /= 2) s[x + j - 1] = 1.0f;",
        "for (int j = 0; j < 64 - x; j++) s[x + j] = 1.0f;",
        "for (int j = x; j < 200; j += n) s[j] = 1.0f;",
        "while (n) s[x + 1] = 1.0f;",
        "s[x + n] = 1.0f;",
        "s[data[x]] = 1.0f;",
        "assert(x < 63); s[x + 1] = 1.0f;",
        "if (x >= 63) __trap(); s[x + 1] = 1.0f;",
        'if (x >= 63) asm("exit;"); s[x + 1] = 1.0f;',
        "stop(x >= 63); s[x + 1] = 1.0f;",
        "out[x + 100] = 1.0f;",
        "float *end = s + 64; if (end - x > s) s[x] = 1.0f;",
        "s[(x + 1) % 64] = 1.0f;",
        "s[x ^ 1] = 1.0f;",
    ],
)
def test_no_proof(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement), MEMORY_ERRORS)


def test_every_shape_of_the_launches_is_tried_and_an_unknown_one_proves_nothing() -> None:
    text = KERNEL.replace("STATEMENT", "s[x] = 1.0f;")
    check_fixture(text, MEMORY_ERRORS)
    wrong = KERNEL.replace("STATEMENT", "s[x] = 1.0f;  //~ out-of-bounds-lane")
    check_fixture(wrong.replace("k<<<1, 64>>>", "k<<<1, 64>>>(out, nullptr, 3); k<<<1, 65>>>"), MEMORY_ERRORS)
    check_fixture(text.replace("k<<<1, 64>>>", "k<<<1, n>>>").replace("host(", "host(int n, "), MEMORY_ERRORS)


TEMPLATE = """
template <typename T, int N> __global__ void k(T *p) {
  __shared__ T s[N];
  s[threadIdx.x] = p[threadIdx.x];MARK
  __syncthreads();
  p[threadIdx.x] = s[0];
}
void host(float *a, int *b, int n) { LAUNCHES }
"""


@pytest.mark.parametrize(
    ("launches", "is_proven"),
    [
        ("k<float, 256><<<1, 256>>>(a); k<int, 128><<<1, 128>>>(b);", False),
        ("if (n) k<float, 256><<<1, 256>>>(a); else k<float, 128><<<1, 128>>>(a);", False),
        ("k<float, 256><<<1, 128>>>(a); k<int, 128><<<1, 256>>>(b);", True),
        ("const int N = 128; k<float, N><<<1, 256>>>(a); { const int N = 256; k<float, N><<<1, N>>>(a); }", False),
        ("k<float, 128><<<1, 64>>>(a); k<float, 128><<<1, 129>>>(a);", True),
        ("auto f = k<float, 128>; cudaLaunchKernel(k<float, 256>, 1, 256, 0); k<float, 128><<<1, 128>>>(a);", False),
    ],
)
def test_an_instance_is_launched_as_it_is_and_not_as_others_are(launches: str, is_proven: bool) -> None:
    mark = "  //~ out-of-bounds-lane" if is_proven else ""
    check_fixture(TEMPLATE.replace("LAUNCHES", launches).replace("MARK", mark), MEMORY_ERRORS)
