"""Launch shapes from host code and from comments: CUDA text in, shapes out."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from analysis.launches import (
    AnnotationProblemKind,
    Launch,
    Shape,
    annotation,
    kernels_used_otherwise,
    launch_shapes,
)
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.translation_unit import TranslationUnit


class Files:
    """The headers of a test."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)

    def exists(self, path: str) -> bool:
        return path in self._files


def launches(text: str, kernel: str = "k", headers: Mapping[str, bytes] | None = None) -> tuple[Launch, ...]:
    files = Files(headers or {})
    unit = TranslationUnit.build("a.cu", Document.open(text.encode()), files, Environment())
    return launch_shapes(unit).get(kernel, ())


def check(body: str, block: tuple[int, ...] | None, grid: tuple[int, ...] | None, before: str = "") -> None:
    """The one launch of `k` in a host function with this body; shapes are written without their trailing ones."""
    found = launches(f"{before}\nvoid host(int n, float* p, cudaStream_t s) {{ {body} }}")
    assert len(found) == 1
    assert found[0].block == (None if block is None else Shape(*block))
    assert found[0].grid == (None if grid is None else Shape(*grid))


@pytest.mark.parametrize(
    "written",
    ["k << < 4, 64 >> > (p, n);", "k<<  <4, 64>>\t>(p, n);", "k<float> << <4, dim3(64) >> >\n (p, n);"],
)
def test_launches_that_formatters_spread(written: str) -> None:
    """Formatters that do not know CUDA put blanks between the brackets; compilers accept them."""
    check(written, (64,), (4,))


def test_brackets_in_strings_and_templates_are_no_spread_launch() -> None:
    check('puts("k << < 1, 2 >> > (3)"); std::vector<std::vector<A<int>> > v(n); k<<<4, 64>>>(p, n);', (64,), (4,))


@pytest.mark.parametrize(
    ("configuration", "block", "grid"),
    [
        ("4, 256", (256,), (4,)),
        ("dim3(2, 3), dim3(16, 16)", (16, 16), (2, 3)),
        ("dim3{2}, dim3{8, 4, 2}", (8, 4, 2), (2,)),
        ("make_uint3(1, 2, 3), 32 * 2 + 1", (65,), (1, 2, 3)),
        ("(1 << 4), (unsigned)64", (64,), (16,)),
        ("static_cast<int>(3.9), int(5)", (5,), (3,)),
        ("ceil(5 / 2.0), min(256, 64)", (64,), (3,)),
        ("true ? 2 : 3, sizeof(float) * 8", (32,), (2,)),
        ("(n + 255) / 256, 256", (256,), None),
        ("f(1), n", None, None),
        ("1, 0", None, (1,)),
        ("1, -4", None, (1,)),
        ("7 / 0, 1 << 70", None, None),
    ],
)
def test_written_where_it_is_launched(
    configuration: str, block: tuple[int, ...] | None, grid: tuple[int, ...] | None
) -> None:
    check(f"k<<<{configuration}>>>(p);", block, grid)


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("dim3 b(16, 8); k<<<1, b>>>();", (16, 8)),
        ("dim3 b = dim3(16, 8); k<<<1, b>>>();", (16, 8)),
        ("auto b = dim3{16, 8}; k<<<1, b>>>();", (16, 8)),
        ("dim3 b = {16, 8}; k<<<1, b>>>();", (16, 8)),
        ("dim3 b; b = dim3(16, 8); k<<<1, b>>>();", (16, 8)),
        ("dim3 b(16); b.y = 8; k<<<1, b>>>();", (16, 8)),
        ("dim3 b; b.x = 16; b.y = 8; b.z = 1; k<<<1, b>>>();", (16, 8)),
        ("dim3 b(16); b.x *= 2; k<<<1, b>>>();", (32,)),
        ("dim3 b(16, 4); b.y /= 2; b.x = 8; k<<<1, b>>>();", (8, 2)),
        ("dim3 b(16); k<<<1, b>>>(); b.x *= 2;", (16,)),
        # A copy is of what was there then.
        ("dim3 b(16); dim3 c = b; b.y = 16; k<<<1, c>>>();", (16,)),
        ("dim3 b(16); int size = b.x; b.x *= 2; k<<<1, size>>>();", (16,)),
        ("dim3 b(16); b.y = b.x; b.x *= 2; k<<<1, b>>>();", (32, 16)),
        ("dim3 b(16); b.x = b.y + 1; b.y = b.x + 1; k<<<1, b>>>();", (2, 3)),
        # How often it was doubled is not known.
        ("dim3 b(16); while (n--) { b.x *= 2; k<<<1, b>>>(); }", None),
        ("dim3 b(16); if (n) b.x *= 2; k<<<1, b>>>();", None),
        ("dim3 b(16); b.x *= n; k<<<1, b>>>();", None),
        ("dim3 b(16); b.x *= 2; b.x *= 2; k<<<1, b>>>();", (64,)),
        ("dim3 b(16, 8); b = dim3(4); k<<<1, b>>>();", (4,)),
        ("int t = 128; t = 64; k<<<1, t>>>();", (64,)),
        ("int t = 128; t *= 2; k<<<1, t>>>();", (256,)),
        ("int t = 128; t++; k<<<1, t>>>();", (129,)),
        ("int t[2] = {1, 2}; k<<<1, t[1]>>>();", (2,)),
        ("dim3 b(16); again: k<<<1, b>>>(); b.x *= 2; if (n) goto again;", None),
        ("dim3 a(16, 8), b(a); k<<<1, b>>>();", (16, 8)),
        ("int x = 16, y = 8; dim3 b(x, y); k<<<1, b>>>();", (16, 8)),
        ("dim3 a(16, 8), b(a.y, a.x); k<<<1, b>>>();", (8, 16)),
        ("const int t = 128; int u = t * 2; k<<<1, u>>>();", (256,)),
        ("int t; t = 128; k<<<1, t>>>();", (128,)),
        ("int t = 128; if (n) { k<<<1, t>>>(); }", (128,)),
    ],
)
def test_variables_written_once(body: str, block: tuple[int, ...]) -> None:
    check(body, block, (1,))


@pytest.mark.parametrize(
    "body",
    [
        "int t = 128; if (n) t = 64; k<<<1, t>>>();",
        "int t = 128; if (n) t *= 2; k<<<1, t>>>();",
        "int t = 128; if (n) t++; k<<<1, t>>>();",
        "int t = 128; f(&t); k<<<1, t>>>();",
        "int t; if (n) t = 128; k<<<1, t>>>();",
        "for (int t = 1; t < 9; t *= 2) k<<<1, t>>>();",
        "int t = n; k<<<1, t>>>();",
        "{ int t = 128; } { int t = 64; k<<<1, t>>>(); }",
        "dim3 b(16, 8); if (n) b = dim3(4); k<<<1, b>>>();",
        "dim3 b(16, 8); if (n) b.x *= 2; k<<<1, b>>>();",
        "dim3 b(16, 8); auto twice = [&] { b.x *= 2; }; k<<<1, b>>>();",
        "dim3 b(16, 8); n ? (b.x = 2) : 0; k<<<1, b>>>();",
        "dim3 b(16, n); k<<<1, b>>>();",
        "dim3 b; f(b); k<<<1, b>>>();",
        "int* t = q; k<<<1, *t>>>();",
        "int t[2] = {1, 2}; f(t); k<<<1, t[0]>>>();",
        "int t[2] = {1, 2}; k<<<1, t[n]>>>();",
        "k<<<1, t>>>(); int t = 128;",
        "int a = b, b = a; k<<<1, a>>>();",
    ],
)
def test_anything_else_is_not_guessed(body: str) -> None:
    check(body, None, (1,))


CALLEES = """
void by_reference(int n, int& blocks, int& threads);
void by_value(int threads); void by_constant(const int& threads, int const & more);
template <class T> void forwarded(T&& value) {}
template <class... T> void pack(int n, T&... values) {}
struct Chooser { Chooser(int& threads) { threads = 96; } void choose(int& threads); };
void Chooser::choose(int& threads) { threads = 96; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "int b = 1, t = 64; by_reference(n, b, t); k<<<1, t>>>();",
        "int t = 64; forwarded(t); k<<<1, t>>>();",
        "int t = 64; pack(1, n, t); k<<<1, t>>>();",
        "int t = 64; not_shown(t); k<<<1, t>>>();",
        "int t = 64; not_shown((t)); k<<<1, t>>>();",
        "int t = 64; not_shown(n ? t : n); k<<<1, t>>>();",
        "dim3 t(64); not_shown(t.x); k<<<1, t>>>();",
        "int t = 64; Chooser c(t); k<<<1, t>>>();",
        "int t = 64; c.choose(t); k<<<1, t>>>();",
        "int t = 64; std::swap(t, n); k<<<1, t>>>();",
        "int t = 64; std::tie(n, t) = f(); k<<<1, t>>>();",
        "int t = 64; auto f = [](int& x) { x = 96; }; f(t); k<<<1, t>>>();",
        "int t = 64; std::cin >> t; k<<<1, t>>>();",
        "int t = 64; std::cin >> n >> t; k<<<1, t>>>();",
        "int t = 64; std::ifstream file(p); file >> t; k<<<1, t>>>();",
        "int t = 64; int& r = t; r = 96; k<<<1, t>>>();",
        "int t = 64; auto& r = t; r = 96; k<<<1, t>>>();",
        "int t = 64; int&& r = static_cast<int&&>(t); r = 96; k<<<1, t>>>();",
        "int t = 64; int& r = (int&)t; r = 96; k<<<1, t>>>();",
        "int t = 64; ((int&)t) = 96; k<<<1, t>>>();",
        "int t = 64, u = 3; (n ? t : u) = 96; k<<<1, t>>>();",
        "int t = 64; (t) = 96; k<<<1, t>>>();",
        "int t = 64; (t)++; k<<<1, t>>>();",
        "auto [a, t] = shape(); k<<<1, t>>>();",
        "int t = 64; while (n--) { k<<<1, t>>>(); by_reference(n, n, t); }",
        "int t = 64; again: k<<<1, t>>>(); by_reference(n, n, t); if (n) goto again;",
    ],
)
def test_what_a_call_or_a_stream_may_write_has_no_value(body: str) -> None:
    check(body, None, (1,), CALLEES + "const int t = 32;")


@pytest.mark.parametrize(
    "body",
    [
        "int b = 1, t = 64; by_reference(t, b, n); k<<<1, t>>>();",
        "int t = 64; by_value(t); by_constant(t, t); k<<<1, t>>>();",
        'int t = 64; printf("%d", t); cudaMemset(p, 0, t); k<<<1, t>>>();',
        "int t = 64; std::vector<int> v(t); v.resize(t); k<<<1, t>>>();",
        "int t = 64; std::cout << t; k<<<1, t>>>();",
        "int t = 64; int u = n >> t; k<<<1, t>>>();",
        "int t = 64; const int& r = t; k<<<1, t>>>();",
        "int t = 64; other<<<1, 2>>>(t); k<<<1, t>>>();",
        "int t = 64; dim3 g(t); k<<<1, t>>>(); by_reference(n, n, t);",
        "int t = 64; not_shown(t + 0, static_cast<float>(t)); k<<<1, t>>>();",
    ],
)
def test_what_only_reads_a_variable_leaves_its_value(body: str) -> None:
    check(body, (64,), (1,), CALLEES)


def test_members_written_later_do_not_count() -> None:
    found = launches("void host() { dim3 b(16, 8); k<<<1, b>>>(); b.x = 32; k<<<1, b>>>(); }")
    assert [launch.block for launch in found] == [Shape(16, 8), Shape(32, 8)]


def test_members_written_later_in_a_loop_do() -> None:
    found = launches("void host() { dim3 b(16, 8); while (f()) { k<<<1, b>>>(); b.x = 32; } }")
    assert [launch.block for launch in found] == [None]


@pytest.mark.parametrize(
    "before",
    [
        "#define T 64",
        "constexpr int T = 64;",
        "static const int T = 32 * 2;",
        "const int H = 32; const unsigned T = H * 2;",
        "enum { S = 63, T };",
        "enum class E : int { T = 64 };",
        "struct C { static constexpr int T = 64; };",
        "#define HALF(x) ((x) / 2)\n#define T HALF(128)",
    ],
)
def test_constants_of_the_file(before: str) -> None:
    check("k<<<1, T>>>();", (64,), (1,), before)


def test_constants_of_a_header() -> None:
    text = '#include "sizes.h"\nvoid host() { k<<<GRID, BLOCK>>>(); }'
    (launch,) = launches(text, headers={"sizes.h": b"#define BLOCK 96\nconst int GRID = 3;\n"})
    assert (launch.block, launch.grid) == (Shape(96), Shape(3))


@pytest.mark.parametrize("before", ["int T = 64;", "extern const int T;", "const int T = f();", "const int T = T;", ""])
def test_what_is_not_constant_in_the_file(before: str) -> None:
    check("k<<<1, T>>>();", None, (1,), before)


@pytest.mark.parametrize(
    "call",
    [
        "hipLaunchKernelGGL(k, dim3(2), dim3(16, 4), 32, s, p, n);",
        "hipLaunchKernelGGL((k<float>), dim3(2), dim3(16, 4), 32, s, p, n);",
        "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<float>), dim3(2), dim3(16, 4), 32, s, p, n);",
        "cudaLaunchKernel((void*)k, dim3(2), dim3(16, 4), args, 32, s);",
        "cudaLaunchKernel((const void*)&k<float>, dim3(2), dim3(16, 4), args, 32, s);",
        "cudaLaunchCooperativeKernel((void*)ns::k, dim3(2), dim3(16, 4), args, 32, s);",
        "ns::k<float><<<dim3(2), dim3(16, 4), 32, s>>>(p, n);",
    ],
)
def test_forms_of_a_launch(call: str) -> None:
    (launch,) = launches(f"void host() {{ {call} }}")
    assert (launch.block, launch.grid, launch.shared_bytes) == (Shape(16, 4), Shape(2), 32)
    assert launch.template_arguments == (("float",) if "<float>" in call else ())
    assert launch.arguments == (("p", "n") if "(p, n)" in call or "p, n)" in call else ())


def test_a_launch_in_a_macro() -> None:
    text = "#define RUN(name, threads) name<<<1, threads>>>(0)\nvoid host() { RUN(k, 48); }"
    (launch,) = launches(text)
    assert launch.block == Shape(48)


def test_launches_in_methods_lambdas_and_templates() -> None:
    text = """
    struct Runner { void go() { k<<<1, 8>>>(); } };
    template <int N> void host() { auto run = [&] { k<<<1, 16>>>(); }; run(); k<<<1, N>>>(); }
    """
    assert [launch.block for launch in launches(text)] == [Shape(8), Shape(16), None]


def test_the_span_is_that_of_the_launch_in_the_file() -> None:
    text = "int before;\nvoid host() { int t = 32; k<<<2, t>>>(t, f(1, 2)); }"
    (launch,) = launches(text)
    assert text[launch.span.start : launch.span.end] == "k<<<2, t>>>(t, f(1, 2))"
    assert launch.path == "a.cu"
    assert launch.arguments == ("t", "f(1, 2)")
    assert launch.shared_bytes == 0


@pytest.mark.parametrize(
    "text", ["void f() { k<<<; }", "void f() { <<<1,2>>>(); }", "void f() { k<<<1>>>(); }", "k<<<1,2>>>();"]
)
def test_broken_text_does_not_raise(text: str) -> None:
    for launch in launches(text):
        assert launch.block is None or launch.block == Shape(2)


# -- comments -------------------------------------------------------------------------------------------------------


def test_a_comment_says_how_to_launch() -> None:
    found = annotation("// what it does\n// simt: grid=8 block=16,16 n=2048 x=random(0, 1) seed=1 shared=64")
    assert (found.grid, found.block, found.seed, found.shared_bytes) == (Shape(8), Shape(16, 16), 1, 64)
    assert found.parameters == {"n": "2048", "x": "random(0, 1)"}
    assert found.problems == ()


def test_several_comment_lines_add_up() -> None:
    found = annotation("// simt: block=32x4\n// simt: n=7")
    assert found.block == Shape(32, 4)
    assert found.parameters == {"n": "7"}


def test_a_comment_without_the_word_says_nothing() -> None:
    assert annotation("// block=256").block is None


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("block", AnnotationProblemKind.NOT_A_SETTING),
        ("=3", AnnotationProblemKind.NOT_A_SETTING),
        ("block=", AnnotationProblemKind.NOT_A_SETTING),
        ("block=a", AnnotationProblemKind.BAD_SHAPE),
        ("block=1,2,3,4", AnnotationProblemKind.BAD_SHAPE),
        ("grid=0", AnnotationProblemKind.BAD_SHAPE),
        ("block=64,64", AnnotationProblemKind.BLOCK_TOO_LARGE),
        ("seed=x", AnnotationProblemKind.BAD_NUMBER),
        ("seed=²", AnnotationProblemKind.BAD_NUMBER),
    ],
)
def test_what_cannot_be_read_is_reported_where_it_stands(word: str, kind: AnnotationProblemKind) -> None:
    text = f"// simt: n=1 {word}"
    found = annotation(text)
    (problem,) = found.problems
    assert (problem.kind, problem.word, text[problem.start : problem.end]) == (kind, word, word)
    assert (found.block, found.grid, found.seed, found.parameters) == (None, None, None, {"n": "1"})


def test_a_key_counts_once() -> None:
    found = annotation("// simt: n=1 n=2 block=32 block=64")
    assert found.block == Shape(32)
    assert found.parameters == {"n": "1"}
    assert [problem.kind for problem in found.problems] == [AnnotationProblemKind.REPEATED] * 2


@pytest.mark.parametrize(
    ("body", "otherwise"),
    [
        ("k<<<1, 64>>>(p);", False),
        ('k<<<1, 64>>>(p); /* k */ check("k failed");', False),
        ("cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1); k<<<1, 64>>>(p);", False),
        ("int b; cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 0); k<<<1, 64>>>(p);", False),
        ("k<<<1, 64>>>(p); parameters.func = (void*)k;", True),
        ("k<<<1, 64>>>(p); run(k, 128);", True),
        ("k<<<1, 64>>>(p); { int k = 3; use(k + 1); }", False),
        ("k<<<1, 64>>>(p); { float *k, v; use(k + 1); } run(k, 128);", True),
        ("k<<<1, 64>>>(p); for (int k = 0; k < 3; k++) { use(k); }", False),
        ("k<<<1, 64>>>(p); for (int k = 0; k < 3; k++) { use(k); } run(k, 128);", True),
        ("k<<<1, 64>>>(p); auto f = &k; return k;", True),
        ("k<<<1, 64>>>(p); auto f = k; f<<<1, 96>>>(p);", False),
        ("k<<<1, 64>>>(p); auto f = k; f<<<1, 96>>>(p); run(f);", True),
        ("k<<<1, 64>>>(p); auto f = k; f<<<1, 96>>>(p); f<<<1, 32>>>(p); run(k);", True),
    ],
)
def test_a_kernel_named_without_a_launch_may_run_with_any_shape(body: str, otherwise: bool) -> None:
    text = f"__global__ void k(float* p) {{}}\nvoid host(float* p) {{ {body} }}"
    unit = TranslationUnit.build("a.cu", Document.open(text.encode()), Files({}), Environment())
    found = launch_shapes(unit)
    assert found["k"][0].block == Shape(64)
    assert kernels_used_otherwise(unit, found) == ({"k"} if otherwise else set[str]())


@pytest.mark.parametrize(
    "text",
    [
        "auto f = k; f<<<4, 64>>>(p, n);",
        "auto *const f = &k<float>; f<<<4, 64>>>(p, n);",
        "void (*f)(float*, int) = (k); (*f)<<<4, 64>>>(p, n);",
        "auto f = &lib::k; cudaFuncSetAttribute(f, a, 1 << 16); f<<<4, 64, 1 << 16, s>>>(p, n);",
        "auto f = k; void *given[] = {&p, &n}; cudaLaunchKernel((void *)f, dim3(4), dim3(64), given, 0, s);",
        "auto f = other; { auto f = k; f<<<4, 64>>>(p, n); } f<<<1, 32>>>(p, n);",
        "if (n > 2) { auto f = k; [&] { f<<<4, 64>>>(p, n); }(); }",
    ],
)
def test_a_variable_that_is_a_kernel(text: str) -> None:
    check(text, (64,), (4,))


@pytest.mark.parametrize(
    "text",
    [
        "auto f = k; if (n > 2) f = other; f<<<4, 64>>>(p, n);",
        "auto f = n > 2 ? k : other; f<<<4, 64>>>(p, n);",
        "auto f = k; change(&f); f<<<4, 64>>>(p, n);",
        "auto f = k; auto &g = f; g = other; f<<<4, 64>>>(p, n);",
        "auto f = k; { auto [f, g] = pair; f<<<4, 64>>>(p, n); }",
        "auto f = k; [](auto f) { f<<<4, 64>>>(0, 1); }(other);",
        "void (*f)(float*, int); f<<<4, 64>>>(p, n); k == f;",
        "auto f = k(n); f<<<4, 64>>>(p, n);",
        "for (auto f : {k, other}) f<<<4, 64>>>(p, n);",
    ],
)
def test_a_variable_that_may_be_another_kernel(text: str) -> None:
    assert launches(f"void host(int n, float* p, cudaStream_t s) {{ {text} }}") == ()


@pytest.mark.parametrize(
    ("text", "otherwise"),
    [
        ("__global__ void k(float* p) { int k = threadIdx.x; p[k] = k; }", False),
        ("__global__ void k(float* p) {} int use(const float& k, int n) { return n + k; }", False),
        ("__global__ void k(float* p) {} F use(int n) { std::vector<int> k{n}; return k[n]; }", False),
        ("__global__ void k(float* p) {} F use(int n) { F f = n ? k : 0; return f; }", True),
        ("__global__ void k(float* p) {} F use(const float& k); F use() { return k; }", True),
    ],
)
def test_a_variable_with_the_name_of_a_kernel_is_no_use_of_it(text: str, otherwise: bool) -> None:
    text += " void host(float* p) { k<<<1, 64>>>(p); }"
    unit = TranslationUnit.build("a.cu", Document.open(text.encode()), Files({}), Environment())
    assert kernels_used_otherwise(unit, launch_shapes(unit)) == ({"k"} if otherwise else set[str]())


@pytest.mark.parametrize(
    ("declared", "has_line"),
    [
        ("int b", True),
        ("const unsigned int b", True),
        ("size_t b", True),
        ("dim3 b", False),
        ("Shape b", False),
        ("const int *b", True),
        ("std::vector<int> b", False),
    ],
)
def test_an_integer_makes_a_block_of_one_row(declared: str, has_line: bool) -> None:
    block = "*b" if "*" in declared else "b"
    (launch,) = launches(f"__global__ void k();\nvoid host({declared}) {{ k<<<1, {block}>>>(); }}")
    assert launch.block is None
    assert launch.has_line is (has_line and block == "b")


def test_a_name_that_is_also_a_shape_makes_no_row() -> None:
    (launch,) = launches("__global__ void k();\nvoid host(int b) { { dim3 b = shape(); k<<<1, b>>>(); } }")
    assert not launch.has_line
    text = "void host(int b) { for (dim3 b : shapes) k<<<1, b>>>(); }"
    (launch,) = launches("__global__ void k();\n" + text)
    assert not launch.has_line


def test_numbers_that_double_with_every_line_are_given_up() -> None:
    doubled = " ".join(f"int a{i} = a{i - 1} + a{i - 1};" for i in range(1, 36))
    check(f"int a0 = 0; {doubled} k<<<1, a35 + 32>>>();", None, (1,))
