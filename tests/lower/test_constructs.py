"""Constructs that must be understood, and those that must be admitted as not understood."""

from __future__ import annotations

import pytest

from analysis.ir.function import SymbolKind
from analysis.ir.instructions import Call, Load, Opaque, Store, TemplateArgument
from analysis.ir.types import MemorySpace, PointerType
from tests.lower.check import branches, clean, constructs, lower_all, lower_one

UNDERSTOOD = {
    "goto and labels": "__global__ void k(int* a, int n) { again: if (a[0] < n) { a[0]++; goto again; } }",
    "dead code after return": "__global__ void k(int* a) { return; a[0] = a[1] + 1; if (a[2]) a[3] = 1; }",
    "do, while, for without condition": """
        __global__ void k(int* a) { do { a[0]--; } while (a[0] > 0); while (a[1]) a[1] >>= 1; for (;;) { break; } }""",
    "range-for": "__global__ void k(int* a) { int v[3] = {1, 2}; for (auto& x : v) x++; for (int x : v) a[x] = x; }",
    "structured binding": "__global__ void k(float2* a) { auto [x, y] = a[0]; a[1] = make_float2(y, x); }",
    "if with initialiser": """
        __global__ void k(int* a) { if (int n = a[0]; n > 1) a[1] = n; if (int m = a[2]) a[3] = m; }""",
    "statement expressions": """
        #define LEAST(a, b) ({ auto _a = (a); auto _b = (b); _a < _b ? _a : _b; })
        __global__ void k(int* a) { a[0] = LEAST(a[1], LEAST(a[2], 3)); ({ a[4] = 5; });
          ({ if (a[5]) a[6] = 1; }); }""",
    "lambda": "__global__ void k(int* a) { int n = 3; auto f = [&, n](int x) { return x > n ? x : n; }; a[0] = f(4); }",
    "lambda passed on": """
        template <class F> __device__ void times(int n, F f) { for (int i = 0; i < n; i++) f(i); }
        __global__ void k(int* a) { times(4, [=](int i) { a[i] = i; }); }""",
    "function pointer of nothing": """
        typedef void (*handler)(int); __global__ void k(int* a) { handler h = 0; a[0] = h != 0; }""",
    "enumerations": """
        enum E { A, B = 4, C }; enum class F : char { X = 'x' }; __global__ void k(int* a) { a[C] = (int)F::X; }""",
    "nested types": """
        struct S { enum { N = 4 }; struct T { int v[N]; }; }; __global__ void k(S::T* t) { t[1].v[2] = S::N; }""",
    "anonymous union": "struct S { int k; union { int i; float f; }; }; __global__ void k(S* s) { s->f = 1; s->i++; }",
    "operator overloads": """
        struct V { float x; }; __device__ V operator*(V a, float s) { V r = {a.x * s}; return r; }
        __device__ bool operator<(const V& a, const V& b) { return a.x < b.x; }
        __global__ void k(V* v) { if (v[0] < v[1]) v[2] = v[0] * 2.0f; }""",
    "constructors and defaults": """
        struct B { int n; __device__ B(int m) : n(m) {} }; struct D : B { float f = 2; __device__ D() : B(3) {} };
        __global__ void k(float* a) { D d; a[0] = d.f + d.n; B b(4), c{5}; a[1] = b.n + c.n; }""",
    "conversion operator": """
        template <class T> struct Shared { __device__ operator T*() { extern __shared__ int s[]; return (T*)s; } };
        template <class T> __global__ void k(T* o) { T* s = Shared<T>(); s[threadIdx.x] = o[0]; }""",
    "conversion operator behind specifiers": """
        template <class T, T v> struct C { static constexpr T value = v;
          __host__ __device__ constexpr operator T() const { return v; } };
        __global__ void k(int* a) { C<int, 3> c; a[0] = 1 + c; a[1] = c * 2; }""",
    "functor object": "struct Add { __device__ int operator()(int a, int b) const { return a + b; } };"
    "__global__ void k(int* a) { Add add; a[0] = add(1, 2) + Add()(3, 4); }",
    "partial specialisation": """
        template <class T> struct R { typedef T type; }; template <class T> struct R<T*> { typedef T type; };
        __global__ void k(int* a) { R<int*>::type x = a[0]; R<float>::type y = 1.5f; a[x] = y; }""",
    "alias templates and usings": """
        namespace a { namespace b { __device__ int f(int x) { return x; } } } namespace c = a::b;
        template <class T> using P = T*; using a::b::f;
        __global__ void k(P<int> p) { p[0] = c::f(1) + f(2) + a::b::f(3); }""",
    "constants": """
        #define W 4
        const int H = W * 2; constexpr float S = 1.0f / H; static const int T[2] = {1, 2};
        __global__ void k(float* a) { __shared__ float s[H][W + 1]; s[0][0] = S; a[T[1]] = s[H - 1][W]; }""",
    "misread casts": """
        __global__ void k(uint* a, int n) { a[0] = (uint)(n) + (size_t)-1; int v(n), w(n * 2); a[v] = w; }""",
    "asm without a comma between operands": """
        __device__ void put(unsigned* a, unsigned v) { asm("st.global.u32 [%1], %0;" :: "r"(v) "l"(a) : "memory"); }""",
    "asm": """
        extern "C" __global__ void k(unsigned* a) { unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); a[0] = l; }""",
    "default template arguments": "template <class T = float, int N = 2> __device__ T f() { return T(N); }"
    "__global__ void k(float* a) { a[0] = f() + f<int>() + f<int, 3>(); }",
    "recursion over template arguments": """
        template <int N> __device__ int fold(int x) { if constexpr (N == 0) return x; else return fold<N - 1>(x) + 1; }
        __global__ void k(int* a) { a[0] = fold<3>(a[1]); }""",
    "references to elements": """
        __global__ void k(float4* a) { float4& v = a[threadIdx.x]; v.x += v.y; auto& w = v.z; w = 1; }""",
    "virtual shared memory in a device function": """
        __device__ float* buffer() { __shared__ float s[32]; return s; }
        __global__ void k() { buffer()[threadIdx.x] = 1; }""",
}


@pytest.mark.parametrize("text", UNDERSTOOD.values(), ids=UNDERSTOOD.keys())
def test_nothing_is_opaque(text: str) -> None:
    for id, lowered in lower_all(text).items():
        assert constructs(lowered) == [] or id.startswith("times("), id  # a template's functor is not known


NOT_UNDERSTOOD = {
    "call of unknown function mystery": "__global__ void k(int* a) { int x = 1; mystery(x); a[0] = x; }",
    "unknown name N": "__global__ void k(int* a) { a[0] = N; }",
    "type Hidden is not visible": "__global__ void k(int* a) { Hidden h; a[0] = 1; }",
    "throw": "__global__ void k(int* a) { throw 1; }",
    "host variable limit": "int limit; __global__ void k(int* a) { a[0] = limit; }",
    "virtual call of S::f": "struct S { virtual __device__ int f() { return 1; } };"
    "__device__ void other() { struct L : S { __device__ int f() override { return 2; } }; }"
    "__global__ void k(S* s, int* a) { a[0] = s->f(); }",
    "call through function pointer f": "__global__ void k(int* a, int (*f)(int)) { a[0] = f(1); }",
    "call of f, whose body is not visible": "__device__ int f(int); __global__ void k(int* a) { a[0] = f(1); }",
}


@pytest.mark.parametrize(("construct", "text"), NOT_UNDERSTOOD.items())
def test_what_is_not_understood_says_so(construct: str, text: str) -> None:
    assert construct in constructs(lower_one(text, "k"))


def test_an_unknown_callee_may_contain_a_barrier_and_change_what_it_is_given() -> None:
    lowered = lower_one("__global__ void k(int* a) { int x = 1; mystery(x); a[0] = x; }", "k")
    first = lowered.opaques[0]
    assert first.may_contain_barrier
    stores = [found for _, found in lowered.function.instructions() if isinstance(found, Store)]
    assert lowered.opaques[1].result in {store.value for store in stores}


def test_volatile_objects_and_pointers_mark_their_accesses() -> None:
    text = (
        "__global__ void k(volatile int* a, int* b) { volatile __shared__ int s[2]; b[0] = a[0] + s[1]; s[0] = b[1]; }"
    )
    found = [each for _, each in lower_one(text, "k").function.instructions() if isinstance(each, Load | Store)]
    assert sum(each.volatile for each in found) == 3


def test_where_symbols_live() -> None:
    text = """
        __constant__ float c[4]; __device__ int g; __managed__ int m; texture<float, 2> t;
        __global__ void k(float* a) {
          __shared__ int s; extern __shared__ float d[]; static int once;
          a[0] = c[1] + g + m + s + d[0] + once + tex2D(t, 1.0f, 2.0f);
        }"""
    symbols = lower_one(text, "k").function.symbols
    assert {symbol.name: symbol.kind for symbol in symbols if symbol.kind is not SymbolKind.LOCAL} == {
        "c": SymbolKind.CONSTANT,
        "g": SymbolKind.GLOBAL,
        "m": SymbolKind.GLOBAL,
        "t": SymbolKind.TEXTURE,
        "s": SymbolKind.SHARED,
        "d": SymbolKind.DYNAMIC_SHARED,
        "once of k(float* a)": SymbolKind.GLOBAL,
    }


def test_a_kernel_pointer_that_is_pointed_elsewhere_is_generic() -> None:
    kept = "__global__ void k(int* a, int n) { a += n; a[0] = 1; int* p = &a[1]; *p = 2; }"
    moved = "__global__ void k(int* a, int n) { __shared__ int s[4]; if (n) a = s; a[0] = 1; }"
    assert _local_space(kept, "a") is MemorySpace.GLOBAL
    assert _local_space(kept, "p") is MemorySpace.GLOBAL
    assert _local_space(moved, "a") is MemorySpace.GENERIC


def _local_space(text: str, name: str) -> MemorySpace:
    symbol = next(symbol for symbol in lower_one(text, "k").function.symbols if symbol.name == name)
    assert isinstance(symbol.type, PointerType)
    return symbol.type.space


def test_overloads_are_chosen_by_type_and_instances_are_named() -> None:
    text = """
        __device__ int f(int x) { return x; }  __device__ float f(float x) { return x; }
        __device__ int f(int x, int y = 2) { return y; }  template <class T> __device__ T g(T x, T* y) { return x; }
        __global__ void k(int* a, float* b) { b[0] = f(b[1]); a[0] = f(a[1], 1);
          a[2] = g(a[1], a); b[2] = g(b[1], b); }"""
    assert lower_one(text, "k").callees == (
        "f(float x)",
        "f(int x, int y = 2)",
        "g<int>(T x, T* y)",
        "g<float>(T x, T* y)",
    )


def test_ids_do_not_depend_on_position_and_tell_equal_signatures_apart() -> None:
    text = "__device__ int f(int  x) { return x; }\n__global__ void k(int* a) { a[0] = f(1); }\n"
    assert set(lower_all(text)) == set(lower_all("\n// moved\n\n" + text))
    twice = "#ifdef X\n__device__ int f() { return 1; }\n#else\n__device__ int f() { return 2; }\n#endif\n"
    assert len(lower_all(twice)) == 2


def test_methods_and_inactive_functions_are_listed() -> None:
    text = """
        struct S { __device__ int in() { return 1; } __device__ int out(); };
        __device__ int S::out() { return in(); }
        #if 0
        __global__ void off() {}
        #endif
        """
    assert list(lower_all(text)) == ["S::in()", "S::out()", "off()"]


def test_a_known_if_constexpr_drops_the_other_arm_and_keeps_the_branch() -> None:
    text = """
        template <int N> __device__ int f(int x) { if constexpr (N > 1) return x; else return missing(x); }
        __global__ void k(int* a) { a[0] = f<2>(a[1]); }"""
    lowered = lower_all(text)
    instance = next(value for id, value in lowered.items() if id.startswith("f<2>"))
    assert constructs(instance) == []
    assert branches(instance) == ["if:if"]


def test_members_of_a_template_parameter_are_constants_of_the_grid() -> None:
    text = "template <class P> __global__ void k(int* a) { for (int i = 0; i < P::count; i++) a[i] = 0; }"
    lowered = lower_one(text, "k")
    assert constructs(lowered) == []
    names = [found.name for _, found in lowered.function.instructions() if isinstance(found, TemplateArgument)]
    assert names == ["P::count"]


def test_a_short_circuit_inside_an_argument_is_its_own_branch() -> None:
    text = "__device__ int f(bool b) { return b; } __global__ void k(int* a) { if (f(a[0] && a[1]) || a[2]) a[3] = 1; }"
    assert branches(lower_one(text, "k")) == ["if:if", "short-circuit:&&"]


def test_spans_are_those_of_the_use_of_a_macro() -> None:
    text = "#define TWICE(x) ((x) + (x))\n__global__ void k(int* a) { a[0] = TWICE(a[1]); }"
    lowered = lower_one(text, "k")
    source = lowered.item.text
    spans = {source[record.span.start : record.span.end] for record in lowered.function.expressions}
    assert spans == {b"TWICE(a[1])", b"a[0] = TWICE(a[1])"}


def test_variables_remember_their_definitions() -> None:
    lowered = lower_one("__global__ void k(int* a, int n) { int i = n; i += 2; i++; a[0] = i; }", "k")
    function = lowered.function
    names = [function.variables[record.variable].name for record in function.definitions]
    assert names == ["a", "n", "i", "i", "i"]


def test_an_included_function_and_a_macro_from_a_header() -> None:
    headers = {"h.cuh": "#define N 4\ninline __device__ int g(int x) { return x * N; }\n"}
    lowered = clean('#include "h.cuh"\n__global__ void k(int* a) { a[N] = g(a[0]); }', headers)
    calls = [
        found for value in lowered.values() for _, found in value.function.instructions() if isinstance(found, Call)
    ]
    assert [call.callee for call in calls] == ["g(int x)"]


def test_broken_text_is_a_syntax_error_that_reaches_the_variables_it_names() -> None:
    lowered = lower_one("__global__ void k(int* a, int n) { int x = 1; x @ = 3 $ n; a[0] = x; }", "k")
    assert lowered.error_count > 0
    assert any(isinstance(found, Opaque) for _, found in lowered.function.instructions())
