"""Classes whose members run on one side, used from the other: texts, and what nvcc 13.0 said of each."""

from __future__ import annotations

from typing import Final

REFUSED_OF_CLASSES: Final = {
    "a method of the host": (
        "struct S { int v; int get() { return v; } };\n__device__ int d(S s) { return s.get(); }  //~ illegal-call"
    ),
    "a method of the host, by pointer": (
        "struct S { int v; int get(); };\n__device__ int d(S *s) { return s->get(); }  //~ illegal-call"
    ),
    "a method of the host, by reference": (
        "class S { public: int v; __host__ int get() const; };\n"
        "__global__ void k(const S *all, int *p) { const S &s = all[0]; *p = s.get(); }  //~ illegal-call"
    ),
    "a method of the host, of an element": (
        "struct S { int v; int get(int x) { return v + x; } int get() { return v; } };\n"
        "__device__ int d(S *s, int i) { return s[i].get() + (*s).get(1); }  //~ illegal-call, illegal-call"
    ),
    "a method of the host, of this": (
        "struct S { int v; int get() { return v; } __device__ int d(); };\n"
        "__device__ int S::d() { return this->get(); }  //~ illegal-call"
    ),
    "a method of the device": (
        "struct S { int v; __device__ int get() { return v; } };\nint f(S s) { return s.get(); }  //~ illegal-call"
    ),
    "a method of the device, from both": (
        "struct S { int v; __device__ int get() { return v; } };\n"
        "__host__ __device__ int b(S s) { return s.get(); }  //~ illegal-call"
    ),
    "a method that is declared in a class and defined outside": (
        "struct S { int v; int get(); };\nint S::get() { return v; }\n"
        "__device__ int d(S s) { return s.get(); }  //~ illegal-call"
    ),
    "a method template of the host": (
        "struct S { int v; template <class T> T get() { return v; } };\n"
        "__device__ int d(S s) { return s.get<int>(); }  //~ illegal-call"
    ),
    "a static method of the host": (
        "struct S { static int made() { return 1; } };\n__device__ int d() { return S::made(); }  //~ illegal-call"
    ),
    "a method of a class template": (
        "template <class T> struct V { T v; T get() { return v; } };\n"
        "__device__ int d(V<int> s) { return s.get(); }  //~ illegal-call"
    ),
    "a method of a class in a namespace": (
        "namespace n { struct S { int v; int get() { return v; } };\n"
        "__device__ int d(S s) { return s.get(); } }  //~ illegal-call"
    ),
    "a constructor of the host": (
        "struct S { int v; S(int x) : v(x) {} };\n__device__ int d() { S s(1); return s.v; }  //~ illegal-call"
    ),
    "an empty constructor of the host": (
        "struct S { int v; S() {} };\n__device__ int d() { S s; return s.v; }  //~ illegal-call"
    ),
    "a constructor of the host, in braces": (
        "struct S { int v; S(int x, int y) : v(x + y) {} };\n"
        "__device__ int d() { S s{1, 2}; return s.v; }  //~ illegal-call"
    ),
    "a temporary of a constructor of the host": (
        "struct S { int v; S(int x, int y) : v(x + y) {} };\n"
        "__device__ int d(int x) { return S(x, 2).v + S{x, 3}.v; }  //~ illegal-call, illegal-call"
    ),
    "new with a constructor of the host": (
        "struct S { int v; S(int x, int y) : v(x + y) {} };\n"
        "__device__ int d(int x) { return (new S(x, 2))->v; }  //~ illegal-call"
    ),
    "an array with a constructor of the host": (
        "struct S { int v; S() : v(1) {} };\n__device__ int d() { S s[4]; return s[1].v; }  //~ illegal-call"
    ),
    "a constructor of the device": (
        "struct S { int v; __device__ S(int x) : v(x) {} };\nint f() { S s(1); return s.v; }  //~ illegal-call"
    ),
    "a destructor of the host": (
        "struct S { int v; ~S() { v = 0; } };\n__device__ int d() { S s; s.v = 1; return s.v; }  //~ illegal-call"
    ),
    "a destructor of the device": (
        "struct S { int v; __device__ ~S() { v = 0; } };\nint f() { S s; s.v = 1; return s.v; }  //~ illegal-call"
    ),
    "an operator of the host": (
        "struct S { int v; S operator+(const S &o) const { return o; } };\n"
        "__device__ int d(S a, S b) { return (a + b).v; }  //~ illegal-call"
    ),
    "a free operator of the host": (
        "struct S { int v; };\nS operator-(const S &a, const S &b) { return a; }\n"
        "__device__ int d(S a, S b) { return (a - b).v; }  //~ illegal-call"
    ),
    "a unary operator of the host": (
        "struct S { int v; S &operator++() { v++; return *this; } };\n"
        "__device__ int d(S a) { ++a; return a.v; }  //~ illegal-call"
    ),
    "an index of the host": (
        "struct S { int v[4]; int operator[](int i) const { return v[i]; } };\n"
        "__device__ int d(const S &a) { return a[1]; }  //~ illegal-call"
    ),
    "a call operator of the host": (
        "struct S { int v; int operator()(int i) const { return v + i; } };\n"
        "__device__ int d(const S &a) { return a(1); }  //~ illegal-call"
    ),
    "an assignment of the host": (
        "struct S { int v; S &operator=(const S &o) { v = o.v; return *this; } };\n"
        "__device__ void d(S &a, S &b) { a = b; }  //~ illegal-call"
    ),
    "a sum of the host": (
        "struct S { int v; S &operator+=(int x) { v += x; return *this; } };\n"
        "__device__ void d(S &a) { a += 2; }  //~ illegal-call"
    ),
    "a comparison of the host": (
        "struct S { int v; };\nbool operator==(S a, S b) { return a.v == b.v; }\n"
        "__device__ bool d(S a, S b) { return a == b; }  //~ illegal-call"
    ),
    "an operator of the device": (
        "struct S { int v; __device__ S operator+(const S &o) const { return o; } };\n"
        "int f(S a, S b) { return (a + b).v; }  //~ illegal-call"
    ),
    "a lambda for the device calls the host": (
        "template <class F> __global__ void apply(F f, int *p) { *p = f(1); }\n"
        "void f(int *p) { apply<<<1, 1>>>([] __device__(int x) { return on_host(x); }, p); }  //~ illegal-call"
    ),
    "a lambda for the device calls a method of the host": (
        "struct S { int v; int get() { return v; } };\n"
        "template <class F> __global__ void apply(F f, int *p) { *p = f(1); }\n"
        "void f(int *p) { apply<<<1, 1>>>([] __device__(int x) { S s = {x}; return s.get(); }, p); }  //~ illegal-call"
    ),
    "a lambda for the device that is kept calls the host": (
        "template <class F> __global__ void apply(F f, int *p) { *p = f(1); }\n"
        "void f(int *p) { auto g = [=] __device__(int x) { return on_host(x); };  //~ illegal-call\n"
        "apply<<<1, 1>>>(g, p); }"
    ),
    "a lambda for the device calls a kernel": (
        "template <class F> __global__ void apply(F f, int *p) { *p = f(1); }\n"
        "void f(int *p) { apply<<<1, 1>>>([=] __device__(int x) { kernel(p); return x; }, p); }  //~ illegal-call"
    ),
    "a barrier on the host": "void f() { __syncthreads(); }  //~ illegal-call",
    "a fence for both sides": "__host__ __device__ void b() { __threadfence(); }  //~ illegal-call",
    "a shuffle on the host's side": (
        "__host__ __device__ int b(int x) {\n#ifdef __CUDA_ARCH__\n  return __shfl_sync(~0u, x, 0);\n#else\n"
        "  return __shfl_sync(~0u, x, 1);  //~ illegal-call\n#endif\n}"
    ),
    "an atomic on the host": "void f(int *p) { atomicAdd(p, 1); }  //~ illegal-call",
    "a bit count on the host": "int f(int x) { return ::__popc(x); }  //~ illegal-call",
    "a lambda for the device is called": (
        "void f() { auto g = [] __device__(int x) { return x; }; g(1); }  //~ illegal-call"
    ),
}

ACCEPTED_OF_CLASSES: Final = {
    "a method for both": (
        "struct S { int v; __host__ __device__ int get() { return v; } };\n"
        "__device__ int d(S s) { return s.get(); }\nint f(S s) { return s.get(); }"
    ),
    "a method of its own side": (
        "struct S { int v; int get() { return v; } __device__ int take() { return v; } };\n"
        "__device__ int d(S s) { return s.take(); }\nint f(S s) { return s.get(); }"
    ),
    "a constexpr method of both": (
        "struct S { int v; __host__ __device__ constexpr int get() const { return v; } };\n"
        "__device__ int d(S s) { return s.get(); }"
    ),
    "a method of another class with the name": (
        "struct S { int v; int get() { return v; } };\nstruct T { int v; __device__ int get() { return v; } };\n"
        "__device__ int d(T s) { return s.get(); }"
    ),
    "a variable that hides another": (
        "struct S { int v; int get() { return v; } };\nstruct T { int v; __device__ int get() { return v; } };\n"
        "__device__ int d(S s) { int r = s.v; { T s = {1}; r += s.get(); } return r; }"
    ),
    "a method in sizeof": (
        "struct S { int v; int get() { return v; } };\n__device__ int d(S s) { return sizeof(s.get()); }"
    ),
    "a type parameter hides the class": (
        "struct S { int v; int get() { return v; } };\nstruct T { int v; __device__ int get() { return v; } };\n"
        "template <class S> __device__ int d(S s) { return s.get(); }\n"
        "__global__ void k(int *p) { T t = {1}; *p = d(t); }"
    ),
    "a local class of the name": (
        "struct S { int v; int get() { return v; } };\n"
        "__device__ int d() { struct S { int v; __device__ int get() { return v; } }; S s = {1}; return s.get(); }"
    ),
    "a member that is called": (
        "struct F { __device__ int operator()() const { return 1; } };\nstruct S { F get; };\n"
        "__device__ int d(S s) { return s.get(); }"
    ),
    "a defaulted constructor": (
        "struct S { int v; S() = default; S(int x) : v(x) {} };\n__device__ int d() { S s; s.v = 1; return s.v; }"
    ),
    "a copy beside a constructor of the host": (
        "struct S { int v; S(int x) : v(x) {} };\n__device__ int d(S s) { S t(s); S u = s; return t.v + u.v; }"
    ),
    "an aggregate": "struct S { int v; int get() { return v; } };\n__device__ int d() { S s = {1}; return s.v; }",
    "a constructor of each side": (
        "struct S { int v; __device__ S(int x) : v(x) {} S(int x, int y) : v(x) {} };\n"
        "__device__ int d() { S s(1); return s.v; }\nint f() { S s(1, 2); return s.v; }"
    ),
    "a pointer needs no constructor": (
        "struct S { int v; S(int x) : v(x) {} };\n__device__ int d(S *all) { S *s = all + 1; return s->v; }"
    ),
    "a function that returns the class": (
        "struct S { int v; S(int x) : v(x) {} };\n__device__ S made();\n__device__ int d() { S s(); return made().v; }"
    ),
    "a defaulted destructor": "struct S { int v; ~S() = default; };\n__device__ int d() { S s; s.v = 1; return s.v; }",
    "pointer arithmetic": (
        "struct S { int v; S operator+(int o) const { return *this; } bool operator==(const S &o) { return true; } };\n"
        "__device__ bool d(S *a) { return (a + 1)->v == 2 && a == nullptr; }"
    ),
    "an operator for another type": (
        "struct S { int v; __device__ S operator-(S o) { return o; } };\nstruct T { int v; };\n"
        "T operator-(T a, T b) { return a; }\n__device__ int d(S a) { return (a - a).v; }"
    ),
    "a conversion beside an operator": (
        "struct S { int v; __device__ operator int() const { return v; } };\nstruct T { int v; };\n"
        "int operator-(T a, S b) { return 1; }\n__device__ int d(S a) { return a - a; }"
    ),
    "an implicit assignment": (
        "struct S { int v; S &operator=(int x) { v = x; return *this; } };\n__device__ void d(S &a, S &b) { a = b; }"
    ),
    "a method of a base": (
        "struct B { __device__ int get() { return 1; } };\nstruct S : B { int get(int x) { return x; } };\n"
        "__device__ int d(S s) { return s.B::get(); }"
    ),
    "specialisations of both sides": (
        "template <class T> struct V { T v; T get() { return v; } };\n"
        "template <> struct V<int> { int v; __device__ int get() { return v; } };\n"
        "__device__ int d(V<int> s) { return s.get(); }"
    ),
    "a method that nobody compiles": (
        "struct S { int v; int get() { return v; } };\nstatic __device__ int d(S s) { return s.get(); }"
    ),
    "a declaration for the device": (
        "struct S { int v; __device__ int get(); };\n__device__ int S::get() { return v; }\n"
        "__device__ int d(S s) { return s.get(); }"
    ),
    "a method in an arm that is not compiled": (
        "struct S { int v; int get() { return v; } };\n"
        "template <bool B> __device__ int d(S s) { if constexpr (B) return s.get(); else return s.v; }\n"
        "__global__ void k(S s, int *p) { *p = d<false>(s); }"
    ),
    "the sides of one function, of a class": (
        "struct S { int v; int get() { return v; } __device__ int take() { return v; } };\n"
        "__host__ __device__ int b(S s) {\n#ifdef __CUDA_ARCH__\n  return s.take();\n#else\n  return s.get();\n"
        "#endif\n}\n__global__ void k(S s, int *p) { *p = b(s); }"
    ),
    "a barrier on the device's side": (
        "__host__ __device__ void b() {\n#ifdef __CUDA_ARCH__\n  __syncthreads();\n#endif\n}"
    ),
    "a name of CUDA for the host": (
        "namespace emulated { int __popc(int x) { return x & 1; } int f(int x) { return __popc(x); } }"
    ),
    "a method with a name of CUDA": (
        "struct A { int atomicAdd(int x) { return x; } };\nint f(A a) { return a.atomicAdd(1); }"
    ),
    "a lambda that a macro puts on the device": (
        "#define ON __device__\ntemplate <class F> __global__ void apply(F f, int *p) { *p = f(1); }\n"
        "void f(int *p) { apply<<<1, 1>>>([=] ON(int x) { return on_device(x); }, p); }"
    ),
    "a lambda for the device that nobody gets": ("void f() { auto g = [] __device__(int x) { return on_host(x); }; }"),
    "a lambda for the device calls both": (
        "template <class F> __global__ void apply(F f, int *p) { *p = f(1); }\n"
        "void f(int *p) { apply<<<1, 1>>>([] __device__(int x) { return on_both(on_device(x)); }, p); }"
    ),
    "a lambda for the device takes what the host computes": (
        "template <class F> __global__ void apply(F f, int *p) { *p = f(1); }\n"
        "void f(int *p) { int n = on_host(3); apply<<<1, 1>>>([=] __device__(int x) { return x + n; }, p); }"
    ),
    "a lambda for both calls the host": (
        "void f() { auto g = [] __host__ __device__(int x) { return on_host(x); }; g(1); }"
    ),
    "a lambda for both is called": (
        "void f() { auto g = [] __host__ __device__(int x) { return on_both(x); }; g(1); }"
    ),
    "a kernel takes an object that the host made": (
        "struct S { int v; S(int x) : v(x) {} };\n__global__ void k(S s, int *p) { *p = s.v; }\n"
        "void f(int *p) { k<<<1, 1>>>(S(3), p); }"
    ),
}

UNSEEN_OF_CLASSES: Final = {
    "a method of the host that is virtual": (
        "struct S { int v; virtual int get() { return v; } };\n__device__ int d(S &s) { return s.get(); }",
        "virtual methods",
    ),
    "a method of a member": (
        "struct S { int v; int get() { return v; } };\nstruct T { S s; };\n__device__ int d(T t) { return t.s.get(); }",
        "objects that are no variables",
    ),
    "a method that is inherited": (
        "struct B { int get() { return 1; } };\nstruct S : B {};\n__device__ int d(S s) { return s.get(); }",
        "bases",
    ),
    "a conversion of the host": (
        "struct S { int v; operator int() const { return v; } };\n__device__ int d(S s) { return s; }",
        "conversions",
    ),
    "a copy by the host": (
        "struct S { int v; S(const S &o) : v(o.v) {} };\n__device__ int d(S &s) { S t = s; return t.v; }",
        "copies",
    ),
}
