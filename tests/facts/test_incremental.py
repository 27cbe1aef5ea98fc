"""Analysing one version after the other gives what analysing each alone gives, whatever changed between them.

Each case is a text with a hole and the versions of what stands there; they are typed forth and back.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from analysis.facts.analyzer import Analyzer, Cancelled
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

CASES = {
    "an operator": (
        "struct V { int x; };\nHOLE\n__global__ void k(int *o) { V a{1}, b{2}; if ((a + b).x) o[0] = 1; }",
        "",
        "__device__ V operator+(V a, V b) { return V{(int)threadIdx.x}; }",
        "__device__ V operator+(V a, V b) { return V{3}; }",
    ),
    "an operator that a macro uses": (
        "#define ADD(a, b) a + b\nstruct V { int x; };\n__device__ V operator+(V a, V b) { return V{HOLE}; }\n"
        "__global__ void k(int *o) { V a{1}, b{2}; V c = ADD(a, b); if (c.x) o[0] = 1; }",
        "3",
        "(int)threadIdx.x",
    ),
    "a friend operator": (
        "struct V { int x; friend __device__ bool operator==(V a, V b) { return HOLE; } };\n"
        "__global__ void k(int *o) { V a{1}, b{2}; if (a == b) o[0] = 1; }",
        "threadIdx.x",
        "a.x",
    ),
    "a conversion operator": (
        "struct V { int x; __device__ operator bool() const { return HOLE; } };\n"
        "__global__ void k(int *o) { V a{1}; if (a) o[0] = 1; }",
        "threadIdx.x",
        "x",
    ),
    "a constructor": (
        "struct V { int x; HOLE };\n__global__ void k(int *o) { V a; if (a.x) o[0] = 1; }",
        "__device__ V() { x = threadIdx.x; }",
        "__device__ V() { x = 1; }",
        "",
    ),
    "what somebody else writes to a table of functions": (
        "__device__ int one(int v) { return v; }\n__device__ int two(int v) { return v + threadIdx.x; }\n"
        "typedef int (*F)(int);\n__device__ F table[2] = {one, one};\n__global__ void w(int n) { HOLE; }\n"
        "__global__ void k(int *o, int n) { if (table[n](3) > 2) o[0] = n; }",
        "n = 3",
        "table[n] = two",
    ),
    "a constant of a type that a template is called with": (
        "struct S { static const int n = HOLE; };\n"
        "template <class T> __device__ int f() { return T::n > 33 ? threadIdx.x : 0; }\n"
        "__global__ void k(int *o) { if (f<S>()) o[0] = 1; }",
        "64",
        "32",
    ),
    "the size of a type without a name that a template is called with": (
        "typedef struct { int x[HOLE]; } S;\n"
        "template <class T> __device__ int f(T *) { return sizeof(T) > 33 ? threadIdx.x : 0; }\n"
        "__global__ void k(int *o, S *s) { if (f(s)) o[0] = 1; }",
        "2",
        "20",
    ),
    "the size of a type in the function that calls a template with it": (
        "template <class T> __device__ int f(T *) { return sizeof(T) > 33 ? threadIdx.x : 0; }\n"
        "__global__ void k(int *o) { struct S { int x[HOLE]; }; S s; if (f(&s)) o[0] = 1; }",
        "2",
        "20",
    ),
    "the method of a base": (
        "struct B { __device__ int f() { return HOLE; } };\nstruct D : B {};\n"
        "__global__ void k(int *o) { D d; if (d.f()) o[0] = 1; }",
        "threadIdx.x",
        "1",
    ),
    "a method outside of its class": (
        "struct S { __device__ int f(); };\n__device__ int S::f() { return HOLE; }\n"
        "__global__ void k(int *o) { S s; if (s.f()) o[0] = 1; }",
        "1",
        "threadIdx.x",
    ),
    "an enumerator without a type": (
        "enum { HOLE };\n__global__ void k(int *o) { o[threadIdx.x * N] = 1; }",
        "N = 1",
        "N = 33",
        "M = 8, N",
    ),
    "an enumerator": ("enum E { HOLE };\n__global__ void k(int *o) { o[threadIdx.x * N] = 1; }", "N = 1", "N = 8"),
    "a scoped enumerator": (
        "enum class E { HOLE };\n__global__ void k(int *o) { o[threadIdx.x * (int)E::N] = 1; }",
        "N = 32",
        "N = 1",
    ),
    "a class without a name": (
        "struct { HOLE } S;\n__global__ void k(int *o) { o[threadIdx.x * sizeof(S)] = 1; }",
        "int a;",
        "double a;",
    ),
    "a type behind two names": (
        "typedef HOLE T;\ntypedef T U;\n__global__ void k(U *o) { o[threadIdx.x] = 1; }",
        "int",
        "double",
    ),
    "a type in a class": (
        "struct A { typedef HOLE T; };\n__global__ void k(A::T *o) { o[threadIdx.x] = 1; }",
        "int",
        "double",
    ),
    "a macro in a macro": (
        "#define A HOLE\n#define B A\n__global__ void k(int *o) { o[threadIdx.x * B] = 1; }",
        "1",
        "8",
    ),
    "a macro that a condition chooses": (
        "#define A HOLE\n#if A\n#define B 4\n#else\n#define B 1\n#endif\n"
        "__global__ void k(int *o) { o[threadIdx.x * B] = 1; }",
        "1",
        "0",
    ),
    "a launch": (
        "__global__ void k(int *o) { if (threadIdx.x / 32) o[threadIdx.y] = 1; }\n"
        "void h(int *o) { k<<<1, HOLE>>>(o); }",
        "128",
        "dim3(16, 16)",
        "1",
    ),
    "a constant of a launch": (
        "const int N = HOLE;\n__global__ void k(int *o) { if (threadIdx.x / 32) o[threadIdx.y] = 1; }\n"
        "void h(int *o) { dim3 b(N, 2); k<<<1, b>>>(o); }",
        "128",
        "48",
    ),
    "a comment above a kernel": (
        "// simt: block=HOLE\n__global__ void k(int *o) { if (threadIdx.x / 32) o[threadIdx.y] = 1; }",
        "128",
        "16,16",
    ),
    "launch bounds": (
        "__global__ void __launch_bounds__(HOLE) k(int *o) { if (threadIdx.x / 32) o[threadIdx.y] = 1; }",
        "32",
        "128",
    ),
    "a specialisation": (
        "template <typename T> struct S { static const int v = 1; };\nHOLE\n"
        "__global__ void k(int *o) { o[threadIdx.x * S<float>::v] = 1; }",
        "",
        "template <> struct S<float> { static const int v = 9; };",
    ),
    "a default argument of a template": (
        "template <int N = HOLE> __device__ int f() { return N; }\n"
        "__global__ void k(int *o) { o[threadIdx.x * f()] = 1; }",
        "1",
        "9",
    ),
    "an overload": (
        "__device__ int f(float x) { return 1; }\nHOLE\n__global__ void k(int *o) { if (f(1)) o[0] = 1; }",
        "",
        "__device__ int f(int x) { return threadIdx.x; }",
    ),
    "a function beside the type of its argument": (
        "namespace n { struct V { int x; }; HOLE }\n__global__ void k(int *o) { n::V v; if (f(v)) o[0] = 1; }",
        "__device__ int f(V v) { return 1; }",
        "__device__ int f(V v) { return threadIdx.x; }",
        "",
    ),
    "a concept": (
        "template <typename T> concept Wanted = HOLE;\n"
        "template <typename T> __device__ int f(T x) { return 1; }\n"
        "template <Wanted T> __device__ int f(T x) { return threadIdx.x; }\n"
        "__global__ void k(int *o) { if (f(1)) o[0] = 1; }",
        "std::is_integral_v<T>",
        "std::is_floating_point_v<T>",
        "sizeof(T) == 4",
    ),
    "a constexpr function": (
        "constexpr int n() { return HOLE; }\n"
        "__global__ void k(int *o) { __shared__ int s[n()]; s[threadIdx.x * n()] = 1; o[0] = s[0]; }",
        "4",
        "33",
    ),
    "a static member": (
        "struct S { static const int v = HOLE; };\n__global__ void k(int *o) { o[threadIdx.x * S::v] = 1; }",
        "1",
        "9",
    ),
    "the length of a global array": (
        "__constant__ int c[HOLE];\n__global__ void k(int *o) { o[threadIdx.x * sizeof(c)] = 1; }",
        "4",
        "8",
    ),
    "dynamic shared memory": (
        "extern __shared__ HOLE s[];\n__global__ void k(int *o) { s[threadIdx.x] = 1; o[0] = s[1]; }",
        "int",
        "double",
    ),
    "a using-directive": (
        "namespace a { __device__ int f() { return threadIdx.x; } }\nnamespace b { __device__ int f() { return 1; } }\n"
        "HOLE\n__global__ void k(int *o) { if (f()) o[0] = 1; }",
        "using namespace a;",
        "using namespace b;",
        "using a::f;",
        "",
    ),
    "a namespace alias": (
        "namespace a { __device__ int f() { return threadIdx.x; } }\nnamespace b { __device__ int f() { return 1; } }\n"
        "namespace n = HOLE;\n__global__ void k(int *o) { if (n::f()) o[0] = 1; }",
        "a",
        "b",
    ),
    "the order of two declarations of which one cannot be read": (
        "HOLE\n__global__ void k(int *o) { if (threadIdx.x < scale[1]) o[0] = 1; }",
        "__constant__ int scale[4] = {1, 2};\n"
        "__constant__ int scale[4] = {__device__ int f(int v) { return v; }\n__device__ int f(float v) { return 1; }\n",
        "__constant__ int scale[4] = {__device__ int f(int v) { return v; }\n__device__ int f(float v) { return 1; }\n"
        "__constant__ int scale[4] = {1, 2};\n",
    ),
    "an inline namespace": (
        "HOLE namespace v1 { __device__ int f() { return threadIdx.x; } }\n"
        "namespace v2 { __device__ int f() { return 1; } }\nusing namespace v2;\n"
        "__global__ void k(int *o) { if (f()) o[0] = 1; }",
        "",
        "inline",
    ),
}


def test_a_function_keeps_its_name_whoever_asks_for_it_first() -> None:
    """A template that another one calls with its own parameter, which has the same name."""
    text = """
template <bool B> __device__ void inner(int *a) { if (threadIdx.x < 3) a[0] = B; }
template <bool B> __device__ void outer(int *a) { HOLE inner<B>(a); }
__global__ void k(int *a) { outer<true>(a); }
"""
    analyzer = Analyzer()
    for version in ("", "a[1] = 2;", ""):
        document = Document.open(text.replace("HOLE", version).encode())
        analysis = analyzer.analyze("a.cu", document, DictLoader(), AnalysisSettings())
        found = {function.name: function.id for function in analysis.facts.functions}
        assert found["inner"] == "inner(int *a)"
        assert analysis.program.declaration_of(found["inner"]).name == "inner"


@pytest.mark.parametrize("name", CASES)
def test_what_changes_is_analysed_again(name: str) -> None:
    text, *versions = CASES[name]
    one_after_the_other = Analyzer()
    answers: set[str] = set()
    for version in (*versions, *reversed(versions)):
        whole = text.replace("HOLE", version)
        alone = _facts(Analyzer(), whole)
        assert _facts(one_after_the_other, whole) == alone, version
        answers.add(alone)
    assert len(answers) > 1, "the versions do not differ in anything"


def _facts(analyzer: Analyzer, text: str) -> str:
    analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
    (kernel,) = (function for function in analysis.facts.functions if function.name == "k")
    return repr((kernel.branches, kernel.barriers, kernel.accesses, kernel.variables, kernel.opaque))


@pytest.mark.parametrize("looks", range(1, 5))
def test_a_second_definition_is_not_taken_for_the_first_one(looks: int) -> None:
    """An analysis that was cancelled knows who the first one is; the next one asks for the second one first."""
    first = "__global__ void k(int *o) { if (threadIdx.x < 3) __syncthreads(); o[0] = 1; }\n"
    between = "".join(f"__device__ int f{number}(int v) {{ return v; }}\n" for number in range(100))
    document = Document.open((first + between + "__global__ void k(int *o) { o[1] = 2; }\n").encode())
    analyzer, left = Analyzer(), iter(range(looks))
    with suppress(Cancelled):
        analyzer.analyze("a.cu", document, DictLoader(), AnalysisSettings(), cancelled=lambda: next(left, None) is None)
    kept = analyzer.analyze("a.cu", document, DictLoader(), AnalysisSettings())
    assert kept.facts == Analyzer().analyze("a.cu", document, DictLoader(), AnalysisSettings()).facts
