"""Which items a file has: the text on the left, the items beside it, in order."""

import pytest

from tests.syntax.unit import all_described, build, only

CASES: dict[str, tuple[str, list[str]]] = {
    "plain": (
        "__global__ void k(int *p) { }\n__device__ float f(float x);\nstatic inline int h() { return 1; }",
        ["function k kernel", "function f device declared", "function h"],
    ),
    "namespaces": (
        'namespace a::b { namespace { int x; } void f(); }\nextern "C" { __global__ void k() {} }\nvoid a::g() {}',
        ["variable a::b::x", "function a::b::f declared", "function k kernel", "function a::g"],
    ),
    "record": (
        "struct S : B<int> { int x; __device__ S(int a) : x{a} {} int g(); __device__ int f() const { return x; }"
        " struct In { int y; }; };",
        ["record S", "function S::S device", "function S::f device", "record S::In"],
    ),
    "out of class": (
        "template <class T> __device__ T S<T>::f(int i) { return i; }\n__device__ S::~S() {}\n"
        "__device__ bool S::operator()(int a) const { return a; }\n__device__ S operator+(S a, S b) { return a; }\n"
        "__device__ S::operator int() { return 1; }",
        [
            "function S::f device template",
            "function S::~S device",
            "function S::operator() device",
            "function operator+ device",
            "function S::operator int device",
        ],
    ),
    "declarations": (
        "int a, b[3] = {1, 2}, *c;\ntypedef int T, *P;\nusing U = float;\nusing namespace std;\n"
        "enum class E : int { x };\n"
        "typedef struct { int q; } Q;\nint (*fp)(int);\nstruct F;\ntypedef void (*Fn)(int, float);",
        [
            "variable a",
            "variable b",
            "alias T",
            "alias P",
            "alias U",
            "using std",
            "enum E",
            "record Q",
            "variable fp",
            "record F",
            "alias Fn",
        ],
    ),
    "attributes": (
        "__global__ void __launch_bounds__(256, 2) k() {}\ntemplate <int N = (3 > 2)>\n__global__ void\n"
        "BOUNDS(1, 2) m() {}\n"
        "__attribute__((noinline)) __device__ void n() {}\n[[nodiscard]] __device__ int o() { return 1; }\n"
        "struct __align__(16) A { int a; };\nstruct S f(int a) { }",
        [
            "function k kernel",
            "function m kernel template",
            "function n device",
            "function o device",
            "record A",
            "function f",
        ],
    ),
    "qualifier macro": (
        "#define FI __device__ __forceinline__\n#define K(n) __global__ void n\n"
        "FI int f() { return 1; }\nK(k)(int a) { }",
        ["function f device", "function k kernel"],
    ),
    "macros that are whole functions": (
        "#define TWO(n) __global__ void k_##n(int *p) { } __device__ int d_##n() { return 1; }\nTWO(a)\nTWO(b);\n"
        "#define REC(t) struct R_##t { __device__ int get() { return 1; } };\nREC(int)\n__global__ void last() { }",
        [
            "function k_a kernel",
            "function d_a device",
            "function k_b kernel",
            "function d_b device",
            "record R_int",
            "function R_int::get device",
            "function last kernel",
        ],
    ),
    "inactive": (
        "#if 0\n__global__ void a() { }\n#elif defined(X)\n__global__ void b() { }\n#else\n"
        "__global__ void c() { }\n#endif",
        ["function a kernel inactive", "function b kernel inactive", "function c kernel"],
    ),
    "heads in branches": (
        "#ifdef A\n__global__ void f(int a) {\n#else\n__global__ void f(int a, int b) {\n#endif\n"
        "  if (a) { }\n}\nint after;",
        ["function f kernel inactive", "function f kernel", "variable after"],
    ),
    "heads in branches before the brace": (
        "#ifdef A\n__global__ void f(int a)\n#else\n__global__ void g(int a)\n#endif\n{\n}\nint after;",
        ["function f kernel inactive", "function g kernel", "variable after"],
    ),
    "braces in branches": (
        "__global__ void f(int a) {\n#if A\n  if (a) {\n#elif B\n  while (a) {\n#else\n  {\n#endif\n  }\n}\n"
        "__global__ void g() {\n#if A\n}\n#else\n  f(1); }\n#endif\nint after;",
        ["function f kernel", "function g kernel", "variable after"],
    ),
    "a brace is missing": (
        "void broken() { if (x) {\n__global__ void a() { }\nvoid host() { {\n\nvoid next(int x) {\n}\n"
        "int y = 3\n__global__ void b() { }",
        ["function broken", "function a kernel", "function host", "function next", "variable y", "function b kernel"],
    ),
    "a brace too many": ("void f() { } }\n__global__ void k() { }", ["function f", "function k kernel"]),
    "an open bracket": (
        "__global__ void a(int x, \n__global__ void b() { }",
        ["function a kernel declared", "function b kernel"],
    ),
    "text that hides braces": (
        "const char *s = \"}{\";\nchar c = '{';\n// {\n"
        '/* { */ __global__ void k() { auto r = R"x( } )x"; int n = 1\'000; }\nint after;',
        ["variable s", "variable c", "function k kernel", "variable after"],
    ),
    "continued lines": (
        "#define M(x) \\\r\n  do { x; \\\r\n  } while (0)\r\n__global__ void k() { M(1); }",
        ["function k kernel"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_items(name: str) -> None:
    text, expected = CASES[name]
    assert all_described(build(text)) == expected


def test_a_span_includes_the_template_header_and_nothing_before() -> None:
    text = "// about k\ntemplate <int N>\n__global__ void k() { }\n"
    item = only(build(text), "k")
    assert text[item.span.start : item.span.end] == "template <int N>\n__global__ void k() { }"
    assert item.text.decode() == text[item.span.start : item.span.end]


def test_the_items_of_a_macro_map_to_its_use() -> None:
    text = "#define KERNEL(n) __global__ void n() { }\nint x;\nKERNEL(k)\nint y;"
    item = only(build(text), "k")
    assert text[item.span.start : item.span.end] == "KERNEL(k)"
    assert item.from_macro


def test_a_namespace_before_the_name_is_no_owner() -> None:
    unit = build("namespace a { void f(); struct S { void m(); }; }\nvoid a::f() { }\nvoid a::S::m() { }")
    found = [(item.name, item.namespace, item.owner) for item in unit.items if item.is_definition]
    assert found == [("S", ("a",), None), ("f", ("a",), None), ("m", ("a",), "S")]


def test_constexpr_and_device_are_told_apart() -> None:
    unit = build(
        "constexpr int a() { return 1; }\n__host__ __device__ int b() { return 1; }\n__device__ int c() { return 1; }"
    )
    assert [(item.is_device, item.is_constexpr) for item in unit.items] == [
        (False, True),
        (True, False),
        (True, False),
    ]
