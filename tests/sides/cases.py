"""Small texts in which host and device call each other, and what nvcc 13.0 said of each.

`python -m tests.sides.nvcc` asks the compiler again, where there is one.  The suite needs none: it compares what the
rules report with the claims in the texts (`//~ rule`), and those with what is noted here.
"""

from __future__ import annotations

from typing import Final, final

from analysis.ir.record import record
from tests.sides.classes import ACCEPTED_OF_CLASSES, REFUSED_OF_CLASSES, UNSEEN_OF_CLASSES


@final
@record
class Case:
    """`is_accepted`: nvcc compiles it, with warnings or without.

    `is_linked`: a program is made of it.  `unseen`: the reason why nothing is reported of a text that does not compile.
    """

    name: str
    text: str
    is_accepted: bool
    unseen: str = ""
    is_linked: bool = True


DECLARED: Final = """
int on_host(int x) { return x + 1; }
__device__ int on_device(int x) { return x + 1; }
__host__ __device__ int on_both(int x) { return x + 1; }
__global__ void kernel(int *p) { *p = 1; }
template <class T> T any_on_host(T x) { return x; }
template <class T> __device__ T any_on_device(T x) { return x; }
int of_host = 1;
static int also_of_host[4];
const int constant = 2;
__device__ int of_device;
__constant__ int table[4];
"""
"""Before each text."""


def _accepted(name: str, text: str) -> Case:
    return Case(name, text, is_accepted=True)


def _refused(name: str, text: str, unseen: str = "") -> Case:
    return Case(name, text, is_accepted=False, unseen=unseen)


def _unlinked(name: str, text: str) -> Case:
    return Case(name, text, is_accepted=True, is_linked=False)


HOST_SIDES: Final = (
    _unlinked("an index on the host", "int f() { return threadIdx.x; }  //~ device-only-on-host"),
    _unlinked("the size of warps on the host", "int f() { return 2 * warpSize; }  //~ device-only-on-host"),
    _unlinked(
        "an index on the host's side",
        """
__host__ __device__ int b() {
#ifdef __CUDA_ARCH__
  return threadIdx.x;
#else
  return blockDim.x;  //~ device-only-on-host
#endif
}""",
    ),
    _unlinked("an index on both sides", "__host__ __device__ int b() { return threadIdx.x; }  //~ device-only-on-host"),
    _accepted(
        "an index on both sides, of which only the device makes code",
        """
inline __host__ __device__ int b() { return threadIdx.x; }
struct S { __host__ __device__ int b() { return threadIdx.x; } };
template <class T> __host__ __device__ int c() { return threadIdx.x; }
template <class T> int d() { return threadIdx.x; }
__global__ void k(int *p) { *p = b() + S().b() + c<int>(); }""",
    ),
    _accepted(
        "names of its own",
        """
struct Shape { dim3 gridDim, blockDim; int f() { return gridDim.x; } int g(); };
int Shape::g() { return blockDim.x; }
struct Wide : Shape { int h() { return gridDim.x; } };
int f(dim3 blockDim) { int warpSize = 32; return warpSize * blockDim.x; }
int g(const Shape &shape) { return shape.gridDim.x; }
namespace n { int threadIdx = 1; int f() { return threadIdx; } }""",
    ),
    _accepted(
        "an index in a lambda for the device",
        """
template <class F> __global__ void apply(F f, int *p) { *p = f(1); }
void f(int *p) { apply<<<1, 1>>>([] __device__(int x) { return x + threadIdx.x; }, p); }""",
    ),
    _refused("a shared variable on the host", "int f() { __shared__ int s[4]; return 1; }  //~ device-only-on-host"),
    _refused(
        "a shared variable in a template of the host",
        "template <class T> int f() { static __shared__ T s; return 1; }  //~ device-only-on-host",
    ),
    _refused(
        "a shared variable on both", "__host__ __device__ void b() { __shared__ int s; }  //~ device-only-on-host"
    ),
    _refused(
        "a shared variable in a template for both",
        "template <class T> __host__ __device__ void b() { __shared__ int s; }",
        unseen="templates for both sides are read where the device makes them",
    ),
    _accepted(
        "a shared variable on the device's side",
        """
__host__ __device__ int b() {
#ifdef __CUDA_ARCH__
  __shared__ int s;
  s = 1;
  return s;
#else
  return 1;
#endif
}""",
    ),
    _accepted("dynamic shared memory on the host", "int f() { extern __shared__ int s[]; return 1; }"),
    _refused("the architecture on the host", "int f() { return __CUDA_ARCH__; }  //~ device-only-on-host"),
    _refused("it decides", "int f() { if (__CUDA_ARCH__ >= 800) return 1; return 0; }  //~ device-only-on-host"),
    _refused(
        "the architecture on both", "__host__ __device__ int b() { return __CUDA_ARCH__; }  //~ device-only-on-host"
    ),
    _refused("in a template", "template <class T> int f() { return __CUDA_ARCH__; }  //~ device-only-on-host"),
    _refused(
        "the architecture on the device",
        "__device__ int d() { return __CUDA_ARCH__; }",
        unseen="device functions are read as the device compiles them, nvcc also as the host does",
    ),
    _accepted(
        "the architecture where it is defined",
        """
__host__ __device__ int b() {
#if defined(__CUDA_ARCH__)
  return __CUDA_ARCH__;
#else
  return 0;
#endif
}""",
    ),
    _accepted(
        "the host compares it",
        """
int f() {
#if __CUDA_ARCH__ >= 800  //~ architecture-test-on-host
  return 1;
#elif __CUDA_ARCH__ >= 700  //~ architecture-test-on-host
  return 2;
#else
  return 0;
#endif
}
#if __CUDA_ARCH__ >= 800
#endif
__device__ int d() {
#if __CUDA_ARCH__ >= 800
  return 1;
#else
  return 0;
#endif
}
__host__ __device__ int b() {
#if __CUDA_ARCH__ >= 800
  return 1;
#else
  return 0;
#endif
}
int g() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return 1;
#endif
  return 0;  // #if __CUDA_ARCH__ >= 800
}""",
    ),
    _accepted(
        "a variable of the device on the host's side",
        """
__host__ __device__ int b(int i) {
#ifdef __CUDA_ARCH__
  return table[i];
#else
  return of_device;  //~ device-variable-on-host
#endif
}""",
    ),
    _accepted(
        "a variable of the device on both",
        "__host__ __device__ int b() { return of_device; }  //~ device-variable-on-host",
    ),
    _accepted(
        "a variable of the device on its side",
        "__host__ __device__ int b() {\n#ifdef __CUDA_ARCH__\n  return of_device;\n#else\n  return 0;\n#endif\n}",
    ),
    _refused(
        "a barrier on the host's side",
        """
__host__ __device__ void b() {
#ifndef __CUDA_ARCH__
  __syncthreads();  //~ illegal-call
#endif
}""",
    ),
    _refused(
        "the library asks for the side",
        """
#include <nv/target>
__host__ __device__ int b(int x) {
  NV_IF_TARGET(NV_IS_DEVICE, (return on_device(x);), (return __CUDA_ARCH__;))  //~ device-only-on-host
}""",
    ),
    _accepted(
        "the library gives each its own",
        """
#include <nv/target>
__host__ __device__ int b(int x) {
  NV_IF_TARGET(NV_IS_DEVICE, (return threadIdx.x;), (return on_host(x);))
}
__global__ void k(int *p) { *p = b(*p); }""",
    ),
)
"""What nothing but device code has, and what is told of the host's side of functions for both."""
CASES: Final = (
    _accepted("device to both", "__global__ void k(int *p) { *p = on_both(on_device(1)); }"),
    _accepted("host to both", "int f() { return on_both(on_host(1)); }"),
    _refused("kernel to host", "__global__ void k(int *p) { *p = on_host(1); }  //~ illegal-call"),
    _refused("device to host", "__device__ int d() { return on_host(1); }  //~ illegal-call"),
    _accepted("unused static device to host", "static __device__ int d() { return on_host(1); }"),
    _accepted("unused inline device to host", "__device__ inline int d() { return on_host(1); }"),
    _accepted("unused nameless device to host", "namespace { __device__ int d() { return on_host(1); } }"),
    _accepted("unused method to host", "struct S { __device__ int d() { return on_host(1); } };"),
    _refused(
        "method that is defined outside",
        "struct S { __device__ int d(); };\n__device__ int S::d() { return on_host(1); }  //~ illegal-call",
    ),
    _refused(
        "static device to host, from device code",
        "static __device__ int d() { return on_host(1); }  //~ illegal-call\n__device__ int e() { return d(); }",
    ),
    _refused(
        "static device to host, from a kernel",
        "static __device__ int d() { return on_host(1); }  //~ illegal-call\n__global__ void k(int *p) { *p = d(); }",
    ),
    _refused("unused static host to device", "static int f() { return on_device(1); }  //~ illegal-call"),
    _refused("method of the host to device", "struct S { int f() { return on_device(1); } };  //~ illegal-call"),
    _refused(
        "template of the host to device",
        "template <class T> int f(T x) { return on_device(1); }",
        unseen="templates of the host are read where they are instantiated",
    ),
    _accepted("template of the host that nobody makes", "template <class T> int f(T x) { return on_device(x); }"),
    _accepted("a static device function reads it", "static __device__ int d() { return of_host; }"),
    _refused("device to global name", "__device__ int d() { return ::on_host(1); }  //~ illegal-call"),
    _refused("device to template of host", "__global__ void k(int *p) { *p = any_on_host(1); }  //~ illegal-call"),
    _refused("explicit arguments", "__global__ void k(int *p) { *p = any_on_host<int>(1); }  //~ illegal-call"),
    _refused("host to device", "int f() { return on_device(1); }  //~ illegal-call"),
    _refused("host to template of device", "int f() { return any_on_device(1); }  //~ illegal-call"),
    _refused("host calls a kernel", "void f(int *p) { kernel(p); }  //~ illegal-call"),
    _accepted("host launches a kernel", "void f(int *p) { kernel<<<1, 1>>>(p); }"),
    _refused("device calls a kernel", "__device__ void d(int *p) { kernel(p); }  //~ illegal-call"),
    _refused("both to device", "__host__ __device__ int b() { return on_device(1); }  //~ illegal-call"),
    _accepted("both to host", "__host__ __device__ int b() { return on_host(1); }"),
    _accepted(
        "both to host, from a kernel",
        """
__host__ __device__ int b() { return on_host(1); }  //~ host-call-on-device
__global__ void k(int *p) { *p = b(); }""",
    ),
    _accepted(
        "template for both, from the host",
        "template <class T> __host__ __device__ T b(T x) { return any_on_host(x); }\nint f() { return b(1); }",
    ),
    _accepted(
        "template for both, from a kernel",
        """
template <class T> __host__ __device__ T b(T x) { return any_on_host(x); }  //~ host-call-on-device
__global__ void k(int *p) { *p = b(1); }""",
    ),
    _accepted("template that nobody makes", "template <class T> __device__ T d(T x) { return on_host(3); }"),
    _refused(
        "template that a kernel makes",
        """
template <class T> __device__ T d(T x) { return on_host(x); }  //~ illegal-call
__global__ void k(int *p) { *p = d(1); }""",
    ),
    _refused(
        "method of a template that a kernel makes",
        """
template <class T> struct C { T v; __device__ T d() { return on_host(v); } };  //~ illegal-call
__global__ void k(int *p) { C<int> c = {*p}; *p = c.d(); }""",
    ),
    _accepted(
        "method of a template that nobody makes",
        """
template <class T> struct C { T v; __device__ T d() { return on_host(v); } };
__global__ void k(int *p) { C<int> c = {*p}; *p = c.v; }""",
    ),
    _accepted("sizeof", "__global__ void k(int *p) { *p = sizeof(on_host(1)); }"),
    _accepted("decltype", "__global__ void k(int *p) { decltype(on_host(1)) x = 3; *p = x; }"),
    _accepted("noexcept", "__global__ void k(int *p) { *p = noexcept(on_host(1)); }"),
    _accepted(
        "if constexpr",
        """
template <bool B> __device__ int d() { if constexpr (B) return on_host(1); else return 1; }
__global__ void k(int *p) { *p = d<false>(); }""",
    ),
    _accepted(
        "each side has its own",
        """
__host__ __device__ int b(int x) {
#ifdef __CUDA_ARCH__
  return on_device(x);
#else
  return on_host(x);
#endif
}
__global__ void k(int *p) { *p = b(*p); }""",
    ),
    _refused(
        "the sides are exchanged",
        """
__host__ __device__ int b(int x) {
#ifdef __CUDA_ARCH__
  return on_host(x);  //~ host-call-on-device
#else
  return on_device(x);  //~ illegal-call
#endif
}
__global__ void k(int *p) { *p = b(*p); }""",
    ),
    _accepted(
        "a lambda for the device",
        """
template <class F> __global__ void apply(F f, int *p) { *p = f(1); }
void f(int *p) { apply<<<1, 1>>>([] __device__(int x) { return on_device(x); }, p); }""",
    ),
    _refused(
        "a lambda of the host",
        "void f() { auto g = [](int x) { return on_device(x); }; g(1); }  //~ illegal-call",
    ),
    _refused(
        "a lambda in device code",
        "__device__ int d() { auto g = [](int x) { return on_host(x); }; return g(1); }  //~ illegal-call",
    ),
    _accepted("a variable of the name", "__device__ int d(int on_host) { return on_host * 2; }"),
    _accepted(
        "a callable parameter of the name",
        "template <class F> __device__ int d(F on_host) { return on_host(1); }",
    ),
    _accepted(
        "a namespace with its own",
        "namespace n { __device__ int on_host(double x) { return 2; } __device__ int d() { return on_host(1.0); } }",
    ),
    _accepted(
        "a class with its own",
        "struct S { __device__ int on_host(int x) { return 2; } __device__ int d() { return on_host(1); } };",
    ),
    _accepted(
        "a base with its own",
        """
struct B { __device__ int on_host(int x) { return 2; } };
struct S : B { __device__ int d() { return on_host(1); } };""",
    ),
    _accepted(
        "declared for the device before",
        "__device__ int later(int x);\nint later(int x) { return x; }\n__device__ int d() { return later(1); }",
    ),
    _refused(
        "an overload of the host",
        "__device__ int over(int x) { return x; }\nint over(double x) { return 1; }\n"
        "__device__ int d() { return over(1.0); }",
        unseen="overloads of both sides with one name",
    ),
    _refused(
        "constexpr without the flag",
        "constexpr int twice(int x) { return 2 * x; }\n__device__ int d(int x) { return twice(x); }",
        unseen="the flag is not known",
    ),
    _refused(
        "a variable of the host is read", "__global__ void k(int *p) { *p = of_host; }  //~ host-variable-on-device"
    ),
    _refused(
        "a variable of the host is written", "__global__ void k() { also_of_host[1] = 1; }  //~ host-variable-on-device"
    ),
    _accepted("a constant of the host", "__global__ void k(int *p) { *p = constant; }"),
    _accepted("its size", "__global__ void k(int *p) { *p = sizeof(also_of_host); }"),
    _accepted("a parameter hides it", "__global__ void k(int *of_host) { *of_host = 1; }"),
    _accepted("a variable of the device is read", "int f() { return of_device; }  //~ device-variable-on-host"),
    _accepted("a variable of the device is written", "void f() { of_device = 1; }  //~ device-variable-on-host"),
    _accepted("a table of the device is read", "int f(int i) { return table[i]; }  //~ device-variable-on-host"),
    _accepted("a symbol is copied", "void f(int *p) { cudaMemcpyToSymbol(of_device, p, sizeof(of_device)); }"),
    _accepted("a local variable hides it", "int f() { int of_device = 1; return of_device; }"),
    *HOST_SIDES,
    *(_refused(name, text) for name, text in REFUSED_OF_CLASSES.items()),
    *(_accepted(name, text) for name, text in ACCEPTED_OF_CLASSES.items()),
    *(_refused(name, text, unseen) for name, (text, unseen) in UNSEEN_OF_CLASSES.items()),
)
