"""Accesses from CUDA text: after `//@` the facts of the line's accesses, in order, separated by `;`.

`global stride 4 sectors 4..5 of 4` or `shared stride 128 ways 32`; `-` stands for what is not known, `>=` for a bound.
"""

from __future__ import annotations

import pytest

from analysis.access.analysis import analyze_accesses
from analysis.access.model import Access, AccessPattern, Participation
from analysis.affine.analysis import analyze_affine
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.memory.spaces import infer_spaces
from tests.support.cuda import inlined

UNKNOWN = LaunchKnowledge()


def accesses_of(text: str, launch: LaunchKnowledge = UNKNOWN) -> tuple[Access, ...]:
    function = inlined(text)
    control = ControlFlow.of(function)
    divergence = analyze_divergence(function, control, launch)
    affine = analyze_affine(function, control, divergence)
    return analyze_accesses(function, control, divergence, infer_spaces(function, control), affine)


def described(access: Access) -> str:
    request = access.request
    words = [access.space.value, "stride", _number(access.stride)]
    if request is None:
        return " ".join([*words, "unknown"])
    bound = "" if request.is_exact else ">="
    if request.bank_ways is not None or request.sectors_max is None:
        return " ".join([*words, "ways", bound + _number(request.bank_ways)])
    sectors = f"{bound}{_number(request.sectors)}..{request.sectors_max} of {request.ideal_sectors}"
    return " ".join([*words, "sectors", sectors])


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def check(text: str, *shapes: BlockShape, warp_size: int = 32) -> tuple[Access, ...]:
    found = accesses_of(text, LaunchKnowledge(shapes, warp_size=warp_size))
    start = text.index("__global__")
    lines = text.split("\n")
    here: dict[int, list[str]] = {}
    for access in found:
        here.setdefault(text[: start + access.span.start].count("\n"), []).append(described(access))
    claims = {
        number: [claim.strip() for claim in line.split("//@")[1].split(";")]
        for number, line in enumerate(lines)
        if "//@" in line
    }
    assert {line: here.get(line) for line in claims} == claims
    return found


def test_global_memory_without_a_known_shape() -> None:
    check("""__global__ void k(float *a, float4 *v, char *c, double *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[threadIdx.x] = 1; //@ global stride 4 sectors 4..4 of 4
  a[i] = 1; //@ global stride 4 sectors 4..5 of 4
  a[threadIdx.x + 1] = 1; //@ global stride 4 sectors 5..5 of 4
  a[threadIdx.x + n] = 1; //@ global stride 4 sectors 4..5 of 4
  a[2 * i] = 1; //@ global stride 8 sectors 8..9 of 4
  a[32 * i] = 1; //@ global stride 128 sectors 32..32 of 4
  a[-i] = 1; //@ global stride -4 sectors 5..5 of 4
  a[n] = 1; //@ global stride 0 sectors 1..1 of 1
  a[i * n] = 1; //@ global stride - sectors >=-..32 of 4
  v[i].y = 1; //@ global stride 16 sectors 16..17 of 4
  c[i] = 1; //@ global stride 1 sectors 1..2 of 1
  d[i] = 1; //@ global stride 8 sectors 8..9 of 8
}""")


def test_vectors_and_structs_are_one_access() -> None:
    found = check("""struct Three { float x, y, z; };
__global__ void k(float4 *v, float2 *w, float *a, Three *t, int i) {
  v[threadIdx.x] = make_float4(0, 0, 0, 0); //@ global stride 16 sectors 16..16 of 16
  w[threadIdx.x] = make_float2(0, 0); //@ global stride 8 sectors 8..8 of 8
  *reinterpret_cast<float2 *>(&a[2 * threadIdx.x]) = make_float2(0, 0); //@ global stride 8 sectors 8..8 of 8
  t[threadIdx.x].y = 1; //@ global stride 12 sectors 12..12 of 4
}""")
    assert [access.bytes for access in found] == [16, 8, 8, 4]


def test_in_small_warps_later_ones_begin_inside_a_sector() -> None:
    check(
        """__global__ void k(char *c, float *a) {
  c[3 * threadIdx.x] = 1; //@ global stride 3 sectors 2..2 of 1
  a[threadIdx.x] = 1; //@ global stride 4 sectors 1..1 of 1
}""",
        warp_size=8,
    )


SHARED = """__global__ void k(int n) {
  __shared__ float s[64][64];
  __shared__ float p[32][33];
  __shared__ double d[1024];
  __shared__ float4 v[256];
  __shared__ char c[1024];
  int x = threadIdx.x;
  s[0][x] = 1; //@ shared stride 4 ways 1
  s[x][0] = 1; //@ shared stride 256 ways 32
  s[0][2 * x] = 1; //@ shared stride 8 ways 2
  s[0][3 * x] = 1; //@ shared stride 12 ways 1
  s[0][n] = 1; //@ shared stride 0 ways 1
  p[x][1] = 1; //@ shared stride 132 ways 1
  d[x] = 1; //@ shared stride 8 ways 1
  d[2 * x] = 1; //@ shared stride 16 ways 2
  d[32 * x] = 1; //@ shared stride 256 ways 16
  v[x] = make_float4(0, 0, 0, 0); //@ shared stride 16 ways 1
  v[2 * x] = make_float4(0, 0, 0, 0); //@ shared stride 32 ways 2
  v[x].x = 1; //@ shared stride 16 ways 4
  c[x] = 1; //@ shared stride 1 ways 1
  c[4 * x] = 1; //@ shared stride 4 ways 1
  s[0][n * x] = 1; //@ shared stride - ways >=-
  atomicAdd(&s[0][n], 1.0f); //@ shared stride 0 ways 32
}"""


def test_shared_memory() -> None:
    check(SHARED)
    check(SHARED, BlockShape(64))


def test_an_index_of_two_axes_is_another_function_in_each_row() -> None:
    """Of blocks whose shape is not known, so is the row that a warp lies in."""
    text = """__global__ void k(float *a, int n) {
  a[threadIdx.x & threadIdx.y] = 1; //@ global stride - unknown
  a[(threadIdx.x + threadIdx.y) % 64] = 1; //@ global stride - unknown
  a[threadIdx.x ^ 1] = 1; //@ global stride - sectors 4..4 of 4
  a[threadIdx.x + threadIdx.y * n] = 1; //@ global stride 4 sectors 4..5 of 4
}"""
    check(text)


def test_lanes_that_one_axis_lets_through_and_another_does_not_are_not_counted_exactly() -> None:
    guards = {"threadIdx.y < 4": Participation.FULL, "threadIdx.x < threadIdx.y": Participation.UNKNOWN}
    for guard, expected in guards.items():
        (access,) = accesses_of(f"__global__ void k(float *a) {{ if ({guard}) a[threadIdx.x] = 1; }}")
        assert access.participation is expected, guard


def test_elements_smaller_than_a_word_of_a_bank_may_begin_anywhere_in_one() -> None:
    """64 lanes of 2 bytes: from the middle of a word on they touch 33 words, two of them in one bank."""
    text = """__global__ void k(short *a) {
  __shared__ short s[64];
  s[threadIdx.x] = 1; //@ shared stride 2 ways 1
  s[(threadIdx.x + 4) % 64] = 1; //@ shared stride - ways >=-
}"""
    check(text, BlockShape(64, 1, 1), warp_size=64)


def test_warps_that_span_rows() -> None:
    """16 threads per row: a warp holds two rows, whose distance may not be known."""
    check(
        """__global__ void k(float *a, int n) {
  __shared__ float s[16][16];
  __shared__ float p[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  a[x] = 1; //@ global stride 4 sectors 2..2 of 2
  a[y] = 1; //@ global stride 0 sectors 1..1 of 1
  a[16 * y + x] = 1; //@ global stride 4 sectors 4..4 of 4
  a[1024 * y + x] = 1; //@ global stride 4 sectors 4..4 of 4
  a[n * y + x] = 1; //@ global stride 4 sectors >=2..6 of 4
  s[y][x] = 1; //@ shared stride 4 ways 1
  s[x][y] = 1; //@ shared stride 64 ways 8
  p[x][y] = 1; //@ shared stride 68 ways 2
}""",
        BlockShape(16, 16),
    )


def test_functions_of_the_thread_index_are_enumerated() -> None:
    check(
        """__global__ void k(float *a, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  s[t / 2] = 1; //@ shared stride - ways 1
  s[t % 4 * 32] = 1; //@ shared stride - ways 4
  s[t % 8 * 33 + n] = 1; //@ shared stride - ways 1
  s[(t ^ 1) * 2] = 1; //@ shared stride - ways 2
  a[t % 16 + 64 * (t / 16)] = 1; //@ global stride - sectors 4..4 of 4
  a[t % 16 + n * (t / 16)] = 1; //@ global stride - sectors >=2..6 of 4
}""",
        BlockShape(128),
    )


def test_guards_that_are_known_leave_their_lanes() -> None:
    found = check(
        """__global__ void k(float *a, int n, int *data) {
  __shared__ float s[32][32];
  int x = threadIdx.x;
  if (x == 0) a[64] = s[x][1]; //@ shared stride 128 ways 1; global stride 0 sectors 1..1 of 1
  if (x < 4) s[x][0] = 1; //@ shared stride 128 ways 4
  if (x >= 4) return;
  s[x][2] = 1; //@ shared stride 128 ways 4
}""",
        BlockShape(32),
    )
    assert {access.participation for access in found} == {Participation.FULL}


@pytest.mark.parametrize(
    ("guard", "certainty"),
    [
        ("true", Participation.FULL),
        ("n > 3", Participation.FULL),
        ("blockIdx.x == 0", Participation.FULL),
        ("i < n", Participation.BOUNDED),
        ("i < n && n > 3", Participation.BOUNDED),
        ("!(i >= n)", Participation.BOUNDED),
        ("i != n", Participation.BOUNDED),
        ("i == n", Participation.UNKNOWN),
        ("i == 0", Participation.UNKNOWN),
        ("threadIdx.x == 0", Participation.FULL),
        ("data[i] > 0", Participation.UNKNOWN),
        ("i < n || data[n] > i", Participation.UNKNOWN),
        ("threadIdx.y < n", Participation.BOUNDED),
    ],
)
def test_participation(guard: str, certainty: Participation) -> None:
    found = accesses_of(f"""__global__ void k(float *a, int n, const int *data) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ({guard}) a[i] = 1;
}}""")
    assert found[-1].participation is certainty


def test_memory_of_the_thread_is_interleaved() -> None:
    found = check("""__global__ void k(float *a, int n) {
  float l[64];
  for (int j = 0; j < 64; j++) l[j] = a[j]; //@ global stride 0 sectors 1..1 of 1; local stride 0 sectors 4..4 of 4
  a[threadIdx.x] = l[n];
  a[threadIdx.x] = l[threadIdx.x]; //@ local stride 4 sectors 32..32 of 4; global stride 4 sectors 4..4 of 4
}""")
    assert AccessPattern.WARP_SEQUENTIAL in {access.pattern for access in found if access.space.value == "local"}


def test_a_wide_element_of_the_thread_lies_in_a_row_for_each_of_its_words() -> None:
    check("""struct Wide { int part[1024]; };
struct Odd { char first; char rest[4]; };
__global__ void k(Wide *out, Odd *odd, int n) {
  Wide w[2];
  Odd o[2];
  out[0] = w[n]; //@ local stride 0 sectors 4096..4096 of 4096; global stride 0 sectors 128..128 of 128
  odd[0] = o[n]; //@ local stride 0 sectors 8..8 of 5; global stride 0 sectors 1..1 of 1
}""")


def test_two_rows_of_a_warp_of_four_lanes_share_a_sector() -> None:
    check(
        """__global__ void k(double *a, int n) {
  double l[2];
  l[n] = 1; //@ local stride 0 sectors 1..1 of 1
}""",
        warp_size=4,
    )


def test_what_data_decides_is_not_known() -> None:
    found = check("""__global__ void k(float *a, const int *index, float **rows) {
  a[index[threadIdx.x]] = 1; //@ global stride 4 sectors 4..4 of 4; global stride - unknown
  rows[0][threadIdx.x] = 1; //@ global stride 0 sectors 1..1 of 1; generic stride 4 sectors >=4..5 of 4
}""")
    assert AccessPattern.UNKNOWN in {access.pattern for access in found}


def test_a_condition_that_is_a_load_is_counted_like_others() -> None:
    check("""__global__ void k(float *a, const bool *wanted, int n) {
  if (wanted[threadIdx.x]) n++; //@ global stride 1 sectors 1..1 of 1
  while (a[8 * threadIdx.x]) n++; //@ global stride 32 sectors 32..32 of 4
  a[0] = n; //@ global stride 0 sectors 1..1 of 1
}""")


def test_the_last_warp_may_be_partial_and_the_worst_shape_counts() -> None:
    text = """__global__ void k(float *a) {
  a[8 * threadIdx.x] = 1; //@ global stride 32 sectors COUNT..COUNT of IDEAL
}"""
    check(text.replace("COUNT", "8").replace("IDEAL", "1"), BlockShape(8))
    check(text.replace("COUNT", "32").replace("IDEAL", "4"), BlockShape(40))
    check(text.replace("COUNT", "32").replace("IDEAL", "4"), BlockShape(8), BlockShape(64))


def test_a_warp_of_64_lanes() -> None:
    check(
        """__global__ void k(float *a) {
  __shared__ float s[64][64];
  a[threadIdx.x] = 1; //@ global stride 4 sectors 8..8 of 8
  s[0][threadIdx.x] = 1; //@ shared stride 4 ways 1
  s[threadIdx.x][0] = 1; //@ shared stride 256 ways 32
}""",
        BlockShape(64),
        warp_size=64,
    )
