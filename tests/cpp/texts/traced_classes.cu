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
struct Pointed { int *o; __device__ Pointed(int *p) : o(p) { note(o, 1600); } __device__ Pointed(const Pointed &x) : o(x.o) { note(o, 1601); } __device__ Pointed(Pointed &&x) : o(x.o) { note(o, 1602); } __device__ ~Pointed() { note(o, 1603); } };
struct Row { A a[2]; int n; };
struct Nest { Row row; Member member; int n = 2; };
struct Poly { int *o; __device__ Poly(int *p) : o(p) { note(o, 1700); } __device__ virtual ~Poly() { note(o, 1701); } };
struct PolyHeir : Poly { A a; __device__ PolyHeir(int *p) : Poly(p), a(p, 3) {} __device__ ~PolyHeir() override { note(o, 1702); } };
struct Initialised { int *o; A a = A(o, 5); A b{o, 6}; __device__ Initialised(int *p) : o(p) {} __device__ Initialised(int *p, int i) : o(p), b(p, i) { note(o, 1750); } };
struct Refers { const A &a; int n; __device__ Refers(const A &x) : a(x), n(x.id) { note(a.o, 1800); } __device__ ~Refers() { note(a.o, 1810 + a.id); } };
__device__ A named(int *o, int i) { A t(o, i); note(o, 910); return t; }
__device__ A either(int *o, int i) { A t(o, i); if (i > 4) return A(o, 1); return t; }
__device__ A early(A a, int i) { { A b(a.o, 7); if (i > 4) return a; } note(a.o, 911); return A(a.o, i); }
__device__ int weigh(Pointed p) { note(p.o, 920); return 2; }
__device__ int weighed(const Pointed &p) { note(p.o, 921); return 3; }
__device__ A operator+(const A &x, const A &y) { note(x.o, 930); return A(x.o, (x.id + y.id) % 9); }
__device__ bool operator<(const A &x, const A &y) { note(x.o, 931); return x.id < y.id; }
template <class T> __device__ T through(T t) { return static_cast<T &&>(t); }
template <class T> __device__ int count(const T &t) { return sizeof(T) > 4; }
