"""Which instances of kernel templates a file launches; the expectation stands beside the text."""

from __future__ import annotations

import pytest

from analysis.launches.instances import launched_instances, launching_functions
from tests.lower.check import program_of

K = "template <int N, class T> __global__ void k(T* a, int n) { a[n] = N; }"
EACH = "template <class F> __global__ void each(int n, F f) { f(n); }"

CASES = {
    "written": (
        K,
        "void go(float* p) { k<4, float><<<1, 32>>>(p, 2); k<8, int><<<1, 32>>>(0, 2); }",
        ["4, float", "8, int"],
    ),
    "a class template": (
        "template <class T> struct Sum {}; template <template <class> class Op, class T> __global__ void k(T* a) {}",
        "void go(float* p) { k<Sum><<<1, 32>>>(p); }",
        ["Sum, float"],
    ),
    "through a variable": (
        K,
        "template <int N> void run(float* p) { auto kernel = &k<N, float>; kernel<<<1, 32>>>(p, 2); }"
        "void go(float* p) { run<4>(p); constexpr int M = 6; void (*f)(int*, int) = k<M, int>; f<<<1, 2>>>(0, 2); }",
        ["4, float", "6, int"],
    ),
    "deduced from what is passed": (K, "void go(double* p) { k<3><<<1, 32>>>(p, 1); }", ["3, double"]),
    "constants of the function around": (
        K,
        "void go(float* p) { const unsigned A = 8, B = A * 2; constexpr int C{3}; k<B + C><<<1, 2>>>(p, 1); }",
        ["19, float"],
    ),
    "an inner block hides a name": (
        K,
        "void go(float* p) { const int A = 1; { const int A = 2; k<A><<<1, 2>>>(p, 1); } k<A><<<1, 2>>>(p, 1); }",
        ["2, float", "1, float"],
    ),
    "a variable is no constant": (K, "void go(float* p, int m) { int A = m; k<A><<<1, 2>>>(p, 1); }", [None]),
    "types named in the function, as dispatch macros do": (
        "#define DISPATCH(T, ...) [&] { using scalar = T; __VA_ARGS__(); }()\n" + K,
        "void go(void* p) { DISPATCH(float, [&] { k<1, scalar><<<1, 2>>>((scalar*)p, 1); });"
        " DISPATCH(int, [&] { k<1, scalar><<<1, 2>>>(static_cast<scalar*>(p), 1); }); }",
        ["1, float", "1, int"],
    ),
    "a host template, from its calls": (
        K,
        "template <class T> void run(T* p) { k<5><<<1, 2>>>(p, 0); }"
        "void go(float* a, short* b) { run(a); run<short>(b); }",
        ["5, float", "5, short"],
    ),
    "a host template that nobody calls": (K, "template <class T> void run(T* p) { k<5><<<1, 2>>>(p, 0); }", [None]),
    "a function object": (
        EACH + "struct Add { int* p; __device__ void operator()(int i) const { p[i]++; } };",
        "void go(int* p, int n) { each<<<1, 32>>>(n, Add{p}); Add add = {p}; each<<<1, 32>>>(n, add); }",
        ["Add"],
    ),
    "a lambda, through a host template": (
        EACH,
        "template <class F> void for_all(int n, F f) { each<<<1, 32>>>(n, f); }"
        "void go(int* p, int n) { for_all(n, [=] __device__(int i) { p[i] = n; }); }",
        ["go(int* p, int n)::<lambda 36>"],
    ),
    "HIP": (K, "void go(int* p) { hipLaunchKernelGGL(HIP_KERNEL_NAME(k<7, int>), g, b, 0, 0, p, 1); }", ["7, int"]),
    "not understood": (K, "void go() { k<2><<<1, 2>>>(mystery(), 1); }", [None]),
}


@pytest.mark.parametrize(("kernel", "host", "expected"), CASES.values(), ids=CASES.keys())
def test_the_instances_that_host_code_launches(kernel: str, host: str, expected: list[str | None]) -> None:
    program = program_of(f"{kernel}\n{host}")
    program.device_functions()
    (found,) = launched_instances(program, launching_functions(program)).values()
    shown = [None if each is None else each.instance.id.partition("<")[2].rpartition(">(")[0] for each in found]
    assert shown == expected
