"""What templates mean in a kernel; what is expected is what C++20 says and compilers agree on."""

from __future__ import annotations

import numpy as np
import pytest

from sim.refusals import Refusal
from tests.sim.running import run

CASES = {
    "a value takes the type of its parameter": (
        """template <bool B> struct A { static constexpr int value = 1; };
        template <> struct A<true> { static constexpr int value = 2; };
        template <class T, class U> constexpr bool same = false; template <class T> constexpr bool same<T, T> = true;
        template <bool... B> struct All { static constexpr int value = (B && ...); };
        enum Color { RED, GREEN = 7 }; template <Color C> struct P { static constexpr int value = C; };
        template <> struct P<GREEN> { static constexpr int value = 70; };""",
        "A<1>::value, A<0>::value, same<A<1>, A<true>>, same<All<1, 0>, All<true, false>>,"
        " P<Color(7)>::value, P<RED>::value",
        [2, 1, 1, 1, 70, 0],
    ),
    "variables and their addresses are template arguments": (
        """__device__ int one = 3; __device__ int two = 8;
        template <int *P> struct A { static __device__ int m() { *P = *P + 2; return *P; } };
        template <int &R> __device__ int f() { R = R + 1; return R; }
        template <int &R> struct B { int n = 5; __device__ int sum() const { return R * 10 + n; } };
        template <int *P, int N> __device__ int g() { return P == &two ? N : -N; }
        template <class T> constexpr int is = 0; template <int &R> constexpr int is<B<R>> = 1;""",
        "A<&one>::m(), (two = 4, A<&two>::m()), f<one>(), f<two>(), B<one>().sum(), g<&one, 7>(), g<&two, 7>(),"
        " is<B<two>>, is<int>",
        [5, 6, 6, 7, 65, -7, 7, 1, 0],
    ),
    "the type of an auto parameter is a part of the instance": (
        """template <auto V> constexpr int g = 1; template <> constexpr int g<1> = 2;
        template <> constexpr int g<1u> = 3; template <> constexpr int g<'a'> = 4;
        template <> constexpr int g<true> = 5;
        template <class T> constexpr int id = 0; template <> constexpr int id<long> = 1;
        template <> constexpr int id<long long> = 2;
        template <auto V> __device__ int f() { return id<decltype(V)>; }""",
        "g<1>, g<1u>, g<1L>, g<'a'>, g<97>, g<true>, f<1L>(), f<1LL>(), f<1>()",
        [2, 3, 1, 4, 1, 5, 1, 2, 0],
    ),
    "functions as arguments": (
        """__device__ int add(int x) { return x + 1; } __device__ int add(float x) { return int(x) + 100; }
        __device__ int twice(int x) { return 2 * x; }
        template <int (*F)(float)> __device__ int f(int x) { return F(x); }
        template <int (*F)(int)> struct A { static __device__ int m(int x) { return F(x); } };
        template <> struct A<twice> { static __device__ int m(int x) { return -x; } };""",
        "f<add>(4), A<twice>::m(3), A<add>::m(3)",
        [104, -3, 4],
    ),
    "a specialisation of a function without written arguments": (
        """struct B {}; template <class T> __device__ int f(T) { return 1; }
        template <> __device__ int f(long) { return 2; } template <> __device__ int f<char>(char) { return 3; }
        template <class T> __device__ int f(T *) { return 4; } template <> __device__ int f(B *) { return 5; }
        template <class T> __device__ int g(T &&) { return 1; } template <> __device__ int g(int &) { return 2; }
        template <> __device__ int g(int &&) { return 3; }""",
        "f(1), f(1L), f<long>(1), f('a'), f(&n), f(&b), g(n), g(1), g(2.0)",
        [1, 2, 2, 3, 4, 5, 2, 3, 1],
    ),
    "a specialisation that only its returned type tells": (
        """struct B { int v; }; template <class T> __device__ T f(int x) { return T(x); }
        template <> __device__ float f(int x) { return x + 0.5f; }
        template <> __device__ B f(int x) { return B{x * 3}; }
        template <class T, class U> __device__ T *g(U) { return nullptr; }
        template <> __device__ int *g(char) { static __device__ int i = 7; return &i; }
        template <> __device__ float *g(char) { static __device__ float i = 2.5f; return &i; }""",
        "f<int>(4), int(2 * f<float>(4)), f<B>(4).v, int(f<double>(4)), *g<int, char>('a'),"
        " int(2 * *g<float, char>('b'))",
        [4, 9, 12, 4, 7, 5],
    ),
    "default arguments count in patterns": (
        """template <class T, class U = int> constexpr int v = 1; template <class T> constexpr int v<T, T> = 2;
        template <> constexpr int v<char> = 3;""",
        "v<char>, v<float>, v<int>, v<char, char>",
        [3, 1, 2, 2],
    ),
    "functions and pointers to them are types": (
        """template <class T> struct A { static constexpr int value = 1; };
        template <class T> struct A<T *> { static constexpr int value = 2; };
        template <class R, class P> struct A<R(P)> { static constexpr int value = 3; };
        template <class R, class... P> struct A<R (*)(P...)> { static constexpr int value = 10 + sizeof...(P); };""",
        "A<int(float)>::value, A<int (*)(float)>::value, A<void (*)()>::value, A<int *>::value, A<int()>::value",
        [3, 11, 10, 2, 1],
    ),
    "pointers to functions are pointers": (
        """template <class T> struct P { static constexpr int value = 1; };
        template <class T> struct P<T *> { static constexpr int value = 10 + P<T>::value; };
        template <class T, class U> struct A { static constexpr int value = 1; };
        template <class T, class U> struct A<T *, U> { static constexpr int value = 2; };
        template <class T, class U> struct A<T *, U *> { static constexpr int value = 3; };
        template <class T> struct C { static constexpr int value = 1; };
        template <class T> struct C<T *const> { static constexpr int value = 2; };
        template <class T> struct C<const T> { static constexpr int value = 3; };""",
        "P<int (*)(long, int)>::value, P<int(long)>::value, A<char *, int (*)(long)>::value,"
        " A<int (*)(long), int>::value, C<const decltype(&n)>::value, C<int (*const)(int)>::value",
        [11, 1, 3, 2, 2, 2],
    ),
    "arrays of constants are more special than arrays": (
        """template <class T> constexpr int v = 1; template <class T, int N> constexpr int v<T[N]> = 2;
        template <class T, int N> constexpr int v<const T[N]> = 3;""",
        "v<int[2]>, v<const int[2]>, v<const int>",
        [2, 3, 1],
    ),
    "the more constrained function is chosen": (
        """template <class T> concept Any = true; template <class T> concept Short = Any<T> && sizeof(T) <= 2;
        template <class T> concept Tiny = Short<T> && sizeof(T) == 1;
        template <class T> concept Or = Short<T> || sizeof(T) == 8;
        __device__ int f(Any auto) { return 1; } __device__ int f(Short auto) { return 2; }
        __device__ int f(Tiny auto) { return 3; }
        template <class U> requires Or<U> __device__ int g(U) { return 1; }
        template <Short T> __device__ int g(T) { return 2; }
        template <class T, class U> requires Any<T> __device__ int h(T, U) { return 1; }
        template <class T, class U> requires (Short<U> && Any<T>) __device__ int h(T, U) { return 2; }
        template <class T> struct S { __device__ int m() requires Tiny<T> { return 1; }
        __device__ int m() { return 2; } };""",
        "f(1), f(short(1)), f('a'), g('a'), g(1L), h(1, 2), h(1, 'a'), S<char>().m(), S<int>().m()",
        [1, 2, 3, 2, 1, 1, 2, 1, 2],
    ),
    "the more constrained specialisation is chosen": (
        """template <class T> concept Short = sizeof(T) <= 2;
        template <class T> concept Tiny = Short<T> && sizeof(T) == 1;
        template <class T> constexpr int v = 1; template <Short T> constexpr int v<T> = 2;
        template <Tiny T> constexpr int v<T> = 3; template <class T> constexpr int v<T *> = 4;
        template <Tiny T> constexpr int v<T *> = 5;""",
        "v<int>, v<short>, v<char>, v<int *>, v<char *>",
        [1, 2, 3, 4, 5],
    ),
    "what certainly does not exist": (
        """template <bool B, class T = void> struct If {}; template <class T> struct If<true, T> { using type = T; };
        template <class T, If<(sizeof(T) > 4)>::type * = nullptr> __device__ int f(T) { return 1; }
        template <class T, typename If<(sizeof(T) <= 4)>::type * = nullptr> __device__ int f(T) { return 2; }
        template <int N> struct Rank : Rank<N - 1> {}; template <> struct Rank<0> {}; struct B { int b; };
        template <class T> __device__ auto g(T x, Rank<1>) -> decltype(x.b, 1) { return 1; }
        template <class T> __device__ int g(T, Rank<0>) { return 2; }
        template <class...> using Void = void; template <class T, class = void> constexpr int plus = 1;
        template <class T> constexpr int plus<T, Void<decltype(T() + T())>> = 2;
        template <class T> struct Has { template <class U> static constexpr auto test(int)
        -> decltype(static_cast<U *>(nullptr)->b, true) { return true; }
        template <class U> static constexpr bool test(...) { return false; }
        static constexpr bool value = test<T>(0); };""",
        "f(1.0), f(1), g(B{1}, Rank<1>()), g(1, Rank<1>()), plus<int>, plus<int *>, Has<B>::value, Has<int>::value",
        [1, 2, 1, 2, 2, 1, 1, 0],
    ),
    "the types of auto parameters": (
        """template <class T> constexpr int id = 1; template <> constexpr int id<int> = 2;
        template <> constexpr int id<const char> = 3; template <> constexpr int id<long> = 4;
        template <class T> __device__ int f(auto y, T, const auto z) {
        return id<decltype(y)> * 10 + id<decltype(z)>; }""",
        "f(1, 2, 'a'), f(1L, 2, 1.0)",
        [23, 41],
    ),
    "constants of a class template that are defined outside": (
        """template <class T> struct A { static const int v; static const int size; };
        template <class U> const int A<U>::v = 3; template <> const int A<char>::v = 4;
        template <class T> const int A<T>::size = sizeof(T);""",
        "A<int>::v, A<char>::v, A<short>::size",
        [3, 4, 2],
    ),
    "nothing is deduced from what a class names": (
        """template <class T> struct A { using type = T; template <class U> using with = A<U>;
        static constexpr int size = sizeof(T); };
        template <class T> __device__ int f(typename A<T>::type, T) { return sizeof(T); }
        struct S { int v; }; template <class T> struct N { struct I { T v; }; };""",
        "f('a', 1), f(1, 2.0), A<int>::with<char>::size, typename N<int>::I{8}.v",
        [4, 8, 1, 8],
    ),
    "lambdas that functions give back": (
        """struct Add { int n; __device__ int operator()(int x) const { return x + n; } };
        template <class F, class G> __device__ auto compose(F f, G g) { return [=](auto x) { return g(f(x)); }; }
        template <class F, class... A> __device__ auto bind(F f, A... a) {
        return [=](auto... b) { return f(a..., b...); }; }
        __device__ int sum3(int a, int b, int c) { return a * 100 + b * 10 + c; }
        template <class T> struct H { T v; __device__ auto adder() { return [s = v](auto x) { return s + x; }; } };
        __device__ int run(int n) { int k = 3; auto h = [&] { return [=](int y) { return y + k + n; }; };
        k = 4; auto g = h(); k = 7; return g(1) * 10 + k; }""",
        "compose(Add{1}, [](int x) { return x * 2; })(3), bind(sum3, 1, 3)(2), bind(sum3)(1, 2, 3),"
        " H<int>{3}.adder()(4), run(1)",
        [8, 132, 123, 7, 67],
    ),
    "functions that are passed by name": (
        """template <class R, class... A> __device__ int f(R (*g)(A...), A... a) { return int(g(a...)); }
        __device__ int one(int x) { return x; } __device__ float two(float x, int y) { return x - y; }
        __device__ int change(int (*g)(int), int x) { return g(x) + 1; }""",
        "f(two, 3.0f, 4), f(one, 2), change(one, 5)",
        [-1, 2, 6],
    ),
    "packs that lambdas capture": (
        """template <class... T> __device__ int f(T... x) { auto g = [x...] { return (int(x) + ... + 0); };
        auto h = [&x...] { ((x = T(1)), ...); }; auto k = [...y = x + 1] { return (int(y) + ...); };
        h(); return g() * 100 + k() * 10 + (int(x) + ...); }""",
        "f(2), f(1, 2L)",
        [231, 352],
    ),
    "values and types that packs share": (
        """template <class T, int N> struct Row {}; template <class T> constexpr int id = 1;
        template <> constexpr int id<long> = 2;
        template <class T, int... N> __device__ int g(Row<T, N>...) { return id<T> * 100 + (N + ... + 0); }
        __device__ int run(long n) { auto f = []<class T>(T x, T y) { return id<T> * 10 + int(x + y); };
        auto g = []<int N>(Row<int, N>) { return N; }; return f(n, 2L) * 10 + g(Row<int, 4>()); }""",
        "g(Row<int, 3>(), Row<int, 4>()), g(Row<long, 1>()), run(1)",
        [107, 201, 234],
    ),
    "results that are deduced": (
        """template <class T> constexpr int id = 1; template <> constexpr int id<double> = 2;
        template <> constexpr int id<long> = 3;
        template <class T> class V { T x; public: __device__ V(T a) : x(a) {}
        template <class U> __device__ auto dot(const V<U> &o) const { return x * o.first(); }
        __device__ T first() const { return x; } };
        template <class T> __device__ auto half(T x) { return x / 2; }""",
        "id<decltype(V<int>(2).dot(V<double>(1)))>, id<decltype(V<int>(2).dot(V<long>(1)))>, id<decltype(half(2L))>",
        [2, 3, 3],
    ),
    "a class that consists of a pack of bases": (
        """struct I { __device__ int operator()(int) const { return 1; } };
        struct D { __device__ int operator()(double) const { return 2; } };
        template <class... F> struct Over : F... { using F::operator()...; };
        template <class... F> Over(F...) -> Over<F...>;""",
        "Over{I(), D()}(1), Over{I(), D()}(1.5), Over{D()}(1)",
        [1, 2, 2],
    ),
    "conversion functions that are explicit, or templates": (
        """struct E { int v; __device__ explicit operator bool() const { return v > 3; }
        __device__ operator long() const { return v; } };
        struct X { __device__ explicit operator bool() const { return true; } };
        __device__ int f(bool) { return 1; } __device__ int f(...) { return 2; }
        struct C { int v; template <class T> __device__ operator T() const { return T(v + 1); } };
        __device__ int g(int x) { return x; }""",
        "E{3} + 1, E{3} * 2, f(X()), f(E{4}), g(C{7}), int(static_cast<float>(C{5})), E{2} && true",
        [4, 6, 2, 1, 8, 6, 0],
    ),
    "a default for a value that does not exist": (
        """template <bool B, class T = void> struct If {}; template <class T> struct If<true, T> { using type = T; };
        template <class T, int = sizeof(typename If<(sizeof(T) > 1), char>::type)> __device__ int f(T) { return 1; }
        __device__ int f(...) { return 2; }""",
        "f(1), f('a'), f<char, 1>('a')",
        [1, 2, 1],
    ),
    "qualifiers behind a type of several words": (
        """template <class T> constexpr int v = 1; template <> constexpr int v<const unsigned> = 2;
        template <> constexpr int v<const unsigned long &> = 3; template <class T> constexpr int v<volatile T> = 4;""",
        "v<unsigned const>, v<unsigned long const &>, v<unsigned>, v<unsigned volatile>",
        [2, 3, 1, 4],
    ),
    "members are those of their own class": (
        """template <class T> struct A { __device__ int m(); __device__ int k();
        template <class U> __device__ int n(U); };
        template <class T> struct A<T *> { __device__ int m(); static __device__ int s(T x); };
        template <> struct A<char> { __device__ int m(); };
        template <class T> __device__ int A<T>::m() { return 1; }
        template <class V> __device__ int A<V *>::m() { return 2; }
        template <class T> __device__ int A<T *>::s(T x) { return int(x * 2); }
        __device__ int A<char>::m() { return 3; } template <> __device__ int A<long>::m() { return 4; }
        template <class T> __device__ int A<T>::k() { return sizeof(T); }
        template <> template <> __device__ int A<int>::n(short) { return 6; }
        template <class T> template <class U> __device__ int A<T>::n(U) { return 5; }""",
        "A<int>().m(), A<int *>().m(), A<float *>::s(2.5f), A<char>().m(), A<long>().m(), A<short>().k(),"
        " A<int>().n(short(1)), A<int>().n(1), A<float>().n(short(1))",
        [1, 2, 5, 3, 4, 2, 6, 5, 5],
    ),
    "variable templates of a class, and packs in more places": (
        """struct S { template <class T> static constexpr int size = sizeof(T); };
        template <class... T> struct V { alignas(T...) char data[4]; };""",
        "S::size<short>, S::size<double>, int(alignof(V<char, double>)), int(sizeof(V<char, int>))",
        [2, 8, 8, 4],
    ),
    "template template parameters": (
        """template <class... T> struct L {}; template <class T> struct Box {};
        template <template <class...> class C, class... T> __device__ int h(C<T...>) { return sizeof...(T); }
        template <class T> struct AddP { using type = T *; };
        template <class T> struct Depth { static constexpr int n = 0; };
        template <class T> struct Depth<T *> { static constexpr int n = 1 + Depth<T>::n; };
        template <class T, template <class> class... M> struct Chain { static constexpr int n = Depth<T>::n; };
        template <class T, template <class> class F, template <class> class... M> struct Chain<T, F, M...> {
          static constexpr int n = Chain<typename F<T>::type, M...>::n; };
        template <class T> struct Is { static constexpr int n = 0; };
        template <template <class> class C, class T> struct Is<C<T>> { static constexpr int n = sizeof(T); };""",
        "h(L<int, char>()), h(Box<int>()), Chain<int, AddP, AddP>::n, Is<Box<short>>::n, Is<long>::n",
        [2, 1, 2, 2, 0],
    ),
    "specialisations that name their namespace or class": (
        """namespace inner { template <class T> struct A { static constexpr int n = 1; }; }
        template <> struct inner::A<char> { static constexpr int n = 2; };
        template <class T> struct O { template <class U> struct I { static constexpr int n = 1; }; };
        template <> template <> struct O<int>::I<char> { static constexpr int n = 2; };
        template <> template <class U> struct O<float>::I { static constexpr int n = 3; };""",
        "inner::A<int>::n, inner::A<char>::n, O<int>::I<char>::n, O<int>::I<int>::n, O<float>::I<char>::n",
        [1, 2, 2, 1, 3],
    ),
    "a pack of overloads": (
        """struct I { __device__ int operator()(int) const { return 1; } };
        struct D { __device__ int operator()(double) const { return 2; } };
        template <class... F> struct Over : F... { using F::operator()...; };
        template <class T> struct Size { static constexpr int value = sizeof(T); };
        template <class... T> struct Sum { static constexpr int value = (Size<T>::value + ... + 1000); };""",
        "Over<I, D>{}(1), Over<I, D>{}(1.5f), Sum<int, char>::value",
        [1, 2, 1005],
    ),
    "packs that initialise bases": (
        """struct A { int a; __device__ A(int x) : a(x) {} }; struct B { int b; __device__ B(int x) : b(x * 2) {} };
        template <class... P> struct M : P... { int own;
          template <class... Q> __device__ M(int n, Q... q) : P(q)..., own(n) {} };""",
        "M<A, B>(1, 2, 3).a, M<A, B>(1, 2, 3).b, M<A>(4, 2).own, M<>(5).own",
        [2, 6, 4, 5],
    ),
    "the return type may not exist": (
        """struct B { int b; }; template <class T> __device__ auto f(T x, int) -> decltype(x.b) { return 1; }
        template <class T> __device__ int f(T, long) { return 2; }""",
        "f(B{3}, 0), f(1, 0)",
        [1, 2],
    ),
    "no template is a copy assignment": (
        """struct S { int v = 1; template <class T> __device__ S &operator=(T x) { v = 50; return *this; } };
        __device__ int run() { S s; s = 2; S t; t.v = 7; s = t; return s.v; }""",
        "run()",
        [7],
    ),
    "addresses of functions and names of members": (
        """template <class T> __device__ int f(T) { return 1; } template <> __device__ int f(int (*)(int)) { return 2; }
        __device__ int g(int x) { return x; } struct P { double a; int b; };
        template <class T> constexpr int id = 1; template <> constexpr int id<double> = 2;
        __device__ int run() { auto [a, b] = P{1, 2}; return id<decltype(a)>; }""",
        "f(g), f(&g), f(n), run()",
        [2, 2, 1, 2],
    ),
    "what a void alias is given must exist": (
        """template <class T> using Void = void; struct With { using type = int; }; struct Without {};
        template <class T, class = void> constexpr int kind = 1;
        template <class T> constexpr int kind<T, Void<typename T::type>> = 2;""",
        "kind<With>, kind<Without>, kind<int>",
        [2, 1, 1],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_template_means(name: str) -> None:
    declarations, uses, wanted = CASES[name]
    body = f"int n = 1; struct B; int found[] = {{{uses}}}; for (int i = 0; i < {len(wanted)}; ++i) out[i] = found[i];"
    body = body.replace("struct B;", "B b;" if "struct B {}" in declarations else "")
    done = run(
        f"{declarations}\n__global__ void k(int *out) {{ {body} }}", {"out": np.zeros(len(wanted), np.int32)}, block=1
    )
    assert done.arrays["out"].tolist() == wanted
    assert done.faults == ()


def test_of_a_type_that_is_not_known_nothing_is_certain() -> None:
    """`decltype` of a call whose result nobody knows may be `double`."""
    text = """template <class T> constexpr int id = 1; template <> constexpr int id<double> = 2;
    template <class T> constexpr int id<T *> = 3; __device__ auto f(int x) { auto y = x * 2.0; return y; }
    __global__ void k(int *out) { out[0] = id<decltype(f(1))>; }"""
    with pytest.raises(Refusal):
        run(text, {"out": np.zeros(1, np.int32)}, block=1)
