"""Which function does a call in a kernel mean?  What is expected is what C++20 says and compilers agree on."""

from __future__ import annotations

import numpy as np
import pytest

from sim.refusals import Refusal
from tests.sim.running import run

CASES = {
    "what a lambda captures by value is constant, unless it is mutable": (
        """struct S { int v; __device__ int f() { return 1; } __device__ int f() const { return 2; } };
        __device__ int g(S &) { return 3; } __device__ int g(const S &) { return 4; }""",
        "S s{}; auto a = [=] { return s.f() * 10 + g(s); }; auto b = [s]() mutable { return s.f() * 10 + g(s); };"
        "auto c = [t = s] { return g(t); }; auto d = [&] { return g(s); };",
        "a(), b(), c(), d()",
        [24, 13, 4, 3],
    ),
    "members of a constant object, of which one is mutable": (
        """__device__ int f(int &) { return 1; } __device__ int f(const int &) { return 2; }
        struct B { mutable int m; int n; };
        struct S : B { int p; __device__ int g() const { return f(m) * 10 + f(p); } };""",
        "S s{}; const S c{}; const S *q = &s;",
        "f(c.m), f(c.n), f(s.n), f(q->m), f(q->p), c.g(), sizeof(f(c.m)) == 4, f((const int &)c.m)",
        [1, 2, 1, 1, 2, 12, 1, 2],
    ),
    "a lambda is no number": (
        """template <class F> __device__ int f(F) { return 1; } __device__ int f(int) { return 2; }
        __device__ int f(const char *) { return 3; }""",
        "auto l = [](int x) { return x; };",
        "f(l), f([] { return 1; }), f(4), f(4l), f(nullptr)",
        [1, 1, 2, 1, 1],
    ),
    "a group is a thread_group where there is nothing nearer": (
        """#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __device__ int f(cg::thread_group) { return 1; } __device__ int f(cg::thread_block) { return 2; }
        __device__ int g(const cg::thread_group &) { return 3; } __device__ int g(int) { return 4; }""",
        "cg::thread_block b = cg::this_thread_block(); auto t = cg::tiled_partition<32>(b);",
        "f(b), f(t), g(b), g(t), g(1)",
        [2, 1, 3, 3, 4],
    ),
    "elements of an array that is copied are constant": (
        """struct A { int v; __device__ A(int x) : v(x) {} __device__ A(const A &x) : v(x.v + 10) {}
        __device__ A(A &&x) : v(x.v + 100) {} }; struct Two { A a[2]; };""",
        "Two x{{A(1), A(2)}}; auto y = x;",
        "y.a[0].v, y.a[1].v",
        [11, 12],
    ),
    "a float becomes a double rather than an int": (
        "__device__ int f(int) { return 1; } __device__ int f(double) { return 2; }",
        "",
        "f(1.0f), f('a'), f(1)",
        [2, 1, 1],
    ),
    "long is not long long": (
        "__device__ int f(long) { return 1; } __device__ int f(long long) { return 2; }",
        "size_t n = 3; long long m = 1; using Wide = long long; Wide w = 2; long v[2] = {};",
        "f(1L), f(1LL), f(m + 1), f(w), f(long(m)), f(v[1] * m), f((long)n)",
        [1, 2, 2, 2, 1, 2, 1],
    ),
    "an enumeration is not an int": (
        """enum Color { RED, GREEN }; enum class Shape : unsigned char { DISC };
        __device__ int f(Color) { return 1; } __device__ int f(int) { return 2; }
        __device__ int f(Shape) { return 3; } __device__ int f(unsigned char) { return 4; }""",
        "Color c = GREEN; Shape s = Shape::DISC; unsigned char byte = 1;",
        "f(c), f(RED), f(RED + 1), f(s), f(Shape::DISC), f(byte), f(byte + 0), f(~c), f(Color(1))",
        [1, 1, 2, 3, 3, 4, 2, 2, 1],
    ),
    "three types of characters": (
        """__device__ int f(char) { return 1; } __device__ int f(signed char) { return 2; }
        __device__ int f(unsigned char) { return 3; }""",
        "signed char s = 1; int8_t i = 2; uint8_t u = 3;",
        "f('a'), f(s), f(i), f(u), f(char(s))",
        [1, 2, 2, 3, 1],
    ),
    "const behind a pointer": (
        """struct S { int v; };
        __device__ int f(int *) { return 1; } __device__ int f(const int *) { return 2; }
        __device__ int g(const S *s) { return f(&s->v); }""",
        "int n = 0; const int m = 1; int v[3]; const int *p = &n; int *const q = &n; S s{}; const S t{};",
        "f(&n), f(&m), f(v), f(p), f(q), f(v + 1), f(&p[1]), g(&s), f(&s.v), f(&t.v), f(true ? &n : &m)",
        [1, 2, 1, 2, 1, 1, 2, 2, 1, 2, 2],
    ),
    "the nearest base, and void last": (
        """struct A {}; struct B : A {}; struct C : B {};
        __device__ int f(const A &) { return 1; } __device__ int f(const B &) { return 2; }
        __device__ int g(A *) { return 3; } __device__ int g(void *) { return 4; }
        __device__ int g(bool) { return 5; }""",
        "C c; B b; int n;",
        "f(c), f(b), f(A()), g(&c), g(&n)",
        [2, 2, 1, 3, 4],
    ),
    "objects and values": (
        """__device__ int f(int &) { return 1; } __device__ int f(const int &) { return 2; }
        __device__ int f(int &&) { return 3; }
        __device__ int &same(int &x) { return x; } __device__ const int &kept(const int &x) { return x; }""",
        "int n = 0; const int m = 1; int v[2] = {}; int &r = n;",
        "f(n), f(m), f(2), f(v[0]), f(n + 1), f(r), f(same(n)), f(kept(n)), f(static_cast<int &&>(n)), f(n = 2), "
        "f(n++)",
        [1, 2, 3, 1, 3, 1, 1, 2, 3, 1, 3],
    ),
    "a bit-field is promoted, and no reference is bound to it": (
        """struct S { unsigned a : 3; unsigned b : 32; };
        __device__ int f(int) { return 1; } __device__ int f(unsigned) { return 2; }""",
        "S s{1, 2};",
        "f(s.a + 1), f(s.b + 1), f(+s.a)",
        [1, 2, 1],
    ),
    "constant, expiring and other objects of a method": (
        """struct S {
          __device__ int f(double) { return 1; } __device__ int f(int) const { return 2; }
          __device__ int g() & { return 3; } __device__ int g() && { return 4; }
          __device__ int g() const & { return 5; }
        };""",
        "S s; const S c; const S *p = &s;",
        "s.f(1.0f), c.f(1.0f), p->f(2.0), s.g(), S().g(), c.g(), p->g(), static_cast<S &&>(s).g()",
        [1, 2, 2, 3, 4, 5, 5, 4],
    ),
    "methods that a using-declaration adds": (
        """struct A { __device__ int f(long long) { return 1; } __device__ int f(int) const { return 2; } };
        struct B : A { using A::f; __device__ int f(long) { return 3; } __device__ int f(int) { return 4; } };""",
        "B b; const B c;",
        "b.f(1LL), b.f(1L), b.f(1), c.f(1)",
        [1, 3, 4, 2],
    ),
    "a template whose parameters would be deduced differently": (
        """template <class T> __device__ int f(T &&, const T &) { return 1; }
        __device__ int f(short, bool &&) { return 2; }""",
        "",
        "f(1, 4ul), f(1, 2)",
        [2, 1],
    ),
    "an array of another length": (
        """__device__ int f(bool) { return 1; }
        template <class T> __device__ int f(T (&)[2]) { return 2; }
        template <class T, int N> __device__ int g(T (&)[N]) { return N; } __device__ int g(...) { return 9; }""",
        "char three[3] = {}; char two[2] = {}; const int five[5] = {};",
        "f(three), f(two), g(five), g(&two[0])",
        [1, 2, 5, 9],
    ),
    "templates beside functions": (
        """template <class T> __device__ int f(T) { return 1; } __device__ int f(double) { return 2; }
        template <class T> __device__ int g(T *) { return 3; }
        template <class T> __device__ int g(const T *) { return 4; }
        template <class T> __device__ int g(T) { return 5; } __device__ int g(int *) { return 6; }
        template <class T, class... R> __device__ int h(T, R...) { return 7; }
        template <class T> __device__ int h(T) { return 8; }
        __device__ int h(...) { return 9; }""",
        "int n = 0; const int m = 0; const float x = 0;",
        "f(1), f(1.0), f(1.0f), g(&n), g(&m), g(n), g(&x), h(1), h(1, 2), h()",
        [1, 2, 1, 6, 4, 5, 4, 8, 7, 9],
    ),
    "conversions of classes": (
        """struct From { int v; __device__ From(int x) : v(x) {} };
        struct To { __device__ operator int() const { return 5; } };
        __device__ int f(From) { return 1; } __device__ int f(const char *) { return 2; }
        __device__ int g(int x) { return x; } __device__ int g(From) { return 6; }
        __device__ int g(...) { return 7; }""",
        "const To to{}; From from(1);",
        'f(3), f("text"), f(nullptr), g(to), g(from), g(&from)',
        [1, 2, 2, 5, 6, 7],
    ),
    "constants of every kind": (
        """constexpr int STAGES = 3; const unsigned MASK = 7u; enum { COUNT = 4 };
        struct S { static constexpr long WIDTH = 5; };
        template <int N> struct Twice { static constexpr unsigned value = 2 * N; };
        template <class T> constexpr long size_in_bits = 8 * sizeof(T);
        template <class... T> __device__ unsigned long count() { return sizeof...(T); }
        __device__ int f(int) { return 1; } __device__ int f(long) { return 2; }
        __device__ int f(unsigned) { return 3; } __device__ int f(unsigned long) { return 4; }
        __device__ int f(double) { return 5; } __device__ int wait(unsigned long *, int) { return 6; }""",
        "int i = threadIdx.x; const int own = 2; unsigned long phases[4] = {}; auto inside = [=] { return f(own); };",
        "f(STAGES), f(i / STAGES), f((i / STAGES) & 1), f(MASK), f(COUNT), f(S::WIDTH), f(Twice<2>::value), "
        "f(size_in_bits<int>), f(sizeof(int)), f(alignof(int)), f(count<int, int>()), f(own), "
        "f(std::numeric_limits<int>::digits), f(warpSize), inside(), wait(&phases[i], (i / STAGES) & 1)",
        [1, 1, 1, 3, 1, 2, 3, 2, 4, 4, 4, 1, 1, 1, 1, 6],
    ),
    "what auto stands for": (
        """struct Two { int a; float b; }; __device__ auto unsigned_index() { return threadIdx.x; }
        __device__ auto larger(float x) { if (x > 1.0f) return x; return 2.0f * x; }
        __device__ int f(int) { return 1; } __device__ int f(unsigned) { return 2; }
        __device__ int f(float) { return 3; } __device__ int f(double) { return 4; }
        __device__ int f(long) { return 5; }""",
        "int i = 1; auto twice = [&](auto x) { return x + i; }; std::array<long, 2> longs{}; double plain[] = {1, 2}; "
        "int sum = 0; for (auto x : longs) sum = 10 * sum + f(x); for (auto x : plain) sum = 10 * sum + f(x); "
        "for (auto x : {1u, 2u}) sum = 10 * sum + f(x); auto [a, b] = Two{1, 2.0f}; auto &[c, d] = longs; "
        "auto [g, h] = plain; ",
        "f(unsigned_index()), f(larger(2.0f)), f(twice(3)), f(twice(3.0)), sum, f(a), f(b), f(c), f(g)",
        [2, 3, 1, 4, 554422, 1, 3, 5, 4],
    ),
    "tags of a class of one's own": (
        """template <class T> struct is_real : std::false_type {};
        template <> struct is_real<float> : std::true_type {};
        template <class T> __device__ int f(T x, std::true_type) { return 1; }
        template <class T> __device__ int f(T x, std::false_type) { return 2; }
        __device__ int g(std::array<int, 2>) { return 3; } __device__ int g(...) { return 4; }""",
        "",
        "f(1, is_real<int>()), f(1, is_real<float>{}), f(1, std::is_same<int, int>()), g(std::array<int, 2>{}), g(5)",
        [2, 1, 1, 3, 4],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_call_means(name: str) -> None:
    declarations, variables, calls, wanted = CASES[name]
    body = f"{variables} int found[] = {{{calls}}}; for (int i = 0; i < {len(wanted)}; ++i) out[i] = found[i];"
    text = f"{declarations}\n__global__ void k(int *out) {{ {body} }}"
    done = run(text, {"out": np.zeros(len(wanted), np.int32)}, block=1)
    assert done.arrays["out"].tolist() == wanted
    assert done.faults == ()


def test_the_built_in_comma_where_no_operator_takes_the_operands() -> None:
    text = """
        enum class Kind { A }; struct S { int v; };
        __device__ int operator,(const S &, Kind) { return 100; }
        __global__ void k(int *out) { S s{}; out[0] = (s, 7); out[1] = (s, Kind::A); }
    """
    assert run(text, {"out": np.zeros(2, np.int32)}, block=1).arrays["out"].tolist() == [7, 100]


@pytest.mark.parametrize("types", [("long", "long long"), ("int", "Color"), ("const int *", "int *")])
def test_an_instance_that_serves_for_two_types_guesses_neither(types: tuple[str, str]) -> None:
    first, second = types
    text = f"""
        enum Color {{ RED }};
        __device__ int f({first}) {{ return 1; }} __device__ int f({second}) {{ return 2; }}
        template <class T> __device__ int g() {{ return f(T()); }}
        __global__ void k(int *out) {{ out[0] = g<{first}>(); out[1] = g<{second}>(); }}
    """
    with pytest.raises(Refusal, match="which f"):
        run(text, {"out": np.zeros(2, np.int32)}, block=1)
