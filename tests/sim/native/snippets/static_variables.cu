// Written for this comparison; see `snippets.py`.
//// static two functions
__device__ int f() { static int c = 3; return c; } __device__ int g() { static int c = 7; return c; }
//// body
  int v = f() + 10 * g();

//// static two functions write
__device__ int *f() { static int c; return &c; } __device__ int *g() { static int c; return &c; }
//// body
  *f() = 3; *g() = 4;
  int v = *f();

//// static init
__device__ int f() { static int c = 3; return c; }
//// body
  int v = f();

//// static init twice called
__device__ int &f() { static int c = 3; return c; }
//// body
  f() = 9;
  int v = f();

//// static member init
struct S { static int k; }; __device__ int S::k = 3;
//// body
  int v = S::k;

//// static member init template
template <class T> struct S { static T k; }; template <class T> __device__ T S<T>::k = 3;
//// body
  int v = S<int>::k;

//// static member inline
struct S { static inline __device__ int k = 3; };
//// body
  int v = S::k;

//// static array init
__device__ int f(int i) { static int c[3] = {3, 4, 5}; return c[i % 3]; }
//// body
  int v = f(t);

//// static dynamic init
__device__ int f(int i) { static int c = i + 1; return c; }
//// body
  int v = f(n);

//// static zero
__device__ int f() { static int c; return c; }
//// body
  int v = f() + 3;

//// static constructor
struct S { int x; __device__ S() : x(5) {} }; __device__ int f() { static S c; return c.x; }
//// body
  int v = f();

//// static template
template <int N> __device__ int &f() { static int c = N; return c; }
//// body
  f<1>() = 9;
  int v = f<1>() + 10 * f<2>();

//// static method
struct S { __device__ int &f() { static int c = 4; return c; } }; struct R { __device__ int &f() { static int c = 5; return c; } };
//// body
  S s; R r; s.f() = 9;
  int v = s.f() + 10 * r.f();

//// static and global
__device__ int c = 2; __device__ int f() { static int c = 3; return c; }
//// body
  int v = f() + 10 * c;

//// static nested blocks
__device__ int f() { int s; { static int c = 3; s = c; } { static int c = 4; s += c * 10; } return s; }
//// body
  int v = f();

//// static const
__device__ int f() { static const int c[2] = {3, 4}; return c[1]; }
//// body
  int v = f();

//// static auto
__device__ int f() { static auto c = 3; return c; }
//// body
  int v = f();

//// static reference
__device__ int q = 3; __device__ int f() { static int &c = q; return c; }
//// body
  q = 4;
  int v = f();

//// static pointer
__device__ int q = 3; __device__ int f() { static int *c = &q; return *c; }
//// body
  int v = f();

//// static members two
struct S { static int k; }; struct R { static int k; }; __device__ int S::k = 3; __device__ int R::k = 4;
//// body
  S::k = 5;
  int v = S::k + 10 * R::k;

//// static lambda
  auto f = [] { static int c = 3; return c; }; auto g = [] { static int c = 4; return c; };
  int v = f() + 10 * g();

//// static in kernel
  static int c = 3;
  int v = c;
