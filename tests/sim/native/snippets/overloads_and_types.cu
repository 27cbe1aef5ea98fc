// Written for this comparison; see `snippets.py`.
//// switch init
  int v = 0;
  switch (int q = t & 3; q) { case 0: v = 8; break; case 1: v = 4; }

//// if decl
  int v = 0;
  if (int q = t & 8) v = q;

//// dtor in loop
struct G { int &r; __device__ G(int &a) : r(a) {} __device__ ~G() { r += threadIdx.x; } };
//// body
  int v = n;
  for (int i = 0; i < 2; i++) { G g(v); }

//// dtor temp in condition
struct G { int &r; __device__ G(int &a) : r(a) {} __device__ ~G() { r += threadIdx.x; } __device__ operator bool() { return true; } };
//// body
  int v = n;
  if (G(v)) v += 1;

//// dtor member array
struct G { int *r = nullptr; __device__ ~G() { if (r) *r = threadIdx.x; } }; struct H { G g[2]; };
//// body
  int v = n;
  { H h; h.g[1].r = &v; }

//// dtor explicit
struct G { int *r; __device__ ~G() { *r = threadIdx.x; } };
//// body
  int v = n; alignas(G) char b[sizeof(G)]; G *g = new (b) G; g->r = &v; g->~G();

//// dtor lambda capture
struct G { int *r; __device__ ~G() { *r = threadIdx.x; } };
//// body
  int v = n; int w = n; { G g{&w}; auto f = [g] { return 1; }; f(); } v = w;

//// dtor by template param
template <class T> struct Own { T *p; __device__ Own(T *q) : p(q) {} __device__ ~Own() { p->fin(); } }; struct X { int x; __device__ void fin() { x = threadIdx.x; } };
//// body
  X x{n}; { Own<X> o(&x); }
  int v = x.x;

//// copy ctor
struct C { int x; __device__ C(int a) : x(a) {} __device__ C(const C &o) : x(o.x + threadIdx.x) {} };
//// body
  C a(n); C b = a;
  int v = b.x;

//// copy ctor by value param
struct C { int x; __device__ C(int a) : x(a) {} __device__ C(const C &o) : x(o.x + threadIdx.x) {} }; __device__ int g(C c) { return c.x; }
//// body
  C a(n);
  int v = g(a);

//// copy ctor member
struct C { int x; __device__ C(int a) : x(a) {} __device__ C(const C &o) : x(o.x + threadIdx.x) {} }; struct D { C c; };
//// body
  D a{C(n)}; D b = a;
  int v = b.c.x;

//// copy ctor array member
struct C { int x; __device__ C() : x(1) {} __device__ C(const C &o) : x(o.x + threadIdx.x) {} }; struct D { C c[2]; };
//// body
  D a; D b = a;
  int v = b.c[1].x;

//// copy assign member
struct C { int x; __device__ C &operator=(const C &o) { x = o.x + threadIdx.x; return *this; } }; struct D { C c; };
//// body
  D a, b; a.c.x = n; b.c.x = n; b = a;
  int v = b.c.x;

//// move ctor
struct C { int x; __device__ C(int a) : x(a) {} __device__ C(C &&o) : x(o.x + threadIdx.x) { o.x = 0; } };
//// body
  C a(n); C b((C &&)a);
  int v = b.x + a.x;

//// copy in base
struct C { int x; __device__ C(int a) : x(a) {} __device__ C(const C &o) : x(o.x + threadIdx.x) {} }; struct D : C { __device__ D(int a) : C(a) {} };
//// body
  D a(n); D b(a);
  int v = b.x;

//// return copy elision ref
struct C { int x; }; __device__ C &get(C &c) { c.x = threadIdx.x; return c; }
//// body
  C a{n}; C b = get(a);
  int v = a.x + b.x;

//// const T overload
struct C { int x; __device__ int &at(int i) { x = threadIdx.x; return x; } __device__ int at(int i) const { return 1; } };
//// body
  C a{n}; a.at(0);
  int v = a.x;

//// const free overload
__device__ int f(const int &x) { return 1; } __device__ int f(int &x) { x = threadIdx.x; return 2; }
//// body
  int a = n; int r = f(a);
  int v = a + r * 0;

//// const free overload const
__device__ int f(const int &x) { return threadIdx.x; } __device__ int f(int &x) { return 2; }
//// body
  const int a = n;
  int v = f(a);

//// overload rvalue
__device__ int f(int &&x) { return threadIdx.x; } __device__ int f(const int &x) { return 2; }
//// body
  int v = f(n + 1);

//// overload lvalue
__device__ int f(int &&x) { return 1; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  int a = n;
  int v = f(a);

//// overload class const
struct C { int x; }; __device__ int f(const C &x) { return 1; } __device__ int f(C &x) { x.x = threadIdx.x; return 2; }
//// body
  C a{n}; f(a);
  int v = a.x;

//// overload class const arg
struct C { int x; }; __device__ int f(const C &x) { return threadIdx.x; } __device__ int f(C &x) { return 2; } __device__ int g(const C &c) { return f(c); }
//// body
  C a{n};
  int v = g(a);

//// overload const ptr
__device__ int f(const int *x) { return 1; } __device__ int f(int *x) { *x = threadIdx.x; return 2; }
//// body
  int a = n; f(&a);
  int v = a;

//// overload const ptr arg
__device__ int f(const int *x) { return threadIdx.x; } __device__ int f(int *x) { return 2; }
//// body
  int v = f(in);

//// overload explicit args
template <class T> __device__ int f(T x) { return 1; } template <class T, class U> __device__ int f(T x, U y) { return threadIdx.x; } template <int N, class T> __device__ int f(T x) { return 3; }
//// body
  int v = f<int>(1) + f<3>(1) + f<int, int>(1, 2);

//// overload explicit count
template <class T, class U> __device__ int f(U x) { return threadIdx.x; } template <class T> __device__ int f(T x) { return 1; }
//// body
  int v = f<float, int>(1);

//// overload explicit nontype
template <int N> __device__ int f(int x) { return x + N + threadIdx.x; } template <class T> __device__ int f(int x) { return 2; }
//// body
  int v = f<4>(1) + f<float>(1);

//// nullptr arg
__device__ int f(int *p) { return p ? 1 : threadIdx.x; }
//// body
  int v = f(nullptr);

//// NULL arg
__device__ int f(int *p) { return p ? 1 : threadIdx.x; }
//// body
  int v = f(NULL);

//// zero arg
__device__ int f(int *p) { return p ? 1 : threadIdx.x; }
//// body
  int v = f(0);

//// nullptr overload
__device__ int f(int *p) { return threadIdx.x; } __device__ int f(int p) { return 1; }
//// body
  int v = f(nullptr);

//// nullptr template
template <class T> __device__ int f(T *p) { return p ? 1 : threadIdx.x; }
//// body
  int v = f((float *)nullptr);

//// nullptr default
__device__ int f(int a, int *p = nullptr) { return p ? a : threadIdx.x; }
//// body
  int v = f(1);

//// nullptr member
struct S { int *p = nullptr; };
//// body
  S s;
  int v = s.p ? 1 : t;

//// nullptr class arg
struct S { int *p; __device__ S(int *q) : p(q) {} }; __device__ int f(S s) { return s.p ? 1 : threadIdx.x; }
//// body
  int v = f(nullptr);

//// overload int float
__device__ int f(float x) { return threadIdx.x; } __device__ int f(int x) { return 1; }
//// body
  int v = f(1.5f);

//// overload double
__device__ int f(float x) { return threadIdx.x; } __device__ int f(double x) { return 1; }
//// body
  int v = f(1.5f) + f(1.5);

//// overload char
__device__ int f(int x) { return threadIdx.x; } __device__ int f(unsigned x) { return 1; }
//// body
  char c = 3;
  int v = f(c);

//// overload long
__device__ int f(long x) { return threadIdx.x; } __device__ int f(long long x) { return 1; }
//// body
  long c = 3;
  int v = f(c);

//// overload bool ptr
__device__ int f(bool x) { return threadIdx.x; } __device__ int f(double x) { return 1; }
//// body
  int v = f(in);

//// overload template vs not
template <class T> __device__ int f(T x) { return 1; } __device__ int f(int x) { return threadIdx.x; }
//// body
  int v = f(3);

//// overload template better
template <class T> __device__ int f(T x) { return threadIdx.x; } __device__ int f(long x) { return 1; }
//// body
  int v = f(3);

//// overload more special
template <class T> __device__ int f(T x) { return 1; } template <class T> __device__ int f(T *x) { return threadIdx.x; }
//// body
  int v = f(in);

//// overload derived
struct B {}; struct D : B {}; __device__ int f(B x) { return threadIdx.x; } __device__ int f(int x) { return 1; }
//// body
  int v = f(D());

//// overload enum
enum class E { A, B }; __device__ int f(E x) { return threadIdx.x; } __device__ int f(int x) { return 1; }
//// body
  int v = f(E::A);

//// overload plain enum
enum E { A, B }; __device__ int f(int x) { return threadIdx.x; } __device__ int f(const char *x) { return 1; }
//// body
  int v = f(A);

//// adl
namespace N { struct S { int x; }; __device__ int f(S s) { return threadIdx.x; } } __device__ int f(int x) { return 1; }
//// body
  int v = f(N::S{1});

//// adl operator
namespace N { struct S { int x; }; __device__ S operator+(S a, S b) { return {(int)threadIdx.x}; } }
//// body
  int v = (N::S{1} + N::S{2}).x;

//// friend operator
struct S { int x; friend __device__ S operator+(S a, S b) { return {(int)threadIdx.x}; } };
//// body
  int v = (S{1} + S{2}).x;

//// friend compare
struct S { int x; friend __device__ bool operator<(S a, S b) { return threadIdx.x > 7; } };
//// body
  int v = S{1} < S{2} ? 9 : 1;

//// spaceship eq rewritten
struct S { int x; __device__ bool operator==(const S &o) const { return threadIdx.x > 7; } };
//// body
  int v = S{1} != S{2} ? 9 : 1;

//// spaceship default
struct S { int x; bool operator==(const S &o) const = default; };
//// body
  int v = S{n} == S{t} ? 9 : 1;

//// compare mixed reversed
struct S { int x; __device__ bool operator==(int o) const { return threadIdx.x > 7; } };
//// body
  int v = 3 == S{2} ? 9 : 1;

//// hidden names
__device__ int f(int x) { return 1; }
//// body
  int f = t;
  int v = f;

//// hidden by lambda
__device__ int f(int x) { return 1; }
//// body
  auto f = [&](int x) { return t + x; };
  int v = f(1);

//// hidden by param
__device__ int g(int x) { return 1; } template <class F> __device__ int h(F g) { return g(1); }
//// body
  int v = h([](int x) { return x + (int)threadIdx.x; });

//// hidden member
__device__ int f(int x) { return 1; } struct S { __device__ int f(int x) { return threadIdx.x; } __device__ int g() { return f(1); } };
//// body
  S s;
  int v = s.g();

//// hidden type
struct T1 { int x; };
//// body
  int T1 = t;
  int v = (T1) + 1;

//// shadow block
  int v = n; { int v = t; v++; }

//// shadow for
  int v = n, i = n; for (int i = t; i < 70; i++) { v = i; break; }

//// macro shadows
#define V(x) x + t
//// body
  int v = V(n);

//// enum class switch
enum class E { A, B };
//// body
  E e = t & 1 ? E::A : E::B; int v = 0;
  switch (e) { case E::A: v = 9; break; case E::B: v = 1; }

//// const_cast
  const int x = n; int y = n; const int &r = y; const_cast<int &>(r) = t;
  int v = y;

//// reinterpret
  int y = n; *reinterpret_cast<unsigned *>(&y) = threadIdx.x;
  int v = y;

//// reinterpret ref
  int y = n; reinterpret_cast<unsigned &>(y) = threadIdx.x;
  int v = y;

//// c cast ref
  int y = n; (unsigned &)y = threadIdx.x;
  int v = y;

//// cast struct
struct P { int a, b; };
//// body
  int y[2] = {n, n}; ((P *)y)->b = t;
  int v = y[1];

//// ptr arith
  int y[4] = {n, n, n, n}; int *p = y; *(p + 1) = t; p++;
  int v = *p;

//// ptr post
  int y[4] = {n, n, n, n}; int *p = y; *p++ = 1; *p++ = t;
  int v = y[1];

//// index reversed
  int y[4] = {n, n, n, n}; 1[y] = t;
  int v = y[1];

//// ptr to ptr
  int x = n; int *p = &x; int **q = &p; **q = t;
  int v = x;

//// ptr to array
  int y[2][2] = {{n, n}, {n, n}}; int (*p)[2] = y; p[1][0] = t;
  int v = y[1][0];

//// ref to array
__device__ void f(int (&a)[3]) { a[1] = threadIdx.x; }
//// body
  int y[3] = {n, n, n}; f(y);
  int v = y[1];

//// array param
__device__ void f(int a[]) { a[1] = threadIdx.x; }
//// body
  int y[3] = {n, n, n}; f(y);
  int v = y[1];

//// struct array param
struct S { int a[3]; }; __device__ S f(S s) { s.a[1] = threadIdx.x; return s; }
//// body
  S s{{n, n, n}};
  int v = f(s).a[1];

//// struct assign
struct S { int a[3]; };
//// body
  S s{{n, n, n}}, q{{t, t, t}}; s = q;
  int v = s.a[1];

//// struct init designated
struct S { int a, b; };
//// body
  S s{.a = n, .b = t};
  int v = s.b;

//// struct nested braces elided
struct S { int a[2]; int b; };
//// body
  S s{n, n, t};
  int v = s.b;

//// memcpy
  int a[2] = {n, n}, b[2] = {t, t}; memcpy(a, b, sizeof a);
  int v = a[1];

//// memset
  int a[2] = {t, t}; memset(a, 0, sizeof a);
  int v = a[1];

//// swap template
template <class T> __device__ void swp(T &a, T &b) { T c = a; a = b; b = c; }
//// body
  int a = n, b = t; swp(a, b);
  int v = a;

//// ref member
struct S { int &r; };
//// body
  int x = n; S s{x}; s.r = t;
  int v = x;

//// ref member ctor
struct S { int &r; __device__ S(int &a) : r(a) {} };
//// body
  int x = n; S s(x); s.r = t;
  int v = x;

//// ref member parens
struct S { int &r; int k; };
//// body
  int x = n; S s = {x, 3}; s.r = t;
  int v = x;

//// ref member nested
struct S { int &r; }; struct Q { S s; };
//// body
  int x = n; Q s{{x}}; s.s.r = t;
  int v = x;

//// ref member returned
struct S { int &r; }; __device__ S mk(int &a) { return {a}; }
//// body
  int x = n; mk(x).r = t;
  int v = x;

//// ref member returned2
struct S { int &r; }; __device__ S mk(int &a) { return S{a}; }
//// body
  int x = n; S s = mk(x); s.r = t;
  int v = x;

//// ref member rref
struct S { int &&r; };
//// body
  int x = n; S s{(int &&)x}; s.r = t;
  int v = x;

//// ptr member agg
struct S { int *r; };
//// body
  int x = n; S s{&x}; *s.r = t;
  int v = x;

//// ref to ptr
__device__ void f(int *&p, int *q) { p = q; }
//// body
  int x = n, y = n; int *p = &x; f(p, &y); *p = t;
  int v = y;

//// ref binding conv
__device__ void f(const float &p) {}
//// body
  int x = t; const long &r = x;
  int v = (int)r;

//// const ref temp
  const int &r = n + t;
  int v = r;

//// auto ref
  int x = n; auto &r = x; r = t;
  int v = x;

//// decltype auto
__device__ decltype(auto) f(int &x) { return (x); }
//// body
  int x = n; f(x) = t;
  int v = x;

//// auto ret ref
__device__ auto &f(int &x) { return x; }
//// body
  int x = n; f(x) = t;
  int v = x;

//// trailing ret
__device__ auto f(int &x) -> int & { return x; }
//// body
  int x = n; f(x) = t;
  int v = x;

//// forward ref
template <class T> __device__ void f(T &&x) { x = threadIdx.x; }
//// body
  int x = n; f(x);
  int v = x;

//// forward ref std
template <class T> __device__ void g(T &x) { x = threadIdx.x; } template <class T> __device__ void f(T &&x) { g(static_cast<T &&>(x)); }
//// body
  int x = n; f(x);
  int v = x;

//// if constexpr
template <class T> __device__ int f(T x) { if constexpr (sizeof(T) == 4) return threadIdx.x; else return 1; }
//// body
  int v = f(n);

//// constexpr fn
constexpr __device__ int f(int x) { return x > 3 ? x * 2 : x; }
//// body
  int v = f(t);

//// template int recursion
template <int N> struct F { static __device__ int v() { return F<N - 1>::v() + threadIdx.x; } }; template <> struct F<0> { static __device__ int v() { return 0; } };
//// body
  int v = F<3>::v();

//// using alias template
template <class T> struct F { T x; }; template <class T> using G = F<T>;
//// body
  G<int> g{t};
  int v = g.x;

//// typedef in class
struct S { typedef int I; using J = S; I x; };
//// body
  S::J s{t};
  int v = s.x;

//// nested class
struct S { struct I { int x; __device__ int get() { return x + threadIdx.x; } }; I i; };
//// body
  S s{{n}};
  int v = s.i.get();

//// local class
  struct L { int x; __device__ int get() { return x + threadIdx.x; } } l{n};
  int v = l.get();

//// local enum
  enum { A = 3, B }; int v = B + t;

//// namespace alias
namespace A { namespace B { __device__ int f() { return threadIdx.x; } } } namespace C = A::B;
//// body
  int v = C::f();

//// using directive
namespace A { __device__ int f() { return threadIdx.x; } }
//// body
  using namespace A;
  int v = f();

//// inline ns
namespace A { inline namespace v1 { __device__ int f() { return threadIdx.x; } } }
//// body
  int v = A::f();

//// anon ns
namespace { __device__ int f() { return threadIdx.x; } }
//// body
  int v = f();

//// extern C
extern "C" { __device__ int f() { return threadIdx.x; } }
//// body
  int v = f();

//// default arg
__device__ int f(int a, int b = threadIdx.x) { return a + b; }
//// body
  int v = f(1);

//// default arg template
template <class T = int> __device__ T f(int a) { return a + threadIdx.x; }
//// body
  int v = f<>(1);

//// attribute
  [[maybe_unused]] int v = t;

//// alignas
  alignas(16) int v = t;

//// string index
  int v = "abcdefgh"[t & 7] - 'a';

//// sizeof
  int v = sizeof(t) + t;

//// chained compare
  int v = (1 < t) < 1 ? 9 : 0;

//// bitnot etc
  int v = ~t & 0xf;

//// short circuit effects
  int x = n; if (n > 9 && (x = t)) x = 1;
  int v = x;

//// inc in condition
  int x = t & 3, v = 0; while (x++ < 4) v += 2;

//// assignment in condition
  int x, v = 0; if ((x = t) > 7) v = x;

//// complex lvalue
  int a[4] = {n, n, n, n}; int i = 0; a[i++] = a[i++] = t;
  int v = a[0] + a[1];

//// string literal ptr
  const char *s = t > 7 ? "zz" : "a";
  int v = s[0] - 'a';

//// char array
  char s[] = "hello"; s[1] = t;
  int v = s[1];

//// multi dim
  int a[2][3] = {}; a[1][t % 3] = t;
  int v = a[1][0] + a[1][1] + a[1][2];

//// vla of const
  const int N = 4; int a[N]; for (int i = 0; i < N; i++) a[i] = t;
  int v = a[n & 3];

//// long long shift
  long long x = 1LL << t;
  int v = (int)(x >> 3) & 0xff;

//// float
  float f = t * 0.5f;
  int v = (int)f;

//// float3-like
struct f3 { float x, y, z; }; __device__ f3 operator*(float s, f3 a) { return {s * a.x, s * a.y, s * a.z}; } __device__ void operator+=(f3 &a, f3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
//// body
  f3 a{1, 2, 3}; a += (float)t * a;
  int v = (int)a.y;

//// int4 members
  int4 q = make_int4(n, n, n, n); q.z = t;
  int v = q.z;

//// int4 ptr
  int4 q = make_int4(n, n, n, n); (&q.x)[2] = t;
  int v = q.z;

//// int4 cast
  int4 q = make_int4(n, n, n, n); ((int *)&q)[1] = t;
  int v = q.y;

//// dim3 local
  dim3 d(t, 2);
  int v = d.x + d.z;

//// shared scalar
  __shared__ int s; if (t == 3) s = t; __syncthreads();
  int v = s;

//// nullptr_t overload
__device__ int f(int *p) { return 1; } __device__ int f(decltype(nullptr) p) { return threadIdx.x; }
//// body
  int v = f(nullptr);

//// overload user conv
struct X { __device__ X(int) {} }; __device__ int f(X x) { return threadIdx.x; } __device__ int f(int *x) { return 1; }
//// body
  int v = f(n);
