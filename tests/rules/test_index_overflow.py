"""ARI603."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import analyze, check_fixture

SETTINGS = RuleSettings(select=frozenset({"ARI603"}))
ALL_TIERS = RuleSettings(select=frozenset({"ARI603"}), tiers=frozenset(Tier))

TWO_AXES = """
// simt: grid=4096,4096 block=16,16 n=65536 m=1000 c=2147483647
__global__ void k(float *a, const int *x, int n, int m, int c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned id = row;
  STATEMENT
}
"""


def test_the_smallest_launch_and_a_cast() -> None:
    text = TWO_AXES.replace("STATEMENT", "if (row < n && col < n) a[row * n + col] = 1.0f;  //~ index-overflow")
    (found,) = check_fixture(text, SETTINGS)
    assert (found.severity, found.tier) == (Severity.WARNING, Tier.PROVEN)
    assert found.message == (
        "`row * n + col` does not fit into 32 bits: launched as `<<<dim3(2897, 2897), dim3(16, 16)>>>` with "
        "`n = 46341`, thread (4, 4) of block (2896, 2896) comes to 2147488280, and `int` "
        "ends at 2147483647. The comment above the kernel says that it is launched so, or larger."
    )
    assert found.fix is not None
    after = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert "a[(size_t)row * n + col] = 1.0f;" in after
    check_fixture(after.replace("//~ index-overflow", ""), SETTINGS)


@pytest.mark.parametrize(
    "statement",
    [
        "if (row >= n || col >= n) return; a[row * n + col] = 1.0f;",
        "for (int k = 0; k < n; k++) a[k * n + col] = 1.0f;",
        "int at = col; for (int k = 0; k < n; k++) { a[at] = 1.0f; at += n; }",
        "a[n * n - 1 - row] = 1.0f;",
        "float *p = a + row * n; *p = 1.0f;",
        "a[(long long)(row * n) + col] = 1.0f;",
        "a[(row * n + col) / 2] = 1.0f;",
        "a[row * 32768 + col] = 1.0f;",
        "atomicAdd(&a[row * n], 1.0f);",
        "int at = (size_t)row * n + col; a[at] = 1.0f;",
        "a[id * (unsigned)n * 2u] = 1.0f;",
        "a[row << 16] = 1.0f;",
        "int at = row; do { a[at] = 1.0f; at += m * m; } while (at < c);",
    ],
)
def test_sizes_that_the_launch_admits(statement: str) -> None:
    check_fixture(TWO_AXES.replace("STATEMENT", statement + "  //~ index-overflow"), SETTINGS)


@pytest.mark.parametrize(
    "statement",
    [
        "if (row < m && col < n) a[row * m + col] = 1.0f;",
        "a[(size_t)row * n + col] = 1.0f;",
        "if (row < 32767) a[row * 65536] = 1.0f;",
        "a[id * 2654435761u % n] = 1.0f;",
        "a[(id * 2654435761u) >> 12] = 1.0f;",
        "a[id * 1664525u + 1013904223u & 1023] = 1.0f;",
        "unsigned at = id - 1u; a[at + 1u] = 1.0f;",
        "a[row * n - row * n + col] = 1.0f;",  # wraps twice, and is right
        "for (int k = 0; k < x[0]; k++) a[k * m] = 1.0f;",
        "if (row < m) for (int k = 0; k < m; k++) a[(row * m + k) * 4] = 1.0f;",
        "if (row < m || col < m) a[0] = 1.0f;",
        "__shared__ float s[64]; s[row * n] = 1.0f; a[row] = s[0];",
        "int many = row * n; if (many == 7) a[0] = 1.0f;",
        "if (row < 1) a[((long long)row + col * n * row) - (size_t)64] = 1.0f;",
    ],
)
def test_what_is_no_overflow(statement: str) -> None:
    check_fixture(TWO_AXES.replace("STATEMENT", statement), SETTINGS)


def test_memory_that_decides_makes_it_possible() -> None:
    text = TWO_AXES.replace("STATEMENT", "if (x[col & 15] > 0) a[row * n] = 1.0f;")
    check_fixture(text, SETTINGS)
    (found,) = check_fixture(text.replace("1.0f;", "1.0f;  //~ index-overflow"), ALL_TIERS)
    assert found.tier is Tier.POSSIBLE


def test_sizes_that_nobody_says_are_none() -> None:
    check_fixture(
        TWO_AXES.replace("// simt:", "//").replace("STATEMENT", "if (row < n && col < n) a[row * n + col] = 1.0f;"),
        SETTINGS,
    )


def test_constants_that_a_place_is_compared_with_are_sizes() -> None:
    (found,) = check_fixture(
        """
__global__ void k(float *a) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < 65536 && col < 65536) a[row * 65536 + col] = 1.0f;  //~ index-overflow
  if (row < 1024 && col < 65536) a[row * 65536 + col] = 1.0f;
}
""",
        SETTINGS,
    )
    assert found.severity is Severity.WARNING
    assert found.message.endswith("The bounds that are compared with let these threads through.")


@pytest.mark.parametrize(
    ("statement", "repaired"),
    [
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1.0f;",
            "long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1.0f;",
        ),
        (
            "const long i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1.0f;",
            "const long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1.0f;",
        ),
        (
            "for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = 1.0f;",
            "for (long long i = threadIdx.x; i < n; i += blockDim.x) a[i] = 1.0f;",
        ),
    ],
)
def test_a_size_of_64_bits_is_a_hint(statement: str, repaired: str) -> None:
    text = f"__global__ void k(float *a, size_t n) {{ {statement} }}  //~ index-overflow"
    (found,) = check_fixture(text, SETTINGS)
    assert (found.severity, found.tier) == (Severity.HINT, Tier.PROVEN)
    assert found.fix is not None
    after = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert repaired in after
    check_fixture(after.replace("//~ index-overflow", ""), SETTINGS)
    check_fixture(text.replace("size_t", "int").replace("//~ index-overflow", ""), SETTINGS)


def test_launches_and_helpers_of_the_file() -> None:
    (found,) = check_fixture(
        """
__device__ int place(int row, int col, int n) {
  return row * n + col;  //~ index-overflow
}
__global__ void k(float *a, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) a[place(row, col, n)] = 1.0f;
}
__global__ void small(float *a, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) a[row * n + col] = 1.0f;
}
void host(float *a) {
  int n = 1 << 16;
  k<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, n);
  small<<<dim3(64, 64), dim3(16, 16)>>>(a, 1024);
}
""",
        SETTINGS,
    )
    assert found.fix is None, "what a function returns has a type, too"
    assert "The kernel is launched as `<<<dim3(4096, 4096), dim3(16, 16)>>>`." in found.message


def test_a_suppression() -> None:
    text = TWO_AXES.replace("STATEMENT", "a[row * n] = 1.0f;  // NOLINT(simt-index-overflow)")
    assert analyze(text).facts.functions
    check_fixture(text, SETTINGS)


def test_an_index_of_a_shared_array_stays_small() -> None:
    text = """
__global__ void k(float *a, const float *b, size_t n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) TARGET[i] = b[i];MARK
}
"""
    check_fixture(text.replace("TARGET", "tile").replace("MARK", ""), SETTINGS)
    check_fixture(text.replace("TARGET", "a").replace("MARK", "  //~ index-overflow"), SETTINGS)


def test_a_comparison_says_nothing_of_the_grid() -> None:
    text = """
__global__ void k(float *a) {
  const int threads = blockDim.x * gridDim.x;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < 96000; i += threads) a[i] = 1.0f;
}
"""
    check_fixture(text, SETTINGS)


OBJECT = """
struct Part { int w; int many[2]; };
struct Size { int n; Part part; int2 v; float *data; };
__global__ void k(float *a, Size s) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  STATEMENT
}
"""


@pytest.mark.parametrize(
    ("statement", "host"),
    [
        ("a[row * s.n + col] = 1.0f;", "Size s; s.n = 65536;"),
        ("a[row * s.part.w + col] = 1.0f;", "Size s = {1, {65536, {1, 1}}, {1, 1}};"),
        ("s.data[row * s.part.many[1]] = 1.0f;", "Size s; s.part.many[1] = 65536;"),
        ("if (row < s.v.y) a[row * s.v.x] = 1.0f;", "Size s; s.v = make_int2(65536, 65536);"),
        ("for (int i = 0; i < s.n; i++) a[row * s.part.w + i] = 1.0f;", "Size s = {.n = 9, .part = {.w = 65536}};"),
        ("Size t = s; a[row * t.n] = 1.0f;", "Size t; t.n = 65536; Size s = t; t.n = 1;"),
        ("a[place(s, row)] = 1.0f;", "Size s; s.n = 65536;"),
    ],
)
def test_members_of_objects_are_sizes(statement: str, host: str) -> None:
    place = "struct Size; __device__ int place(const Size &s, int row);\n"
    after = "__device__ int place(const Size &s, int row) { return row * s.n; }  //~ index-overflow\n"
    text = OBJECT.replace("STATEMENT", statement)
    text = place + text + after if "place(" in statement else text.replace("1.0f;", "1.0f;  //~ index-overflow")
    run = f"void run(float *a) {{ {host} k<<<dim3(4096, 4096), dim3(16, 16)>>>(a, s); }}\n"
    (found,) = check_fixture(text + run, SETTINGS)
    assert found.tier is Tier.PROVEN
    assert "with `s." in found.message
    check_fixture((text + run.replace("65536", "999")).replace("//~ index-overflow", ""), SETTINGS)
    check_fixture((text + run.replace(" k<<<", " change(s); k<<<")).replace("//~ index-overflow", ""), SETTINGS)


def test_a_comment_says_members() -> None:
    text = OBJECT.replace("STATEMENT", "a[row * s.part.w + col] = 1.0f;  //~ index-overflow").replace(
        "__global__", "// simt: grid=4096,4096 block=16,16 s.part.w=65536\n__global__"
    )
    (found,) = check_fixture(text, SETTINGS)
    assert "with `s.part.w = " in found.message
    check_fixture(text.replace("65536", "512").replace("//~ index-overflow", ""), SETTINGS)


CONSTANTS = """
struct Size { int n; int many[2]; };
__constant__ Size sizes;
__constant__ int pitch = 65536;
__constant__ unsigned width;
__global__ void k(float *a) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  STATEMENT
}
static void set(unsigned w) { cudaMemcpyToSymbol(width, &w, sizeof w); }
void run(float *a) {
  Size s = {65536, {1, 65536}};
  cudaMemcpyToSymbol(sizes, &s, sizeof(Size));
  k<<<dim3(1, 4096), dim3(1, 16)>>>(a);
}
int main() { set(200000); run(0); }
"""


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("a[row * pitch] = 1.0f;", "pitch"),
        ("a[row * sizes.n] = 1.0f;", "sizes.n"),
        ("a[row * sizes.many[1]] = 1.0f;", "sizes.many[1]"),
        ("Size s = sizes; a[row * s.many[1]] = 1.0f;", "sizes.many[1]"),
        ("a[row * width] = 1.0f;", "width"),
        ("int at = row; for (int i = 0; i < pitch; i++) { a[at] = 1.0f; at += sizes.n; }", "sizes.n"),
    ],
)
def test_constant_memory_holds_sizes(statement: str, name: str) -> None:
    text = CONSTANTS.replace("STATEMENT", statement + "  //~ index-overflow")
    (found,) = check_fixture(text, SETTINGS)
    assert found.tier is Tier.PROVEN
    assert f"`{name} = " in found.message or f", {name} = " in found.message
    small = CONSTANTS.replace("STATEMENT", statement).replace("65536", "99").replace("200000", "99")
    check_fixture(small, SETTINGS)
    check_fixture(CONSTANTS.replace("STATEMENT", f"int pitch = 1, width = 1; Size sizes = {{}}; {statement}"), SETTINGS)


def test_constants_that_are_perhaps_not_set_make_it_possible() -> None:
    text = CONSTANTS.replace("STATEMENT", "a[row * width] = 1.0f;").replace("set(200000); ", "run(0); set(200000); ")
    check_fixture(text, SETTINGS)
    (found,) = check_fixture(text.replace("1.0f;", "1.0f;  //~ index-overflow"), ALL_TIERS)
    assert found.tier is Tier.POSSIBLE


SHARED = """
__global__ void k(float *a, const int *x, int n) {
  __shared__ int base, rows[4];
  int tid = threadIdx.x;
  BODY
}
void run(float *a, int *x) { k<<<65536, 256>>>(a, x, 65536); }
"""


@pytest.mark.parametrize(
    "body",
    [
        "if (tid == 0) base = blockIdx.x * 4096; __syncthreads(); a[base * n + tid] = 1.0f;  //~ index-overflow",
        "if (tid == 7) rows[1] = n; __syncthreads(); a[blockIdx.x * rows[1] * 2] = 1.0f;  //~ index-overflow",
        "for (int i = 0; i < n; i++) { base = i; __syncthreads(); a[base * n] = 1.0f; }  //~ index-overflow",
        "if (tid == 0) base = blockIdx.x * n;  //~ index-overflow\n  __syncthreads(); a[base + tid] = 1.0f;",
    ],
)
def test_a_block_writes_sizes_to_shared_memory(body: str) -> None:
    (found,) = check_fixture(SHARED.replace("BODY", body), SETTINGS)
    assert found.tier is Tier.PROVEN
    assert found.fix is None or "size_t" in found.fix.replacements[0].text


@pytest.mark.parametrize(
    "body",
    [
        "if (tid == 0) base = blockIdx.x; __syncthreads(); a[base * 2 + tid] = 1.0f;",
        "if (tid == 0) base = x[0]; __syncthreads(); a[base * n] = 1.0f;",
        "base = tid; __syncthreads(); a[base * n * n] = 1.0f;",
        "rows[tid & 3] = n; rows[1] = n; __syncthreads(); a[rows[1] * n] = 1.0f;",
        "if (tid == 0) base = n; if (tid == 1) base = 1; __syncthreads(); a[base * n] = 1.0f;",
        "if (tid == 0) base = n; atomicAdd(&base, 1); __syncthreads(); a[base * n] = 1.0f;",
        "for (int i = 0; i < 9; i++) { if (i < 1) base = i * n; __syncthreads(); a[base * n] = 1.0f; }",
        "a[base * n] = 1.0f; __syncthreads(); base = n;",
    ],
)
def test_what_shared_memory_may_hold_otherwise(body: str) -> None:
    check_fixture(SHARED.replace("BODY", body), SETTINGS)
