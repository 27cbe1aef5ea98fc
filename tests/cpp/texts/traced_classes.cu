// Written for these tests; each line is a declaration.
__device__ void note(int *o, int v) { if (o[0] < 110) o[++o[0]] = v; }
struct A { int *o; int id; __device__ A(int *p, int i) : o(p), id(i) { note(o, 100 + id); }   __device__ A(const A &x) : o(x.o), id(x.id) { note(o, 200 + id); } __device__ A(A &&x) : o(x.o), id(x.id) { x.id = 9; note(o, 300 + id); }   __device__ A &operator=(const A &x) { note(o, 400 + id * 10 + x.id); id = x.id; return *this; }   __device__ A &operator=(A &&x) { note(o, 500 + id * 10 + x.id); id = x.id; return *this; }   __device__ ~A() { note(o, 600 + id); } __device__ operator bool() const { note(o, 700 + id); return id > 2; } };
struct Default { int *o = nullptr; int id = 1; __device__ Default() {} __device__ ~Default() { if (o) note(o, 800 + id); } };
struct Member { A a; A b; __device__ Member(int *p, int i) : a(p, i), b(p, i + 1) { note(p, 1000 + i); } __device__ ~Member() { note(a.o, 1100 + a.id); } };
struct Heir : Member { A c; int x = 4; __device__ Heir(int *p, int i) : Member(p, i), c(p, 8) {} __device__ Heir(int *p) : Heir(p, 5) { note(p, 1200); } __device__ ~Heir() { note(c.o, 1300 + x); } };
struct Aggregate { A a; int n = 6; A b; };
struct Lock { int *o; int &depth; __device__ explicit Lock(int *p, int &d) : o(p), depth(d) { note(o, 1400 + ++depth); } __device__ ~Lock() { note(o, 1450 + depth--); } };
template <class T> struct Own { T value; int *o; __device__ Own(T v, int *p) : value(static_cast<T &&>(v)), o(p) { note(o, 1500); } __device__ ~Own() { note(o, 1501); } };
__device__ A made(int *o, int i) { return A(o, i); }
__device__ A passed(A a) { note(a.o, 900); return a; }
__device__ int read(const A &a) { note(a.o, 901); return a.id; }
__device__ int taken(A a) { note(a.o, 902); return a.id; }
__device__ A &same(A &a) { return a; }
