"""What host code says about a launch, and what it does not: CUDA text in, the launch out.

Beside each form in which a number is known stand the ways in which it is written otherwise, so that nothing is claimed.
"""

from __future__ import annotations

import pytest

from analysis.launches import Launch, launch_shapes
from analysis.launches.model import NumbersFrom
from analysis.pipeline import unit_of_text

KERNEL = "__global__ void k(float *x, int n);\n"
MAIN = "int main(int argc, char **argv) { "


def only_launch(text: str) -> Launch:
    unit = unit_of_text(KERNEL + text)
    (found,) = launch_shapes(unit)["k"]
    return found


def claimed(text: str) -> tuple[int | None, int | float | None]:
    """Threads of each block, and the number for `n`, where they are the same in every launch."""
    launch = only_launch(text)
    return (None if launch.block is None else launch.block.x), launch.argument_values[1]


CONFIG = "struct Config { int threads = 64; int n; dim3 grid; };\n"
RUN = "static void run(Config c) { k<<<c.n / c.threads, c.threads>>>(0, c.n); }\n"


@pytest.mark.parametrize(
    ("text", "block", "n"),
    [
        # sizes that are computed from each other
        (
            MAIN + "int w = 64, h = 32; int n = w * h; size_t b = n * sizeof(float); k<<<b / 64, 128>>>(0, b); }",
            128,
            8192,
        ),
        (
            "int up(int a, int b) { return (a + b - 1) / b; }\n"
            + MAIN
            + "int t = up(1000, 32); k<<<1, t>>>(0, t * 2); }",
            32,
            64,
        ),
        (
            "template <class T> T up(T a, T b) { return a % b ? a / b + 1 : a / b; }\n"
            + MAIN
            + "k<<<1, up(99, 3)>>>(0, 1); }",
            33,
            1,
        ),
        # what is stored is converted
        (MAIN + "int t = 10 / 4.0; k<<<1, t * 2>>>(0, t); }", 4, 2),
        (MAIN + "float t = 10; int n = t / 4 * 2; k<<<1, 8>>>(0, n); }", 8, 5),
        (MAIN + "unsigned char t = 300; k<<<1, t>>>(0, t); }", 44, 44),
        # objects
        (CONFIG + MAIN + "Config c; c.n = 512; k<<<1, c.threads>>>(0, c.n); }", 64, 512),
        (CONFIG + MAIN + "Config c; c.threads *= 2; c.n = c.threads + 1; k<<<1, c.threads>>>(0, c.n); }", 128, 129),
        (CONFIG + MAIN + "Config c{128, 512}; Config d = c; c.n = 3; k<<<1, d.threads>>>(0, d.n); }", 128, 512),
        (CONFIG + MAIN + "Config c = {.n = 7}; k<<<1, c.threads>>>(0, c.n); }", 64, 7),
        (CONFIG + MAIN + "Config c; c.grid = dim3(2, 96); k<<<1, c.grid.y>>>(0, c.grid.x); }", 96, 2),
        (CONFIG + RUN + MAIN + "Config c; c.threads = 128; c.n = 1024; run(c); }", 128, 1024),
        (CONFIG + RUN.replace("Config c", "const Config &c") + MAIN + "run({32, 256}); }", 32, 256),
        ("static void run(dim3 b) { k<<<1, b>>>(0, b.x); }\n" + MAIN + "run(dim3(48)); }", 48, 48),
        # default arguments, template arguments
        ("static void run(int n, int t = 128) { k<<<n / t, t>>>(0, n); }\n" + MAIN + "run(1024); }", 128, 1024),
        (
            "static void run(int n, int t = 128);\nstatic void run(int n, int t) { k<<<n / t, t>>>(0, n); }\n"
            + MAIN
            + "run(1024); }",
            128,
            1024,
        ),
        ("template <int T> static void run(int n) { k<<<n / T, T>>>(0, n); }\n" + MAIN + "run<96>(9); }", 96, 9),
        # branches whose way is known, and both ways alike
        (MAIN + "int t = 64; const bool large = false; if (large) t = 256; k<<<1, t>>>(0, 1); }", 64, 1),
        (MAIN + "int t; if (argc > 1) t = 64; else t = 64; k<<<1, t>>>(0, 1); }", 64, 1),
        (MAIN + "dim3 b(32); if (argc > 1) b.y = 4; else k<<<1, b>>>(0, b.y); }", 32, 1),
    ],
)
def test_what_is_the_same_in_every_launch(text: str, block: int, n: int) -> None:
    assert claimed(text) == (block, n)


@pytest.mark.parametrize(
    "text",
    [
        # a name that means something else than the constant of the file
        "const int t = 64; struct R { int t; void go() { k<<<1, t>>>(0, t); } };",
        "const int t = 64; struct B { int t; }; struct R : B { void go() { k<<<1, t>>>(0, t); } };",
        "const int t = 64; struct R : Unseen { void go() { k<<<1, t>>>(0, t); } };",
        "struct R { const int t = 64; R(int u) : t(u) {} void go() { k<<<1, t>>>(0, t); } };",
        "const int t = 64; void go(int n, int t = 128) { k<<<1, t>>>(0, t); }",
        "const int t = 64; template <int t> void go() { k<<<1, t>>>(0, t); }",
        "const int t = 64; void go() { auto f = [t = size()] { k<<<1, t>>>(0, t); }; f(); }",
        "namespace a { const int t = 64; } extern int t; void go() { k<<<1, t>>>(0, t); }",
        # unsigned arithmetic
        MAIN + "unsigned a = 3; k<<<1, (a - 5) % 1000>>>(0, (a - 5) / 2); }",
        # objects
        CONFIG + MAIN + "Config c; c.n = 5; Config &r = c; r.n = 7; r.threads = 3; k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + MAIN + "Config c{128, 5}; fill(c); k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + MAIN + "Config c{1, 2}; parse(c, argv); k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + MAIN + "Config c{1, 2}; parse(&c); k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + MAIN + "Config c{1, 2}; c.parse(argv); k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + MAIN + "Config c{1, 2}; if (argc > 1) c = Config{3, 4}; k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + MAIN + "Config c = parse(argv); k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + MAIN + "Config c{1, 2}; auto f = [&] { c.threads = c.n = 9; }; f(); k<<<1, c.threads>>>(0, c.n); }",
        "struct Config { int threads = 64, n = 2; Config() { n = threads = 3; } };\n"
        + MAIN + "Config c; k<<<1, c.threads>>>(0, c.n); }",
        "struct Base { int m; }; struct Config : Base { int threads = 64, n = 2; };\n"
        + MAIN + "Config c; k<<<1, c.threads>>>(0, c.n); }",
        CONFIG + RUN.replace("static ", "") + MAIN + "Config c{1, 2}; run(c); }",
        CONFIG + RUN.replace("{ k", "{ adjust(c); k") + MAIN + "Config c{1, 2}; run(c); }",
        CONFIG + RUN.replace("Config c", "Config &c") + MAIN + "Config c{1, 2}; run(c); }",
        # a call that passes something else; a template that is called with something else
        "static void run(int n, int t = 128) { k<<<1, t>>>(0, n); }\n" + MAIN + "run(argc); run(argc, argc); }",
        "template <int T> void run() { k<<<1, T>>>(0, T); }\n" + MAIN + "run<96>(); }",
        # the time of a write is not known
        MAIN + "int t = 64; auto f = [&] { k<<<1, t>>>(0, t); }; t = 128; f(); }",
        MAIN + "int t = 64; auto f = [&] { t = 96; }; t = 128; f(); k<<<1, t>>>(0, t); }",
        MAIN + "int t = 64; for (int i = 0; i < 2; i++) { if (i == 0) t = 3; k<<<1, t>>>(0, t); } }",
        MAIN + "int t = 64; for (; argc > 1; t = 3) k<<<1, t>>>(0, t); }",
        MAIN + "int t = 64; for (;;) { k<<<1, t>>>(0, t); t++; } }",
        MAIN + "int t = 64; argc > 1 && (t = 3); k<<<1, t>>>(0, t); }",
        MAIN + "int t = 64; switch (argc) { case 2: t = 3; case 3: k<<<1, t>>>(0, t); } }",
        MAIN + "int t = 64; try { parse(); t = 3; } catch (int e) {} k<<<1, t>>>(0, t); }",
        "void go() { static int t = 64; k<<<1, t>>>(0, t); t = 3; }",
        # an array that is written
        MAIN + "int s[] = {1, 2}; s[argc] = 7; k<<<1, s[0]>>>(0, s[1]); }",
        MAIN + "int s[] = {1, 2}; read(s); k<<<1, s[0]>>>(0, s[1]); }",
    ],
)  # fmt: skip
def test_what_may_be_another_number_is_not_claimed(text: str) -> None:
    assert claimed(text) == (None, None)


def every(text: str) -> set[tuple[int | None, int | float | None]]:
    """Threads of a block, and the number for `n`: each launch is one of these."""
    found = only_launch(text).every
    return {(None if one.block is None else one.block.x, one.argument_values[1]) for one in found}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int t : {64, 128}) k<<<8, t>>>(0, 8 * t);", {(64, 512), (128, 1024)}),
        ("for (auto t : {64, 128}) k<<<8, t>>>(0, 8 * t);", {(64, 512), (128, 1024)}),
        ("for (const auto &t : {64, 128}) { dim3 b(t); k<<<8, b>>>(0, 1); }", {(64, 1), (128, 1)}),
        ("for (auto &&t : {64u, 128u}) k<<<8, t>>>(0, 1);", {(64, 1), (128, 1)}),
        ("for (auto t : {64, argc}) k<<<8, t>>>(0, 1);", {(None, 1)}),
        # objects
        ("for (auto b : {dim3(8, 8), dim3(4)}) k<<<8, b>>>(0, b.y);", {(8, 8), (4, 1)}),
        ("for (dim3 b : {dim3(8, 8), {4}, argc}) k<<<8, b>>>(0, 1);", {(8, 1), (4, 1), (None, 1)}),
        ("const dim3 s[] = {dim3(8, 2), {4}, 16}; for (const dim3 &b : s) k<<<8, b>>>(0, b.y);",
         {(8, 2), (4, 1), (16, 1)}),
        ("const dim3 s[] = {dim3(8, 2), {4, 4}}; for (int i = 0; i < 2; i++) k<<<8, s[i]>>>(0, s[1 - i].x);",
         {(8, 4), (4, 8)}),
        ("std::initializer_list<dim3> s = {{8, 2}, 4}; for (auto b : s) k<<<8, b>>>(0, 1);", {(8, 1), (4, 1)}),
        ("std::vector<dim3> s = {{8, 2}, 4}; for (const auto &b : s) k<<<8, b>>>(0, 1);", {(8, 1), (4, 1)}),
        ("struct C { dim3 b; int n; }; C s[] = {{8, 3}, {dim3(4), 5}}; for (C c : s) k<<<8, c.b>>>(0, c.n);",
         {(None, None)}),  # records of functions are not read
        ("int n = 8; const dim3 s[] = {n}; n = 16; for (dim3 b : s) k<<<8, b>>>(0, 1);", {(8, 1)}),
        ("int n = 8; const int s[] = {n}; n = 16; for (int b : s) k<<<8, b>>>(0, 1);", {(8, 1)}),
        ("int n = 8; for (;;) { const int s[] = {n}; for (int b : s) k<<<8, b>>>(0, 1); n = 16; }", {(None, 1)}),
        ("dim3 s[] = {8, 4}; for (dim3 &b : s) { b.x += 1; k<<<8, b>>>(0, 1); }", {(None, 1)}),
        ("dim3 s[] = {8, 4}; for (dim3 b : s) { b.x += 1; k<<<8, b>>>(0, 1); }", {(None, 1)}),
        ("dim3 s[] = {8, 4}; s[1].x = argc; for (dim3 b : s) k<<<8, b>>>(0, 1);", {(None, 1)}),
        ("dim3 s[] = {8, 4}; change(s); for (dim3 b : s) k<<<8, b>>>(0, 1);", {(None, 1)}),
        ("int s[] = {64, 128}; for (auto &&t : s) { t = 32; k<<<8, t>>>(0, 1); }", {(None, 1)}),
        ("const char s[] = {64, 300}; for (const auto &t : s) k<<<8, t>>>(0, 1);", {(64, 1), (44, 1)}),
        ("const int s[] = {64, 128}; for (int t : s) k<<<8, t>>>(0, 1);", {(64, 1), (128, 1)}),
        ("int s[] = {64, 128}; for (int i = 0; i < 2; i++) k<<<8, s[i]>>>(0, i);", {(64, 0), (128, 1)}),
        ("int s[] = {64, 128}; for (int i = 0; i < sizeof(s) / sizeof(s[0]); i++) k<<<8, s[i]>>>(0, i);",
         {(64, 0), (128, 1)}),
        ("for (int t = 32; t <= 128; t *= 2) k<<<8, t>>>(0, 1);", {(32, 1), (64, 1), (128, 1)}),
        ("for (int t = 128; t > 32; t >>= 1) { if (t == argc) break; k<<<8, t>>>(0, 1); }", {(128, 1), (64, 1)}),
        ("std::vector<int> s = {64, 128}; for (int t : s) k<<<8, t>>>(0, 1);", {(64, 1), (128, 1)}),
        ("const std::vector<unsigned> s{64, 128}; for (unsigned t : s) k<<<8, t>>>(0, t);", {(64, 64), (128, 128)}),
        ("std::array<int, 2> s = {64, 128}; for (int t : s) k<<<8, s[0]>>>(0, t);", {(64, 64), (64, 128)}),
        ("vector<char> s = {64, 300}; for (int t : s) k<<<8, t>>>(0, 1);", {(64, 1), (44, 1)}),
        ("std::vector<int> s = {64, 128}; s[0] = argc; for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::vector<int> s = {64, 128}; s.push_back(argc); for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::vector<int> s = {64, 128}; for (int &t : s) t *= 2; for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::vector<int> s = {64, 128}; fill(s); for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::vector<int> s = {64, 128}; auto &r = s; r[0] = 3; for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::vector<int> s = {64, 128}; s = {32}; for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::vector<int> s(2, 64); for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::set<int> s = {64, 128}; for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("std::vector<int> s = {64, 128}; k<<<8, 32>>>(0, sizeof(s));", {(32, None)}),
        ("for (int t : {2, 4}) for (int n : {1, 2}) k<<<8, t>>>(0, n);", {(2, 1), (2, 2), (4, 1), (4, 2)}),
        # not counted, or counted otherwise
        ("for (int t : {64, 128}) { t += argc; k<<<8, t>>>(0, 1); }", {(None, 1)}),
        ("for (int &t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("for (int t = 32; t <= argc; t *= 2) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("for (int t = 32; t <= 64; t *= 2) { if (argc > 1) t++; k<<<8, t>>>(0, 1); }", {(None, 1)}),
        ("for (int t = 32; t <= 64; t *= 2) { read(t); k<<<8, t>>>(0, 1); }", {(None, 1)}),
        ("int e = 64; for (int t = 32; t <= e; t *= 2) { k<<<8, t>>>(0, 1); e = 999; }", {(None, 1)}),
        ("for (int t = 1; t < 99; t++) k<<<8, t>>>(0, 1);", {(None, 1)}),
        ("int s[] = {64, 128}; s[0] = argc; for (int t : s) k<<<8, t>>>(0, 1);", {(None, 1)}),
    ],
)  # fmt: skip
def test_all_rounds_of_a_loop_hold(body: str, expected: set[tuple[int | None, int | None]]) -> None:
    assert every(f"{MAIN}{body} }}") == expected


def test_all_calls_of_a_function_that_only_this_file_calls_hold() -> None:
    run = "void run(int t) { k<<<1, t>>>(0, 2 * t); }\n" + MAIN + "for (int t : {8, 16}) run(t); run(99); }"
    assert every("static " + run) == {(8, 16), (16, 32), (99, 198)}
    assert every(run) == {(None, None)}  # other files may call it
    assert {one.argument_values[1] for one in only_launch(run).made} == {16, 32, 198}
    assert NumbersFrom.CALLS in only_launch(run).numbers_from


@pytest.mark.parametrize(
    "body",
    [
        "int t = argc > 1 ? atoi(argv[1]) : 96; k<<<1, t>>>(0, 2 * t);",
        "int t = 96; if (argc > 1) t = atoi(argv[1]); k<<<1, t>>>(0, 2 * t);",
        "int t = 96; if (argc == 2 && argv[1][0] != '-') { t = atoi(argv[1]); } k<<<1, t>>>(0, 2 * t);",
        "int t; if (argc < 2) { t = 96; } else { t = atoi(argv[1]); } k<<<1, t>>>(0, 2 * t);",
        'int t = 96; if (checkCmdLineFlag(argc, (const char **)argv, "t")) t = size(argv); k<<<1, t>>>(0, 2 * t);',
        "MPI_Init(&argc, &argv); parse(argc, argv); int t = 96; if (argc > 1) t = size(); k<<<1, t>>>(0, 2 * t);",
        "if (argc > 2) { usage(); } int t = 96; if (argc > 1) t = size(); k<<<1, t>>>(0, 2 * t);",
    ],
)
def test_a_program_that_is_started_without_arguments_takes_the_default(body: str) -> None:
    launch = only_launch(f"{MAIN}{body} }}")
    assert (launch.block, launch.argument_values[1]) == (None, None)  # any number may be given
    assert {(one.block and one.block.x, one.argument_values[1]) for one in launch.made} == {(96, 192)}
    assert launch.every == (launch.every[0],)
    assert launch.numbers_from == {NumbersFrom.START}


@pytest.mark.parametrize(
    "body",
    [
        "if (argc < 2) return 1; int t = 96; if (argc > 1) t = atoi(argv[1]); k<<<1, t>>>(0, 2 * t);",
        "if (argc != 2) { usage(argv[0]); } int t = 96; if (argc > 1) t = atoi(argv[1]); k<<<1, t>>>(0, 2 * t);",
        "int t = 96; if (argc > 1) { t = atoi(argv[1]); k<<<1, t>>>(0, 2 * t); }",
    ],
)
def test_a_program_that_ends_without_arguments_launches_nothing(body: str) -> None:
    assert [one.argument_values[1] for one in only_launch(f"{MAIN}{body} }}").made] == [None]
