"""Whatever the text, lowering answers: no exception, no internal error, well-formed functions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lower.check import constructs, lower_all
from tests.lower.test_constructs import NOT_UNDERSTOOD, UNDERSTOOD

KERNELS = [text.encode() for text in (*UNDERSTOOD.values(), *NOT_UNDERSTOOD.values())]
PIECES = [
    b"{",
    b"}",
    b"(",
    b")",
    b"<",
    b">",
    b";",
    b",",
    b"*",
    b"&",
    b"::",
    b"template",
    b"int",
    b"=",
    b"if",
    b"0",
    b"x",
    b"\n",
]


@given(
    st.sampled_from(KERNELS),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.sampled_from(PIECES)), max_size=4),
)
def test_mutated_kernels_never_fail(text: bytes, edits: list[tuple[float, int, bytes]]) -> None:
    for where, removed, inserted in edits:
        at = int(where * len(text))
        text = text[:at] + inserted + text[at + removed :]
    _no_internal_error(text)


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int* a) { a[0] = " + "(" * 300 + "1" + ")" * 300 + "; }",
        "__global__ void k(int* a) { a[0] = " + "1 + " * 3000 + "1; }",
        "__global__ void k(int* a) { " + "if (a[0]) { " * 300 + "}" * 300 + " }",
        "__global__ void k(int n) { if (n) {} " + "else if (n > 1) {} " * 500 + "}",
        "struct A { A a; }; __global__ void k(A* a) { a->a.a = *a; }",
        "struct A : A { int x; }; __global__ void k(A* a) { a->x = 1; }",
        "template <class T> struct A { A<A<T>> a; }; __global__ void k(A<int>* a) { a->a.a; }",
        "template <class T> __device__ int f(T x) { return f(&x); } __global__ void k(int* a) { a[0] = f(1); }",
        "template <int N> __device__ int f() { return f<N + 1>(); } __global__ void k(int* a) { a[0] = f<0>(); }",
        "const int A = B; const int B = A; __global__ void k(int* a) { a[A] = B; }",
        "typedef T T; __global__ void k(T a) { T b = a; }",
        "using A = B; using B = A; __global__ void k(A a) {}",
        "namespace a = b; namespace b = a; __global__ void k(int* p) { p[0] = a::x; }",
        "__global__ void k(int* a) { auto f = [&](auto g) { return g(g); }; a[0] = f(f); }",
        "__device__ auto f(int n) { return n ? f(n - 1) : 0; } __global__ void k(int* a) { a[0] = f(3); }",
        "namespace n { template <int N> struct F : F<N + 1> {}; } __global__ void k(int* a) { n::F<0> f; a[0] = 1; }",
        "namespace n { template <class T> struct R { static constexpr int d = 1 + R<R<T>>::d; }; }"
        "__global__ void k(int* a) { a[0] = n::R<int>::d; }",
        "struct P { template <int N> struct F { typename F<N + 1>::type x; }; };"
        "__global__ void k(int* a) { P::F<0> f; a[0] = 1; }",
        "__global__ void k",
        "__global__ void k(",
        "__global__ void () {}",
        "enum E { A = A, B = sizeof(E) }; __global__ void k(int* a) { a[A] = B; }",
        "__global__ void k(int a[], int (&b)[3], int (*c)[4], ...) { c[1][2] = b[0]; }",
    ],
)
def test_hostile_texts(text: str) -> None:
    _no_internal_error(text.encode())


def _no_internal_error(text: bytes) -> None:
    for id, lowered in lower_all(text).items():
        assert not [found for found in constructs(lowered) if found.startswith("internal error")], (id, text)
