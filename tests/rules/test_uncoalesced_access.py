"""MEM501."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

NO_ARITHMETIC = RuleSettings(ignore=frozenset({"ARI"}))

EVERYTHING = RuleSettings(tiers=frozenset(Tier))


def test_a_constant_stride_is_proven() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i * 16] = 1.0f;  //~ uncoalesced-access
}
""")
    assert (found.code, found.severity, found.tier) == ("MEM501", Severity.INFORMATION, Tier.PROVEN)
    assert found.message == (
        "In `x[i * 16]`, neighbours along x are 64 bytes apart: one request of 32 lanes writes up to 32 sectors of 32 "
        "bytes where 4 would do. What is not used is about 88 % of all sectors that this kernel moves."
    )


def test_a_stride_that_is_a_size_is_proven_from_some_size_on() -> None:
    (found,) = check_fixture("""
__global__ void k(const float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < n; j++) sum += x[row * n + j];  //~ uncoalesced-access
  y[row] = sum;
}
""")
    assert found.tier is Tier.PROVEN
    assert found.message == (
        "In `x[row * n + j]`, neighbours along x are `4*n` bytes apart: one request of 32 lanes reads up to 32 sectors "
        "of 32 bytes where 4 would do, unless `n` is below 8. What is not used is about 87 % of all sectors that this "
        "kernel moves."
    )


@pytest.mark.parametrize(
    ("index", "stride", "unless"),
    [
        ("i * n", "`4*n`", "`n` is below 8"),
        ("i * n * m + n", "`4*n*m`", "`n*m` is below 8"),
        ("i * 4 * n", "`16*n`", "`n` is below 2"),
        ("i * 16 * n", "`64*n`", "`n` is 0"),
        ("i * (n + 1)", "`4*n + 4`", "`4*n + 4` is below 32"),
        ("i * size.pitch", "`4*size.pitch`", "`size.pitch` is below 8"),
        ("threadIdx.x * gridDim.x", "`4*gridDim.x`", "`gridDim.x` is below 8"),
        ("threadIdx.x * blockDim.x", "`4*blockDim.x`", "`blockDim.x` is below 8"),
        ("n - i * m", "`-4*m`", "`m` is below 8"),
    ],
)
def test_the_sizes_that_count(index: str, stride: str, unless: str) -> None:
    (found,) = check_fixture(f"""
struct Size {{ int pitch; }};
__global__ void k(float *x, int n, int m, Size size) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[{index}] = 1.0f;  //~ uncoalesced-access
}}
""")
    assert f"are {stride} bytes apart" in found.message
    assert f"where 4 would do, unless {unless}. What is not used" in found.message


STRIDED = """
__global__ void k(float *x, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i * stride] = 1.0f;%s
}
"""


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("void f(float *x, int n) { k<<<4, 256>>>(x, n, 1); }", None),
        ("void f(float *x, int n) { k<<<4, 256>>>(x, n, 1); k<<<8, 64>>>(x, 9, 1); }", None),
        ("void f(float *x, int n) { k<<<4, 256>>>(x, n, -4); }", None),
        ("void f(float *x, int n) { k<<<4, 256>>>(x, n, 16); }", "where 4 would do."),
        ("void f(float *x, int n) { k<<<4, 256>>>(x, n, 1); k<<<4, 256>>>(x, n, 16); }", "unless `stride` is below 8."),
        ("void f(float *x, int n) { k<<<4, 256>>>(x, n, n); }", "unless `stride` is below 8."),
        ("", "unless `stride` is below 8."),
    ],
)
def test_a_size_that_all_launches_pass_decides(host: str, message: str | None) -> None:
    found = check_fixture(STRIDED % ("" if message is None else "  //~ uncoalesced-access") + host)
    assert [f"{message} What is not used" in one.message for one in found] == ([] if message is None else [True])


def test_a_stride_that_a_loop_changes_is_possible() -> None:
    """It begins at 1, where the access is coalesced."""
    text = """
__global__ void k(float *x, int n) {
  int i = threadIdx.x;
  for (int s = 1; s < n; s *= 2) x[i * s] += 1.0f;
}
"""
    check_fixture(text)
    marked = text.replace("1.0f;\n", "1.0f;  //~ uncoalesced-access, global-race\n")
    found = next(one for one in check_fixture(marked, EVERYTHING) if one.code == "MEM501")
    assert found.tier is Tier.POSSIBLE
    assert "may write up to 32 sectors" in found.message or "may read up to 32 sectors" in found.message


def test_a_size_along_y_leaves_rows_together() -> None:
    """Of a block of 16 x 16 threads, the warp reads two rows: as good as it gets; columns of it are 16 sectors."""
    text = """
__global__ void k(float *x, float *y, int n) {
  x[threadIdx.y * n + threadIdx.x] = 1.0f;
  y[threadIdx.x * n + threadIdx.y] = 1.0f;
}
void host(float *x, int n) { k<<<1, dim3(16, 16)>>>(x, x, n); }
"""
    check_fixture(text)
    check_fixture(
        text.replace("threadIdx.y] = 1.0f;", "threadIdx.y] = 1.0f;  //~ uncoalesced-access").replace(
            "dim3(16, 16)", "dim3(32, 8)"
        )
    )


def test_a_column_is_reported_whatever_the_rows() -> None:
    """In rows of 8, too, it needs twice the sectors; in full ones eight times."""
    (found,) = check_fixture("""
__global__ void transpose(const float *in, float *out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * width + y] = in[y * width + x];  //~ uncoalesced-access
}
""")
    assert "`out[x * width + y]`, neighbours along x are `4*width` bytes apart" in found.message
    assert "writes up to 32 sectors" in found.message


@pytest.mark.parametrize(
    "statement",
    [
        "x[i] = 1.0f;",
        "x[2 * i] = 1.0f;",
        "x[4 * i] = 1.0f;",
        "x[n] = 1.0f;",
        "x[blockIdx.x * 64] = 1.0f;",
        "if (threadIdx.x == 0) x[i * 64] = 1.0f;",
        "if (threadIdx.x < 8) x[i * 64] = 1.0f;",
        "if (i == n) x[i * 64] = 1.0f;",
        "if (index[i] > 0) x[i * 64] = 1.0f;",
        "x[index[i]] = 1.0f;",
        "x[index[i] * 64] = 1.0f;",
        "v[i] = make_float4(0, 0, 0, 0);",
        "float4 w = v[i]; v[i] = w;",
    ],
)
def test_what_is_coalesced_or_small_or_decided_by_data_is_silent(statement: str) -> None:
    check_fixture(f"""
__global__ void k(float *x, float4 *v, const int *index, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {statement}
}}
""")


STRUCT = """
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void k(const Particle *p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = EXPRESSION;
}
"""


def test_the_other_members_of_a_struct_count_as_used() -> None:
    check_fixture(STRUCT.replace("EXPRESSION;", "p[i].mass;  //~ uncoalesced-access"))
    check_fixture(
        STRUCT.replace("EXPRESSION", "p[i].x + p[i].y + p[i].z + p[i].vx"), RuleSettings(ignore=frozenset({"ARI"}))
    )


def test_a_loop_counts_more() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i * 4] = 1.0f;
  for (int j = 0; j < n; j++) x[j * 1024 + i * 4] += 1.0f;  //~ uncoalesced-access
}
""")


def test_one_report_per_array_and_stride() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i * 64] += 1.0f;  //~ uncoalesced-access
  x[i * 64 + n] = 2.0f;
}
""")
    assert [related.message for related in found.related] == ["the same array at the same stride"]


def test_the_worst_call_counts() -> None:
    check_fixture("""
__device__ float get(const float *p, int i) { return p[i]; }  //~ uncoalesced-access
__global__ void k(const float *x, float *y) {
  y[threadIdx.x] = get(x, threadIdx.x) + get(x, 32 * threadIdx.x);
}
""")


def test_rows_of_unknown_length() -> None:
    """In short rows, threads that are neighbours along y may fill the gaps."""
    (found,) = check_fixture("""
__global__ void k(float *x) {
  x[(threadIdx.y * 16 + threadIdx.x) * 32] = 1.0f;  //~ uncoalesced-access
}
""")
    assert "neighbours along x are 128 bytes apart" in found.message
    assert "up to 32 sectors" in found.message
    check_fixture("""
__global__ void k(float *x) {
  x[threadIdx.x * 8 + threadIdx.y] = 1.0f;
}
""")


def test_arrays_at_the_same_index_are_one_finding() -> None:
    """It is the index that a person would change."""
    (found,) = check_fixture("""
__global__ void k(const float *a, const float *b, float *y, int n) {
  int i = threadIdx.x;
  float s = 0.0f;
  for (int j = 0; j < n; j++) s += a[i * 64 + j] * b[i*64 + j];  //~ uncoalesced-access
  y[i] = s;
}
""")
    assert [related.message for related in found.related] == ["another array there"]


def test_arrays_whose_lanes_are_equally_far_apart_in_one_loop_are_one_finding() -> None:
    (found,) = check_fixture("""
__global__ void k(const float *a, const float *b, float *y, int n) {
  int i = threadIdx.x;
  float s = 0.0f;
  for (int j = 0; j < n; j++) {
    s += a[i * 64 + j];  //~ uncoalesced-access
    s += j;
    s -= 1.0f;
    s += b[i * 64 + n - j];
  }
  y[i] = s;
}
""")
    assert [related.message for related in found.related] == ["another array at the same stride"]
    assert "about 87 % of all sectors" in found.message


def test_arrays_at_other_distances_are_findings_of_their_own() -> None:
    check_fixture("""
__global__ void k(const float *a, const float *b, float *y, int n) {
  int i = threadIdx.x;
  float s = 0.0f;
  for (int j = 0; j < n; j++) {
    s += a[i * 64 + j];  //~ uncoalesced-access
    s += b[i * 96 + n - j];  //~ uncoalesced-access
  }
  y[i] = s;
}
""")


@pytest.mark.parametrize(
    ("between", "other"),
    [
        pytest.param("", "", id="neighbours"),
        pytest.param("int u = i;\n  x[0] = u;", "//~ uncoalesced-access", id="statements apart"),
        pytest.param("if (t) return;", "//~ uncoalesced-access", id="a condition between them"),
        pytest.param("{ x[0] = 1; }", "//~ uncoalesced-access", id="a block between them"),
    ],
)
def test_neighbouring_statements_are_one_finding(between: str, other: str) -> None:
    check_fixture(f"""
__global__ void k(float *x, const float *a, const float *b, int t) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = *(a + i * 1024 + t);  //~ uncoalesced-access
  {between}
  s += b[1024 * i + 3];  {other}
  x[i] = s;
}}
""")


def test_a_long_index_is_the_same_index() -> None:
    (found,) = check_fixture("""
#define THREADS_OF_A_BLOCK 256
__global__ void k(unsigned *x, const unsigned *a, const unsigned *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = 0;
  if (i < n) {
    s = a[(4 * THREADS_OF_A_BLOCK) - 1 + (4 * THREADS_OF_A_BLOCK) * i];  //~ uncoalesced-access
    x[i] = s;
    x[i + 1] = s;
    s += b[(4 * THREADS_OF_A_BLOCK) - 1 + (4 * THREADS_OF_A_BLOCK) * i];
  }
  x[i] = s;
}
""")
    assert [related.message for related in found.related] == ["another array there"]


BOUNDARY = """
__global__ void stencil(float *x, float *y, int width, int rounds) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  BOUNDARY
  for (int k = 0; k < rounds; k++) {
    y[k * width + row] = 0.5f * (x[k * width + row] + x[(k + 1) * width + row]);
  }
}
"""


@pytest.mark.parametrize(
    "boundary",
    [
        "x[row * width] = 0.0f;",
        "if (row < width) x[row * width + width - 1] = 1.0f;",
        "if (blockIdx.x == 0) x[threadIdx.x * width] = 1.0f;",
        "if (gridDim.x - 1 == blockIdx.x && width > 3) x[threadIdx.x * width] = 1.0f;",
    ],
)
def test_a_boundary_beside_the_work_is_no_finding(boundary: str) -> None:
    check_fixture(BOUNDARY.replace("BOUNDARY", boundary))


def test_what_one_block_does_alone_is_no_finding() -> None:
    """However little the others do."""
    alone = """
__global__ void k(float *x, float *y, int width) {
  if (GUARD) x[threadIdx.x * width] = 1.0f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}
"""
    check_fixture(alone.replace("GUARD", "blockIdx.x == 0"))
    check_fixture(alone.replace("GUARD", "blockIdx.x + 1 == gridDim.x"))
    for guard in ("blockIdx.x % 2 == 0", "blockIdx.x != 0", "width == 7"):
        check_fixture(alone.replace("GUARD", guard).replace("1.0f;", "1.0f;  //~ uncoalesced-access"))


def test_the_same_boundary_is_a_finding_where_it_is_the_work() -> None:
    (found,) = check_fixture("""
__global__ void column(float *x, float *y, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  x[row * width] = y[row];  //~ uncoalesced-access
}
""")
    assert "What is not used is about 78 % of all sectors that this kernel moves." in found.message


def test_the_threshold_is_a_setting() -> None:
    text = BOUNDARY.replace("BOUNDARY", "x[row * width] = 0.0f;  //~ uncoalesced-access")
    check_fixture(text, RuleSettings(select=frozenset({"MEM501"}), share_threshold=0.0))


def test_the_finding_stands_where_most_is_lost() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x, float *y, int n) {
  int i = threadIdx.x;
  float s = x[i * 64];
  for (int j = 0; j < n; j++) s += x[i * 64 + 32 * j];  //~ uncoalesced-access
  y[i] = s;
}
""")
    assert [related.message for related in found.related] == ["the same array at the same stride"]


def test_a_function_that_two_kernels_call_names_the_one_that_loses_more() -> None:
    (found,) = check_fixture("""
__device__ float at(const float *x, int width) {
  return x[threadIdx.x * width];  //~ uncoalesced-access
}
__global__ void much(const float *x, float *y, int width) {
  for (int i = 0; i < 100; i++) y[i * 1024 + threadIdx.x] = x[i * 1024 + threadIdx.x];
  y[threadIdx.x] = at(x, width);
}
__global__ void little(const float *x, float *y, int width) { y[threadIdx.x] = at(x, width); }
""")
    assert found.message.endswith("What is not used is about 78 % of all sectors that kernel `little` moves.")


CALLED = """
__device__ float sum_of(const float *a, int width, int row) {
  float sum = 0.0f;
  for (int j = 0; j < width; j++) sum += a[row * width + j];INSIDE
  return sum;
}
__global__ void k(float *a, float *b, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  OWN
  b[i] = sum_of(a, width, i);
}
"""


@pytest.mark.parametrize(
    ("own", "inside"),
    [
        ("for (int j = 0; j < width; j++) a[i * width + j] += 1.0f;  //~ uncoalesced-access", ""),
        ("for (int j = 0; j < width; j++) a[i + j * width] += 1.0f;", "  //~ uncoalesced-access"),
        ("", "  //~ uncoalesced-access"),
    ],
)
def test_a_stride_is_told_once_of_a_kernel_and_what_it_calls(own: str, inside: str) -> None:
    check_fixture(CALLED.replace("OWN", own).replace("INSIDE", inside), RuleSettings(select=frozenset({"MEM501"})))
