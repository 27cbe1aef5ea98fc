"""What every launch says about how arguments, block and grid hang together, and what follows for all threads."""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.features.launch_text import block_text, launches_text
from tests.support.project_analysis import analyzed

KERNEL = """\
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}
"""
HEAD = "int get(int *p); void change(int &n); void read(const int *p); typedef unsigned char Byte;\n"


def _relations(host: str, kernel: str = KERNEL) -> set[str]:
    analysis = analyzed({"k.cu": f"{HEAD}{kernel}{host}\n"}, "k.cu")
    launch = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
    assert launch is not None
    return {f"{one.argument} {one.kind.name} {'xyz'[one.axis]}" for one in launch.relations}


COVERING = [
    "void go(float *x, int n) { k<<<n / 256, 256>>>(x, n); }",
    "void go(float *x, int n, int t) { k<<<n / t, t>>>(x, n); }",
    "void go(float *x, int n) { int blocks = n / 256; k<<<blocks, 256>>>(x, n); }",
    "void go(float *x, int n) { const int t = 128; dim3 block(t); dim3 grid(n / t); k<<<grid, block>>>(x, n); }",
    "void go(float *x, size_t n, int t) { dim3 grid = dim3(n / t, 4); k<<<grid, dim3(t, 2)>>>(x, (int)n); }",
    "void go(float *x) { int n = get(0); n *= 2; int blocks = n / 256; k<<<blocks, 256>>>(x, n); }",
    "void go(float *x) { for (int n = 256; n < get(0); n *= 2) { int b = n / 256; k<<<b, 256>>>(x, n); } }",
    "void go(float *x, int b, int t) { int n = b * t; k<<<b, t>>>(x, n); }",
    "void go(float *x, int b, int t) { const unsigned n = t * (b); k<<<dim3(b), dim3(t)>>>(x, n); }",
    "const int T = 64; void go(float *x, int n) { k<<<n / T, T>>>(x, n); }",
    "#define T 64\nvoid go(float *x, int n) { k<<<n / T, T>>>(x, n); }",
    "void go(float *x, int n) { get(&n); k<<<n / 64, 64>>>(x, n); }",
    "void go(float *x, int n) { k<<<n / 64, 64>>>(x + get(0), n); }",
    "void go(float *x, int n) { auto f = [=] { k<<<n / 64, 64>>>(x, n); }; f(); }",
]


@pytest.mark.parametrize("host", COVERING)
def test_a_number_that_divides_to_the_grid_covers_it(host: str) -> None:
    assert "1 COVERS x" in _relations(host)


NOT_COVERING = [
    "void go(float *x, int n) { int *p = &n; int b = n / 256; *p = 9; k<<<b, 256>>>(x, n); }",
    "void go(float *x, int n) { get(&n); k<<<n / 256, 256>>>(x + get(0), n); }",
    "void go(float *x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }",
    "void go(float *x, int n) { k<<<n / 256 + 1, 256>>>(x, n); }",
    "void go(float *x, int n) { k<<<n / 128, 256>>>(x, n); }",
    "void go(float *x, int n) { k<<<n / 256., 256>>>(x, n); }",
    "void go(float *x, int n, int t, int s) { k<<<n / s, t>>>(x, n); }",
    "void go(float *x, int n, int m) { k<<<m / 256, 256>>>(x, n); }",
    "void go(float *x, int n) { int blocks = n / 256; n = get(0); k<<<blocks, 256>>>(x, n); }",
    "void go(float *x, int n) { int blocks = n / 256; change(n); k<<<blocks, 256>>>(x, n); }",
    "void go(float *x, int n) { int blocks = n / 256; k<<<blocks, 256>>>(x, n--); }",
    "void go(float *x, int n) { int blocks; for (;;) { k<<<blocks, 256>>>(x, n); blocks = n / 256; n = get(0); } }",
    "void go(float *x, int n) { int b = n / 256; for (; n; n /= 2) k<<<b, 256>>>(x, n); }",
    "void go(float *x, int n) { int b = n / 256; again: k<<<b, 256>>>(x, n); n = 3; goto again; }",
    "void go(float *x, int n) { auto f = [&] { n = 3; }; int b = n / 256; f(); k<<<b, 256>>>(x, n); }",
    "void go(float *x, int &n) { int blocks = n / 256; get(0); k<<<blocks, 256>>>(x, n); }",
    "int n; void go(float *x) { int blocks = n / 256; get(0); k<<<blocks, 256>>>(x, n); }",
    "void go(float *x, int n) { int b = n / 256; b += 1; k<<<b, 256>>>(x, n); }",
    "void go(float *x, int n) { static int b = n / 256; k<<<b, 256>>>(x, n); }",
    "void go(float *x, int n) { Byte b = n / 256; float c = n / 256; k<<<c, 256>>>(x, n); }",
    "void go(float *x, long n) { k<<<n / 256, 256>>>(x, n); }",
    "void go(float *x, float n, int t) { k<<<n / t, t>>>(x, n); }",
    "void go(float *x, int n, float t) { k<<<n / t, t>>>(x, n); }",
    "void go(float *x, int n) { dim3 grid(n / 256); grid.x += 1; k<<<grid, 256>>>(x, n); }",
    "void go(float *x, int n) { dim3 grid(1, n / 256); k<<<grid, 256>>>(x, n); }",
    "void go(float *x, int n) { k<<<n / 256, 256>>>(x, n); k<<<2, 256>>>(x, n); }",
    "void go(float *x, int b, int t) { int n = b * t; b++; k<<<b, t>>>(x, n); }",
    "void go(float *x, int b, int t) { int n = b * t; t = 32; k<<<b, t>>>(x, n); }",
    "void go(float *x, int n, Byte *p) { int b = n / 256; n = *p; k<<<b, 256>>>(x, n); }",
]


@pytest.mark.parametrize("host", NOT_COVERING)
def test_what_may_be_less_covers_nothing(host: str) -> None:
    assert not any("COVERS" in one for one in _relations(host))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("void go(float *x, int t) { k<<<4, t>>>(x, t); }", {"1 IS_BLOCK x"}),
        ("void go(float *x, int t) { dim3 b(t, t); k<<<4, b>>>(x, t); }", {"1 IS_BLOCK x", "1 IS_BLOCK y"}),
        ("void go(float *x, dim3 b) { k<<<4, b>>>(x, b.y); }", {"1 IS_BLOCK y"}),
        ("void go(float *x, int g) { k<<<g, 64>>>(x, g); }", {"1 IS_GRID x"}),
        ("void go(float *x) { for (int t = get(0); t; t /= 2) k<<<4, t>>>(x, t); }", {"1 IS_BLOCK x"}),
        ("void go(float *x, int t) { dim3 b(t); t = 3; k<<<4, b>>>(x, t); }", set[str]()),
        ("void go(float *x, int t) { k<<<4, t>>>(x, t++); }", set[str]()),
        ("void go(float *x, int t, int s) { k<<<4, t>>>(x, s); }", set[str]()),
        ("void go(float *x, dim3 b, dim3 c) { k<<<4, b>>>(x, c.x); }", set[str]()),
        ("void go(float *x, int t) { int s = t; k<<<4, t>>>(x, s); }", {"1 IS_BLOCK x"}),
        ("void go(float *x, int t) { Byte s = t; k<<<4, t>>>(x, s); }", set[str]()),
    ],
)
def test_arguments_that_are_extents(host: str, expected: set[str]) -> None:
    assert _relations(host) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (
            "void go(float *x, int n) { k<<<n / 256, 256>>>(x, n); }",
            "block of 256 threads, `n >= gridDim.x * blockDim.x`; only launch: k.cu:6",
        ),
        (
            "void go(float *x, int t) { k<<<4, t>>>(x, t); }",
            "one-dimensional block of unknown size, `n = blockDim.x`; only launch: k.cu:6",
        ),
        ("void go(float *x, int n) { k<<<4, 256>>>(x, n); }", "block of 256 threads; only launch: k.cu:6"),
    ],
)
def test_it_is_told_with_the_block(host: str, expected: str) -> None:
    analysis = analyzed({"k.cu": f"{HEAD}{KERNEL}{host}\n"}, "k.cu")
    function = next(one for one in analysis.facts.functions if one.name == "k")
    assert launches_text(block_text(analysis.launch_of(function)), analysis, function) == expected


# -- what follows -----------------------------------------------------------------------------------------------------


def _level(condition: str, host: str, parameters: str = "float *x, int n") -> Level:
    kernel = f"__global__ void k({parameters}) {{\n  if ({condition}) x[0] = 1;\n}}\n"
    analysis = analyzed({"k.cu": f"{kernel}{host}\n"}, "k.cu")
    (branch,) = next(one for one in analysis.facts.functions if one.name == "k").branches
    return branch.level


INDEX = "(blockIdx.x * blockDim.x + threadIdx.x)"
DIVIDED = "void go(float *x, int n, int t) { k<<<n / t, t>>>(x, n); }"
BY_256 = "void go(float *x, int n) { k<<<n / 256, 256>>>(x, n); }"
SIZE = "void go(float *x, int t) { k<<<4, t>>>(x, t); }"
ROUNDED = "void go(float *x, int n, int t) { k<<<(n + t - 1) / t, t>>>(x, n); }"
BY_WORDS = "void go(float *x, size_t n) { k<<<(n + 255) / 256, 256>>>(x, n); }"


@pytest.mark.parametrize(
    ("condition", "host", "parameters"),
    [
        (f"{INDEX} < n", DIVIDED, "float *x, int n"),
        (f"(int){INDEX} >= n", DIVIDED, "float *x, int n"),
        (f"n <= (int){INDEX}", BY_256, "float *x, int n"),
        ("threadIdx.x + blockIdx.x * 256 < n", BY_256, "float *x, unsigned n"),
        (f"{INDEX} < n", DIVIDED, "float *x, unsigned long n"),
        ("threadIdx.x < n", SIZE, "float *x, int n"),
        ("blockIdx.x * blockDim.x < n", ROUNDED, "float *x, int n"),
        ("n <= (int)(blockDim.x * blockIdx.x)", ROUNDED, "float *x, int n"),
        ("blockIdx.x * blockDim.x >= n", DIVIDED, "float *x, int n"),
        ("blockIdx.x * 256 < n", BY_WORDS, "float *x, size_t n"),
        (f"{INDEX} < blockDim.x * gridDim.x", "", "float *x, int n"),
        ("blockIdx.x * n + threadIdx.x < gridDim.x * n", SIZE, "float *x, int n"),
    ],
)
def test_a_comparison_that_every_launch_decides_agrees(condition: str, host: str, parameters: str) -> None:
    assert _level(condition, host, parameters) is Level.GRID


@pytest.mark.parametrize(
    ("condition", "host", "parameters"),
    [
        (f"{INDEX} < n", "void go(float *x, int n, int t) { k<<<(n + t - 1) / t, t>>>(x, n); }", "float *x, int n"),
        (f"{INDEX} < n", "", "float *x, int n"),
        (f"{INDEX} + 1 < n", DIVIDED, "float *x, int n"),
        (f"{INDEX} < n", DIVIDED, "float *x, short n"),
        (f"(long){INDEX} < n", DIVIDED, "float *x, long n"),
        (f"{INDEX} < (int)n", DIVIDED, "float *x, unsigned long n"),
        ("threadIdx.x + blockIdx.x * 128 < n", BY_256, "float *x, int n"),
        (f"{INDEX} + threadIdx.y < n", DIVIDED.replace(" t>>>", " dim3(t, 2)>>>"), "float *x, int n"),
        ("threadIdx.x * 2 < n", SIZE, "float *x, int n"),
        ("blockIdx.x * blockDim.x + 1 < n", ROUNDED, "float *x, int n"),
        ("blockIdx.x * blockDim.x < n", ROUNDED.replace("n + t - 1", "n + t"), "float *x, int n"),
        ("blockIdx.y * blockDim.y < n", ROUNDED, "float *x, int n"),
        ("(long)(blockIdx.x * 256) < n", BY_WORDS, "float *x, long n"),
        ("threadIdx.y < n", "void go(float *x, int t) { k<<<4, dim3(t, 2)>>>(x, t); }", "float *x, int n"),
        ("threadIdx.x < n - 1", SIZE, "float *x, int n"),
        (f"{INDEX} < n", SIZE, "float *x, int n"),
        (f"{INDEX} < n", f"{DIVIDED}\nvoid more(float *x, int m) {{ k<<<4, 64>>>(x, m); }}", "float *x, int n"),
    ],
)
def test_others_do_not(condition: str, host: str, parameters: str) -> None:
    assert _level(condition, host, parameters) > Level.GRID


def _multiples(host: str, kernel: str = KERNEL) -> dict[int, int]:
    analysis = analyzed({"k.cu": f"{HEAD}{kernel}{host}\n"}, "k.cu")
    launch = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
    assert launch is not None
    return dict(launch.multiples)


@pytest.mark.parametrize(
    ("host", "divisor"),
    [
        ("void go(float *x, int n) { k<<<4, 256>>>(x, n * 1024); }", 1024),
        ("void go(float *x, int n) { k<<<4, 256>>>(x, (n + 31) / 32 * 32); }", 32),
        ("void go(float *x, int n) { const int m = n << 6; k<<<4, 256>>>(x, (int)m); }", 64),
        ("void go(float *x, int n) { int m = (n + 127) & ~127; k<<<4, 256>>>(x, m); }", 128),
        ("void go(float *x, int n) { int m = 96 * n; m = m; int s = 64 * n; k<<<4, 256>>>(x, s + n * 16); }", 16),
        ("int main(int c, char **v) { int n = atoi(v[1]) * 512; k<<<n / 256, 256>>>(nullptr, n); }", 512),
        ("const int T = 48; void go(float *x, int n) { k<<<n, T>>>(x, n * T); k<<<n, T>>>(x, 8 * T); }", 16),
        ("void go(float *x, int n) { k<<<4, 256>>>(x, n % 2 ? n * 64 : 96); }", 32),
        ("void go(float *x, int n) { n *= 1024; k<<<4, 256>>>(x, n); }", 1024),
        ("void go(float *x, int n) { int m = 7; if (n > 3) m = n; m <<= 5; k<<<4, 256>>>(x, m); }", 32),
        ("void go(float *x, int n) { int m = 8 * n; if (n > 3) m = n * 32; k<<<4, 256>>>(x, m); }", 8),
        ("static void go(int n) { k<<<4, 256>>>(0, n); } void f(int a) { go(a * 64); go(a * 96); }", 32),
        ("static void go(int n) { k<<<4, 256>>>(0, n); } void f(int a) { go(a * 64); go(48); }", 16),
        ("static void go(int n) { k<<<4, 256>>>(0, 3 * n); } void f(int a) { a *= 128; go(a); }", 128),
    ],
)
def test_products_and_masks_are_multiples(host: str, divisor: int) -> None:
    assert _multiples(host) == {1: divisor}


@pytest.mark.parametrize(
    "host",
    [
        "void go(float *x, int n) { k<<<4, 256>>>(x, n * 3); }",
        "void go(float *x, int n) { int m = n * 64; m += 1; k<<<4, 256>>>(x, m); }",
        "void go(float *x, int n) { int m = n * 64; change(m); k<<<4, 256>>>(x, m); }",
        "void go(float *x, float n) { k<<<4, 256>>>(x, n * 64); }",
        "void go(float *x, int n) { int b = n % 3; int m = b * 33; b = 64; k<<<b, 32>>>(x, m); }",
        "void go(float *x, float n) { int m = n * 64; k<<<4, 256>>>(x, m); }",
        "void go(float *x, Unknown n) { k<<<4, 256>>>(x, n * 64); }",
        "void go(float *x) { k<<<4, 256>>>(x, atof(0) * 64); }",
        "void go(float *x, int n) { k<<<4, 256>>>(x, n * 64 / 3); }",
        "void go(float *x, int n) { k<<<4, 256>>>(x, n * 64 * 0.5); }",
        "void go(float *x, int n) { k<<<4, 256>>>(x, n * 64); k<<<4, 256>>>(x, n); }",
        "void go(float *x, int n) { k<<<4, 256>>>(x, n * 64); k<<<4, 256>>>(x, 9); }",
        "void go(float *x) { k<<<4, 256>>>(x, 1024); }",
        "void go(float *x, int n) { int m = n * 64; for (int i = 0; i < n; i++) { k<<<4, 256>>>(x, m); m = n; } }",
        "void go(float *x, int n) { int m = n * 64; if (n > 3) m++; k<<<4, 256>>>(x, m); }",
        "void go(float *x, int n) { if (n > 3) n *= 64; k<<<4, 256>>>(x, n); }",
        "void go(float *x, int n) { n *= 64; n += 1; k<<<4, 256>>>(x, n); }",
        "void go(float *x, int n) { n *= 1.5; k<<<4, 256>>>(x, n); }",
        "void go(float *x, int n) { n *= 64; int *p = &n; *p = 3; k<<<4, 256>>>(x, n); }",
        "static void go(int n) { k<<<4, 256>>>(0, n); } void f(int a) { go(a * 64); go(a); }",
        "void go(int n) { k<<<4, 256>>>(0, n); } void f(int a) { go(a * 64); auto *g = go; g(a); }",
        "static void go(int n) { n++; k<<<4, 256>>>(0, n); } void f(int a) { go(a * 64); }",
        "static void go(int &n) { k<<<4, 256>>>(0, n); } void f(int a) { a *= 64; go(a); }",
    ],
)
def test_what_may_be_any_number_is_no_multiple(host: str) -> None:
    assert _multiples(host) == {}


EXIT = """\
__global__ void k(float *x, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i OPERATOR n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = s[255 - threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("block", "comparison", "number", "level"),
    [
        ("256", ">=", "n * 256", Level.BLOCK),
        ("256", ">=", "n * 512", Level.BLOCK),
        ("256", ">", "n * 256 - 1", Level.BLOCK),
        ("dim3(64, 4)", ">=", "n * 64", Level.BLOCK),
        ("256", ">=", "n * 128", Level.WARP),
        ("256", ">", "n * 256", Level.VARYING),
        ("256", ">=", "n", Level.VARYING),
        ("48", ">=", "n * 48", Level.VARYING),
    ],
)
def test_blocks_end_where_a_multiple_does(block: str, comparison: str, number: str, level: Level) -> None:
    host = f"void go(float *x, int n) {{ k<<<(n + 255) / 256, {block}>>>(x, {number}); }}"
    kernel = EXIT.replace("OPERATOR", comparison)
    if number.endswith("- 1"):  # what is passed is the multiple, the kernel takes one off
        host, kernel = host.replace("n * 256 - 1", "n * 256"), kernel.replace("> n)", "> n - 1)")
    analysis = analyzed({"k.cu": f"{HEAD}{kernel}{host}\n"}, "k.cu")
    (branch,) = next(one for one in analysis.facts.functions if one.name == "k").branches
    assert branch.level is level


def test_a_missed_barrier_is_shown_with_a_multiple_or_not_at_all() -> None:
    host = "void go(float *x, int n) { k<<<(n * 64 + 255) / 256, 256>>>(x, n * 64); }"
    analysis = analyzed({"k.cu": f"{HEAD}{EXIT.replace('OPERATOR', '>=')}{host}\n"}, "k.cu")
    (site,) = next(one for one in analysis.facts.functions if one.name == "k").barriers
    assert site.evidence is not None
    assert site.evidence.witness is not None
    assert dict(site.evidence.witness.arguments)["n"] % 64 == 0


def test_what_is_known_of_a_multiple_is_told() -> None:
    host = "void go(float *x, int n) { k<<<4, 256>>>(x, n * 1024); }"
    analysis = analyzed({"k.cu": f"{HEAD}{KERNEL}{host}\n"}, "k.cu")
    function = next(one for one in analysis.facts.functions if one.name == "k")
    assert "`n` is a multiple of 1024" in (
        launches_text(block_text(analysis.launch_of(function)), analysis, function) or ""
    )
