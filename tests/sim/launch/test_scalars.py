"""Numbers that fit the grid: CUDA text in, chosen numbers out.  The grid is 8 x 256, or 4 x 4 blocks of 16 x 16."""

from __future__ import annotations

import pytest

from sim.refusals import LaunchError
from tests.sim.launch.support import chosen, given, plan

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_XY = f"{_I} int j = blockIdx.y * blockDim.y + threadIdx.y;"


@pytest.mark.parametrize(
    ("parameters", "body", "numbers"),
    [
        ("int n", f"{_I} if (i < n) x[i] = 1;", {"n": "2048"}),
        ("int n", f"{_I} if (i >= n) return; x[i] = 1;", {"n": "2048"}),
        ("int last", f"{_I} if (i <= last) x[i] = 1;", {"last": "2047"}),
        ("int last", f"{_I} if (i > last) return; x[i] = 1;", {"last": "2047"}),
        ("unsigned n", f"{_I} if (n > i) x[i] = 1;", {"n": "2048"}),
        ("int n", f"{_I} if (i < n / 4) x[i] = 1;", {"n": "8192"}),
        ("int n", f"{_I} if (i < n - 2) x[i] = 1;", {"n": "2050"}),
        ("int n", f"{_I} if (2 * i + 1 < n) x[i] = 1;", {"n": "4096"}),
        ("int n", f"{_I} if (i / 32 * 16 < n) x[i] = 1;", {"n": "1024"}),
        ("int n", f"{_I} if (i * 4 >= n) return; x[i] = 1;", {"n": "8192"}),
        ("int a", f"{_I} for (int j = i; j < a; j += gridDim.x * blockDim.x) x[j] = 1;", {"a": "4096"}),
        ("int a", f"for ({_I} i < a; i += 512) x[i] = 1;", {"a": "2560"}),
        ("int a", "for (int j = threadIdx.x; j <= a; j += blockDim.x) x[j] = 1;", {"a": "511"}),
        ("int a", f"for ({_I} i < a; i++) x[i] = 1;", {"a": "2048"}),
        ("int a, int b", f"{_XY} if (i < a && j < b) x[j * a + i] = 1;", {"a": "64", "b": "64"}),
        ("int a", f"{_XY} x[j * a + i] = 1;", {"a": "64"}),
        ("int a, int b", f"{_I} if (i < a * b) x[i] = 1;", {"a": "64", "b": "32"}),
        ("int a", "for (int j = 0; j < a; j++) x[threadIdx.x] += j;", {"a": "16"}),
        ("int a", "for (int j = 0; j < a; j += 8) x[threadIdx.x] += j;", {"a": "128"}),
        ("int a", "for (int j = 1; j < a; j *= 2) x[threadIdx.x] += j;", {"a": "256"}),
        # arrays of fixed length
        ("int n", "__shared__ float s[24]; int t = threadIdx.x; if (t < n) s[t] = 1; x[t] = s[t % 8];", {"n": "24"}),
        ("int n", "__shared__ float s[24]; int t = threadIdx.x; if (t <= n) s[t] = 1; x[t] = s[t % 8];", {"n": "23"}),
        ("int n", "__shared__ float s[999]; int t = threadIdx.x; if (t < n) s[t] = 1; x[t] = s[t];", {"n": "256"}),
        ("int n", "float own[8]; for (int j = 0; j < n; j++) own[j] = j; x[threadIdx.x] = own[5];", {"n": "8"}),
        # rows that a loop walks along in tiles, of threads that stand side by side
        ("int a", f"{_XY} x[i] = 0; for (int k = 0; k < a; k += 8) x[j * a + k + threadIdx.x % 8] = 1;", {"a": "64"}),
        ("int a", f"{_I} for (int k = 0; k < a; k += 2) x[i * a + k + threadIdx.x % 2] = 1;", {"a": "32"}),
        # rows that are counted in bytes, and planes on top of them
        ("unsigned char *p, int a", f"{_XY} ((float *)(p + j * a))[i] = 1;", {"a": "256"}),
        ("char *p, size_t a", f"{_XY} char *q = p + j * a + 3 * i; q[0] = 1; q[1] = 2; q[2] = 0;", {"a": "192"}),
        (
            "char *p, int w, int h, int a, int b",
            f"{_XY} if (i >= w || j >= h) return; for (int z = 0; z < 4; z++) p[z * b + j * a + 2 * i] = z;",
            {"w": "64", "h": "64", "a": "127", "b": "8128"},
        ),
        ("int a, int b", f"{_XY} x[i + j * a + blockIdx.z * b] = 1;", {"a": "32", "b": "1024"}),
        (
            "int w, int r",
            "int *q = x + threadIdx.x; for (int y = 0; y < r; y++) q[y * w] = 1; q[r * w] = 2;",
            {"w": "256", "r": "16"},
        ),
        # rows in which vectors are read
        ("int a, int b", f"{_XY} *(int4 *)&x[j * a + 4 * i] = *(int4 *)&x[j * b + i];", {"a": "256", "b": "64"}),
        ("int a", f"{_XY} int2 v = *(int2 *)&x[j * a + 2 * (i / 4)]; x[i] = v.x;", {"a": "32"}),
        # rows that a loop steps over
        ("int a", "int at = a; for (int r = 0; r < 4; r++) { x[at + threadIdx.x] = 1; at += a; }", {"a": "256"}),
        ("int a", f"for ({_I} i < 9999; i += a) x[i] = 1;", {"a": "2048"}),
        ("int a", "int at = 0; for (int r = 0; r < 4; r++) { x[at] = 1; at += a; }", {"a": "1"}),
        ("int a", "x[threadIdx.x & (a - 1)] = 1;", {"a": "16"}),
        ("int a", f"{_I} x[i / a] = i % a;", {"a": "64"}),
        ("int a", "x[threadIdx.x] = x[0] / a;", {"a": "4"}),
        ("int a", "x[threadIdx.x] = x[0] >> a;", {"a": "3"}),
        ("int a", "x[threadIdx.x + a] = 1;", {"a": "0"}),
        ("int a", "x[threadIdx.x] = a;", {"a": "1"}),
        ("int width, int numRows", "x[threadIdx.x] = width + numRows;", {"width": "2048", "numRows": "16"}),
        ("float f, bool b", "x[threadIdx.x] = b ? f : 0;", {"f": "0.5", "b": "true"}),
        # no interval is empty
        ("float f, float g", "x[threadIdx.x] = (g - f) * threadIdx.x;", {"f": "0.5", "g": "0.75"}),
        (
            "float x_max, float g, float x_min",
            "x[0] = x_max + g + x_min;",
            {"x_min": "0.5", "g": "0.75", "x_max": "0.875"},
        ),
        (
            "int firstCount, int lastCount",
            "x[threadIdx.x] = lastCount - firstCount;",
            {"firstCount": "1024", "lastCount": "2048"},
        ),
        ("int a, int b", "x[threadIdx.x] = a > b;", {"a": "2", "b": "1"}),
        (
            "unsigned len, unsigned count",
            "x[threadIdx.x] = min(len, count - 4 * threadIdx.x - len);",
            {"len": "1024", "count": "2048"},
        ),
    ],
)
def test_numbers(parameters: str, body: str, numbers: dict[str, str]) -> None:
    found = chosen(f"__global__ void k(int *x, {parameters}) {{ {body} }}")
    assert {name: found[name] for name in numbers} == numbers


def test_arrays_hold_all_elements_that_a_loop_strides_over() -> None:
    found = chosen(f"__global__ void k(int *x, int n) {{ for ({_I} i < n; i += gridDim.x * blockDim.x) x[i] = 1; }}")
    assert (found["n"], found["x"]) == ("4096", "uninitialised[4096]")


def test_members_of_structs_and_constant_variables_are_numbers_too() -> None:
    text = (
        "struct P { int *x; int n; float2 scale; }; struct C { int pitch; int other; };\n"
        f"__constant__ C c; __global__ void k(P p) {{ {_XY} if (i < p.n) p.x[j * c.pitch + i] = p.scale.y; }}"
    )
    found = chosen(text)
    assert (found["p.n"], found["c.pitch"], found["p.scale.y"]) == ("64", "64", "0.5")
    assert "c.other" not in found


def test_host_code_is_asked_first() -> None:
    text = (
        f"__global__ void k(int *x, int n, float f) {{ {_I} if (i < n) x[i] = f; }}\n"
        "void host(int *p) { const int n = 1000; k<<<4, 256>>>(p, n, 2.5f); }"
    )
    found = chosen(text)
    assert (found["n"], found["f"]) == ("1000", "2.5")


def test_sizes_of_a_grid_that_was_cut_are_chosen_anew() -> None:
    text = (
        f"__global__ void k(int *x, int n, int shift) {{ {_I} if (i < n) x[i] = shift; }}\n"
        "void host(int *p) { k<<<1024, 256>>>(p, 1 << 18, 7); }"
    )
    found = chosen(text)
    assert (found["n"], found["shift"]) == ("32768", "7")


def test_given_numbers_win_and_the_others_follow() -> None:
    text = f"__global__ void k(int *x, int width, int height) {{ {_I} if (i < width * height) x[i] = 1; }}"
    found = chosen(text, given(width="32"))
    assert (found["width"], found["height"]) == ("32", "64")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": "1.5"}, "n=1.5: 'n' is an integer"),
        ({"n": "nan"}, "n=nan: 'n' is an integer"),
        ({"n": "4294967296"}, "n=4294967296: 'n' holds -2147483648 to 2147483647"),
        ({"n": "random(0,1)"}, "n=random(0,1): 'n' is one number"),
        ({"n": "many"}, "n=many: expected a number"),
        ({"p.y": "1"}, "k has no argument p.y; did you mean p.x? it has: n, p.x, x"),
        ({"m": "1"}, "k has no argument m; it has: n, p.x, x"),
        ({"p": "1"}, "p is passed by value: give its members, as p.x=…"),
    ],
)
def test_bad_numbers_are_answered(arguments: dict[str, str], message: str) -> None:
    text = "__global__ void k(int *x, int n, float4 p) { x[n] = p.x; }"
    with pytest.raises(LaunchError) as error:
        plan(text, given(**arguments))
    assert str(error.value).startswith(message)


_WALKED = (
    "__global__ void k(float *x, const float *a, int length) { int t = threadIdx.x; int row = blockIdx.y * gridDim.x;"
    "for (int j = 0; j < length; j++) x[(row * length) + (t * length) + j] = a[(t * length) + j]; }"
)


def test_a_row_that_only_a_loop_walks_along_is_as_long_as_the_loop() -> None:
    assert chosen(_WALKED)["length"] == "16"


def test_a_row_that_threads_lie_along_is_as_long_as_they_reach() -> None:
    text = _WALKED.replace("= a[(t * length) + j]", "= a[(j * length) + t]")
    assert int(chosen(text)["length"]) >= 256
    elsewhere = _WALKED.replace("] = a[", "] = a[(row * length) + t] + a[")
    assert int(chosen(elsewhere)["length"]) >= 256
    guarded = _WALKED.replace("for (", "if (t < length) for (")
    assert chosen(guarded)["length"] == "256"


def test_a_number_that_a_mask_is_made_of_is_a_power_of_two() -> None:
    body = f"{_I} int column = i & (w - 1); if (column < w / 2 - 1 && i < n) x[column] = i;"
    found = chosen(f"__global__ void k(float *x, int w, int n) {{ {body} }}")
    assert int(found["w"]).bit_count() == 1
    assert found["n"] == "2048"


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("if (n % 48 || n < 100) __trap(); for (int c = threadIdx.x; c < n; c += blockDim.x) x[c] = 1;", {"n": "528"}),
        ("assert(n % 48 == 0 && n % 36 == 0); if (threadIdx.x < n) x[threadIdx.x] = 1;", {"n": "288"}),
        ("assert(n == m + 5); x[n - m] = 1;", {"n": "5", "m": "0"}),
        ("if (n != gridDim.x * blockDim.x) __trap(); x[threadIdx.x + 2 * n] = 1;", {"n": "2048"}),
        ("if (n != (int)blockDim.x) { __trap(); } x[blockIdx.x * n + threadIdx.x] = 1;", {"n": "256"}),
        ("assert(m <= 7); for (int c = 0; c < m; c++) x[c] = 1;", {"m": "7"}),
        ("if (!(m > 20 && n)) __trap(); for (int c = 0; c < m; c++) x[c + n] = 1;", {"m": "21"}),
        ("if (m < 20 && n < 30) __trap(); for (int c = 0; c < m; c++) x[c] = n;", {"m": "16"}),
        ("assert(x[0] > m); x[m] = 1;", {"m": "0"}),
    ],
)
def test_numbers_fulfil_what_the_kernel_asserts(body: str, numbers: dict[str, str]) -> None:
    found = chosen(f"#include <cassert>\n__global__ void k(float *x, int n, int m) {{ {body} }}")
    assert {name: found[name] for name in numbers} == numbers


def test_given_numbers_break_an_assertion() -> None:
    found = chosen("__global__ void k(float *x, int n) { if (n % 8) __trap(); x[n] = 1; }", given(n="9"))
    assert found["n"] == "9"
