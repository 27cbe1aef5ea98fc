"""Grids that are a number divided by the block and rounded: what every launch then says of that number."""

from __future__ import annotations

import pytest

from analysis.features.launch_text import block_text, launches_text
from analysis.rules.wording import grade_words
from tests.support.project_analysis import analyzed

KERNEL = """\
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}
"""
HEAD = """\
int get(int *p);
#define DIVUP(a, b) (((a) + (b) - 1) / (b))
const int T = 64;
const size_t LONG = 100;
static int cdiv(int a, int b) { return (a + b - 1) / b; }
template <typename A, typename B> A ceilDiv(A a, B b) { return (a % b != 0) ? (a / b + 1) : (a / b); }
template <typename A> A over(A a, A b) { return (a + b - 1) / b; }
static size_t words(size_t a, size_t b) { return (a + b - 1) / b; }
static int blocks(int n) { return (n + 255) / 256; }
static short few(int a, int b) { return (a + b - 1) / b; }
static int wrong(int a, int b) { return (a + b) / b; }
"""


def _relations(host: str, kernel: str = KERNEL) -> set[str]:
    analysis = analyzed({"k.cu": f"{HEAD}{kernel}{host}\n"}, "k.cu")
    launch = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
    assert launch is not None
    return {f"{one.kind.name} {'xyz'[one.axis]}" for one in launch.relations if one.argument == 1}


UP = {"WITHIN x", "EXCEEDS x"}
NONE = set[str]()
PRODUCTS = "void go(float *x, int w, int h, unsigned u, unsigned v, long l) {{ {} }}"


@pytest.mark.parametrize(
    ("launch", "found"),
    [
        ("k<<<(w * h + 255) / 256, 256>>>(x, w * h);", UP),
        ("int n = w * h; k<<<(n + 255) / 256, 256>>>(x, n);", UP),
        ("int n = w * h; k<<<(w * h + 255) / 256, 256>>>(x, n);", UP),
        ("int n = w * h; k<<<(n + 255) / 256, 256>>>(x, h * w);", UP),
        ("const int n = h * w; int g = (w * h - 1) / 256 + 1; k<<<g, 256>>>(x, n);", {"WITHIN x"}),
        ("k<<<(u * v - 1) / 256 + 1, 256>>>(x, u * v);", UP),
        ("k<<<cdiv(w * h, 64), 64>>>(x, w * h);", UP),
        ("k<<<w * h / 64, 64>>>(x, w * h);", {"COVERS x", "EXCEEDS x"}),
        ("k<<<(w * h + 255) / 256, 256>>>(x, w * w);", NONE),
        ("k<<<(w * w + 255) / 256, 256>>>(x, w * h);", NONE),
        ("int n = w * h; w = 3; k<<<(w * h + 255) / 256, 256>>>(x, n);", NONE),
        ("int g = (w * h + 255) / 256; h = get(0); k<<<g, 256>>>(x, w * h);", NONE),
        ("k<<<(w * l + 255) / 256, 256>>>(x, w * l);", NONE),
        ("k<<<(w * h + 255) / 256, 256>>>(x, (long)w * h);", UP),  # what overflows is undefined
        ("k<<<((short)w * h + 255) / 256, 256>>>(x, (short)w * h);", NONE),
        ("k<<<((long)w * h + 255) / 256, 256>>>(x, w * h);", UP),
        ("k<<<(w * get(0) + 255) / 256, 256>>>(x, w * get(0));", NONE),
    ],
)
def test_products_are_numbers_too(launch: str, found: set[str]) -> None:
    assert _relations(PRODUCTS.format(launch)) == found


@pytest.mark.parametrize(
    "launch",
    [
        "k<<<(n + 255) / 256, 256>>>(x, n);",
        "k<<<(n + 256 - 1) / 256, 256>>>(x, n);",
        "k<<<(255 + n) >> 8, 256>>>(x, n);",
        "k<<<(n + t - 1) / t, t>>>(x, n);",
        "k<<<(n + (t - 1)) / t, t>>>(x, n);",
        "k<<<(t - 1 + n) / t, t>>>(x, n);",
        "k<<<(n - 1 + t) / t, t>>>(x, n);",
        "k<<<DIVUP(n, 256), 256>>>(x, n);",
        "k<<<DIVUP(n, T), T>>>(x, n);",
        "int g = DIVUP(n, t); k<<<g, t>>>(x, n);",
        "dim3 b(t); dim3 g((n + b.x - 1) / b.x); k<<<g, b>>>(x, n);",
        "dim3 b(16, t); dim3 g(1, 1); g.x = 3; k<<<(n + b.x - 1) / b.x, b>>>(x, n);",
        "k<<<cdiv(n, t), t>>>(x, n);",
        "k<<<cdiv(n, 256), 256>>>(x, n);",
        "k<<<over(n, t), t>>>(x, n);",
        "k<<<blocks(n), 256>>>(x, n);",
        "k<<<words(n, 256), 256>>>(x, n);",
        "k<<<ceil(n / 256.0), 256>>>(x, n);",
        "k<<<(int)std::ceil((double)n / t), t>>>(x, n);",
        "k<<<static_cast<int>(ceil(n / static_cast<double>(t))), t>>>(x, n);",
        "int g = ceil(n * 1.0 / t); k<<<g, t>>>(x, n);",
        "k<<<n / t + (n % t > 0), t>>>(x, n);",
        "k<<<n % t > 0 ? n / t + 1 : n / t, t>>>(x, n);",
        "dim3 b(32, 8); dim3 g((n + 31) / 32, (t + 7) / 8); k<<<g, b>>>(x, n);",
        "k<<<dim3((n + 31) / 32, 4), 32>>>(x, n);",
        "for (n = get(0); n > 9; n /= 2) { int g = (n + 255) / 256; k<<<g, 256>>>(x, n); }",
        "const int g = (n + 256 - 1) / 256, b = 256; k<<<g, b>>>(x, (int)n);",
        "k<<<(n + 255u) / 256u, 256>>>(x, n);",
        "k<<<(u + 255) / 256, 256>>>(x, u);",
        "k<<<(u - 1) / 256 + 1, 256>>>(x, u);",
        "k<<<1 + (u - 1) / t, t>>>(x, u);",
        "k<<<u / t + (u % t ? 1 : 0), t>>>(x, u);",
        "k<<<u / t + !!(u % t), t>>>(x, u);",
        "k<<<u % t == 0 ? u / t : u / t + 1, t>>>(x, u);",
        "k<<<ceilDiv(u, t), t>>>(x, u);",
        "k<<<(s + 255) / 256, 256>>>(x, s);",
    ],
)
def test_a_number_that_is_rounded_up(launch: str) -> None:
    host = f"void go(float *x, int n, int t, unsigned u, size_t s) {{ {launch} }}"
    assert _relations(host) == UP


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<(n - 1) / 256 + 1, 256>>>(x, n);", {"WITHIN x"}),
        ("k<<<n / t + (n % t ? 1 : 0), t>>>(x, n);", {"WITHIN x"}),
        ("k<<<n / t + (n % t != 0), t>>>(x, n);", {"WITHIN x"}),
        ("k<<<n / t + 1, t>>>(x, n);", {"WITHIN x"}),
        ("k<<<ceilDiv(n, t), t>>>(x, n);", {"WITHIN x"}),
        ("k<<<std::max((n + 255) / 256, 1), 256>>>(x, n);", {"WITHIN x"}),
        ("k<<<min((u + 255) / 256, 65535), 256>>>(x, u);", {"EXCEEDS x"}),
        ("k<<<min(u / 256, 65535u), 256>>>(x, u);", {"COVERS x", "EXCEEDS x"}),
        ("k<<<n / 256, 256>>>(x, n);", {"COVERS x", "EXCEEDS x"}),
        ("k<<<n >> 8, 256>>>(x, n);", {"COVERS x", "EXCEEDS x"}),
        ("k<<<(n + 255) / 256, 256>>>(x, n); k<<<n / 32, 32>>>(x, n);", {"EXCEEDS x"}),
        ("k<<<(n + 255) / 256, 256>>>(x, n); k<<<4, 256>>>(x, 1000);", UP),
        ("k<<<(n + 255) / 256, 256>>>(x, n); k<<<4, 256>>>(x, 700);", {"WITHIN x"}),
        ("k<<<(n + 255) / 256, 256>>>(x, n); k<<<4, 256>>>(x, get(0));", set[str]()),
        ("int m = t * 64; k<<<t, 64>>>(x, m);", {"COVERS x", "WITHIN x", "EXCEEDS x"}),
    ],
)
def test_a_number_of_which_less_is_known(launch: str, expected: set[str]) -> None:
    host = f"void go(float *x, int n, int t, unsigned u) {{ {launch} }}"
    assert _relations(host) == expected


@pytest.mark.parametrize(
    "launch",
    [
        "k<<<(n + 255) / 256, 128>>>(x, n);",
        "k<<<(n + 254) / 256, 256>>>(x, n);",
        "k<<<(n + 256) / 256, 256>>>(x, n);",
        "k<<<(n + t) / t, t>>>(x, n);",
        "k<<<(n + s - 1) / s, t>>>(x, n);",
        "k<<<(n + s - 1) / s, s>>>(x, n);",
        "k<<<(n + t - 1) / t, t>>>(x, n + 1);",
        "k<<<(n + t - 1) / t, t>>>(x, m);",
        "k<<<(2 * n + t - 1) / t, t>>>(x, n);",
        "k<<<(n - t + 1) / t, t>>>(x, n);",
        "k<<<ceil(n / 256.0f), 256>>>(x, n);",
        "k<<<ceil((float)n / t), t>>>(x, n);",
        "k<<<ceilf(n / 256.0), 256>>>(x, n);",
        "k<<<ceil(s / 256.0), 256>>>(x, s);",
        "k<<<floor(n / 256.0), 256>>>(x, n);",
        "k<<<few(n, t), t>>>(x, n);",
        "k<<<wrong(n, t), t>>>(x, n);",
        "k<<<words(n, t), t>>>(x, n);",
        "k<<<words(n, 96), 96>>>(x, n);",
        "k<<<(n + LONG - 1) / LONG, LONG>>>(x, n);",
        "k<<<over<short>(n, t), t>>>(x, n);",
        "k<<<min((n + 255) / 256, 65535), 256>>>(x, n);",
        "k<<<n / t + n % t, t>>>(x, n);",
        "k<<<n / t + (m % t != 0), t>>>(x, n);",
        "k<<<n / t + (n % t == 0), t>>>(x, n);",
        "k<<<n % t != 0 ? n / t : n / t + 1, t>>>(x, n);",
        "k<<<(l + 255) / 256, 256>>>(x, l);",
        "k<<<(c + 255) / 256, 256>>>(x, c);",
        "int g = (n + 255) / 256; n++; k<<<g, 256>>>(x, n);",
        "int g = (n + t - 1) / t; t = 32; k<<<g, t>>>(x, n);",
        "dim3 b(t); dim3 g((n + b.x - 1) / b.x); b.x = 4; k<<<g, b>>>(x, n);",
        "dim3 g((n + 15) / 16, (n + 15) / 16); k<<<g, 16>>>(x, n); k<<<dim3(1, (n + 15) / 16), 16>>>(x, n);",
        "short g = (n + 255) / 256; k<<<g, 256>>>(x, n);",
    ],
)
def test_what_is_no_such_number(launch: str) -> None:
    host = f"void go(float *x, int n, int t, int m, size_t s, long l, unsigned char c) {{ {launch} }}"
    assert not _relations(host) & {"WITHIN x", "EXCEEDS x", "COVERS x"}


def test_a_parameter_of_64_bits_may_hold_more_than_the_grid_has() -> None:
    kernel = KERNEL.replace("int n", "size_t n")
    assert _relations("void go(float *x, size_t n) { k<<<(n + 255) / 256, 256>>>(x, n); }", kernel) == {"EXCEEDS x"}


def test_a_function_that_the_file_calls_min_is_its_own() -> None:
    host = "static int min(int a, int b) { if (a > b) return a; return b; }\n"
    host += "void go(float *x, unsigned n) { k<<<min((n + 255) / 256, 65535), 256>>>(x, n); }"
    assert _relations(host) == set()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("(n + 255) / 256", "(gridDim.x - 1) * blockDim.x < n <= gridDim.x * blockDim.x"),
        ("n / 256 + 1", "n <= gridDim.x * blockDim.x"),
        ("n / 256", "n >= gridDim.x * blockDim.x"),
    ],
)
def test_it_is_told_with_the_block(host: str, expected: str) -> None:
    text = f"{HEAD}{KERNEL}void go(float *x, int n) {{ k<<<{host}, 256>>>(x, n); }}\n"
    analysis = analyzed({"k.cu": text}, "k.cu")
    function = next(one for one in analysis.facts.functions if one.name == "k")
    told = launches_text(block_text(analysis.launch_of(function)), analysis, function)
    assert told == f"block of 256 threads, `{expected}`; only launch: k.cu:16"


# -- what follows for branches ----------------------------------------------------------------------------------------


ROUNDED = "void go(float *x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }"
LAST = "boundary: at most one warp per row splits, in the last block along x alone, as every launch says"
ANY = "boundary: each bound splits at most one warp per row"


@pytest.mark.parametrize(
    ("test", "host", "expected"),
    [
        ("i < n", ROUNDED, LAST),
        ("i >= n", ROUNDED, LAST),
        ("n > i", ROUNDED, LAST),
        ("i < n", f"{ROUNDED} void more(float *x, int n) {{ k<<<n / 32 + 1, 32>>>(x, n); }}", ANY),
        ("i < n - 1", ROUNDED, ANY),
        ("i < n", "void go(float *x, int n) { k<<<n / 256 + 1, 256>>>(x, n); }", ANY),
        ("i < n || i == 3", ROUNDED, ANY),
    ],
)
def test_a_bounds_check_splits_in_the_last_block(test: str, host: str, expected: str) -> None:
    analysis = analyzed({"k.cu": f"{KERNEL.replace('i < n', test)}{host}\n"}, "k.cu")
    (branch,) = next(one for one in analysis.facts.functions if one.name == "k").branches[:1]
    assert branch.grade is not None
    assert grade_words(branch.grade, of_loop=False, last_along=branch.last_along) == expected
