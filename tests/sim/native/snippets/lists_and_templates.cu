// Written for this comparison; see `snippets.py`.
//// struct array elided
struct P { int a, b; };
//// body
  P p[2] = {n, t, n, t};
  int v = p[1].b;

//// array 2d elided
  int p[2][2] = {n, n, t, n};
  int v = p[1][0];

//// array struct mixed
struct P { int a, b; };
//// body
  P p[2] = {{n, t}, n, t};
  int v = p[1].b;

//// array of struct from objects
struct P { int a, b; };
//// body
  P q{n, t};
  P p[2] = {q, q};
  int v = p[1].b;

//// array of struct call
struct P { int a, b; }; __device__ P mk(int x) { return {1, x}; }
//// body
  P p[2] = {mk(1), mk(t)};
  int v = p[1].b;

//// array open elided
  int p[][2] = {n, n, t, n};
  int v = p[1][0];

//// array open struct elided
struct P { int a, b; };
//// body
  P p[] = {n, t, n, t};
  int v = p[1].b;

//// array of ctor class
struct P { int a; __device__ P(int x) : a(x) {} };
//// body
  P p[2] = {n, t};
  int v = p[1].a;

//// array of class array member elided
struct P { int a[2]; int b; };
//// body
  P p[2] = {n, n, n, t, t, n};
  int v = p[1].a[1] + p[1].a[0];

//// decltype auto var
  int x = n; decltype(auto) r = (x); r = t;
  int v = x;

//// decltype auto var copy
  int x = n; decltype(auto) r = x; r = t;
  int v = x + r;

//// decltype auto call
__device__ int &f(int &x) { return x; } __device__ decltype(auto) g(int &x) { return f(x); }
//// body
  int x = n; g(x) = t;
  int v = x;

//// decltype auto value
__device__ decltype(auto) g(int x) { int y = x + (int)threadIdx.x; return y; }
//// body
  int a = g(1), b = g(2);
  int v = a * b;

//// decltype auto void
__device__ decltype(auto) g(int &x) { x = threadIdx.x; }
//// body
  int v = n; g(v);

//// decltype auto var call
__device__ int &f(int &x) { return x; }
//// body
  int x = n; decltype(auto) r = f(x); r = t;
  int v = x;

//// lambda decltype auto
  int x = n; auto f = [&]() -> decltype(auto) { return (x); }; f() = t;
  int v = x;

//// auto&& call
__device__ int &f(int &x) { return x; }
//// body
  int x = n; auto &&r = f(x); r = t;
  int v = x;

//// decltype var
  int x = n; decltype((x)) r = x; r = t;
  int v = x;

//// decltype plain
  int x = n; decltype(x) &r = x; r = t;
  int v = x;

//// decltype fn ret
__device__ int &f(int &x) { return x; }
//// body
  int x = n; decltype(f(x)) r = x; r = t;
  int v = x;

//// decltype trailing
template <class T> __device__ auto f(T &x) -> decltype((x)) { return x; }
//// body
  int x = n; f(x) = t;
  int v = x;

//// typedef ref
typedef int &R;
//// body
  int x = n; R r = x; r = t;
  int v = x;

//// using ref param
using R = int &; __device__ void f(R x) { x = threadIdx.x; }
//// body
  int x = n; f(x);
  int v = x;

//// template ref arg
template <class T> __device__ void f(T x) { x = threadIdx.x; }
//// body
  int x = n; f<int &>(x);
  int v = x;

//// template ref member
template <class T> struct S { T x; };
//// body
  int x = n; S<int &> s{x}; s.x = t;
  int v = x;

//// template ref return
template <class T> __device__ T f(int &x) { return x; }
//// body
  int x = n; f<int &>(x) = t;
  int v = x;

//// conditional ref template
template <bool B, class T> struct AddRef { using type = T &; }; template <class T> struct AddRef<false, T> { using type = T; };
//// body
  int x = n; typename AddRef<true, int>::type r = x; r = t;
  int v = x;

//// std tuple tie
  int a = n, b = n; std::tie(a, b) = std::make_tuple(1, t);
  int v = b;

//// std swap
  int a = n, b = t; std::swap(a, b);
  int v = a;

//// std ref wrapper
  int a = n; auto r = std::ref(a); r.get() = t;
  int v = a;

//// std exchange
  int a = n; int o = std::exchange(a, t);
  int v = a;

//// std move
  int a = t; int v = std::move(a);

//// std forward
template <class T> __device__ void f(T &&x) { std::forward<T>(x) = threadIdx.x; }
//// body
  int a = n; f(a);
  int v = a;

//// std addressof
  int a = n; *std::addressof(a) = t;
  int v = a;

//// const ref alias
  int a = n; const int &m = a; a = t;
  int v = m;

//// array std
  std::array<int, 3> a{n, n, n}; a[1] = t;
  int v = a[1];

//// std array for
  std::array<int, 3> a{n, n, n}; for (auto &x : a) x = t;
  int v = a[1];

//// std pair binding
  std::pair<int, int> p{n, n}; auto &[x, y] = p; y = t;
  int v = p.second;

//// std optional
  std::optional<int> o; o = t;
  int v = o ? *o : 3;

//// ptr member of struct written by callee
struct L { int *p; }; __device__ void f(L l) { *l.p = threadIdx.x; }
//// body
  int x = n; f(L{&x});
  int v = x;

//// ptr in array
  int x = n, y = n; int *p[2] = {&x, &y}; *p[n >> 2] = t;
  int v = y;

//// recursion
__device__ int f(int x) { return x <= 0 ? (int)threadIdx.x : f(x - 1) + 1; }
//// body
  int v = f(3);

//// recursion ref
__device__ void f(int x, int &r) { if (x <= 0) r = threadIdx.x; else f(x - 1, r); }
//// body
  int v = n; f(3, v);

//// recursion ptr member
struct N { int v; N *next; }; __device__ void f(N *p) { if (!p) return; p->v = threadIdx.x; f(p->next); }
//// body
  N b{n, nullptr}, a{n, &b}; f(&a);
  int v = b.v;

//// linked list
struct N { int v; N *next; };
//// body
  N b{n, nullptr}, a{n, &b}; a.next->v = t;
  int v = b.v;

//// array of fn ptr
__device__ int f(int x) { return x + (int)threadIdx.x; } __device__ int g(int x) { return x; }
//// body
  int (*tab[2])(int) = {f, g};
  int v = tab[n & 1](1);

//// volatile member
struct S { volatile int x; };
//// body
  S s; s.x = n; s.x = t;
  int v = s.x;

//// mutable member
struct S { mutable int x; __device__ void go() const { x = threadIdx.x; } };
//// body
  const S s{n}; s.go();
  int v = s.x;

//// const method ptr write
struct S { int *x; __device__ void go() const { *x = threadIdx.x; } };
//// body
  int q = n; const S s{&q}; s.go();
  int v = q;

//// friend function
struct S { int x; friend __device__ void go(S &s) { s.x = threadIdx.x; } };
//// body
  S s{n}; go(s);
  int v = s.x;

//// template friend hidden
template <class T> struct S { T x; friend __device__ void go(S &s, T y) { s.x = y; } };
//// body
  S<int> s{n}; go(s, t);
  int v = s.x;

//// nested template member
template <class T> struct S { T x; template <class U> __device__ void set(U y) { x = y; } };
//// body
  S<int> s{n}; s.template set<int>(t);
  int v = s.x;

//// out of class def
struct S { int x; __device__ void set(int y); }; __device__ void S::set(int y) { x = y; }
//// body
  S s{n}; s.set(t);
  int v = s.x;

//// out of class template
template <class T> struct S { T x; __device__ void set(T y); }; template <class T> __device__ void S<T>::set(T y) { x = y; }
//// body
  S<int> s{n}; s.set(t);
  int v = s.x;

//// member fn template out
struct S { int x; template <class T> __device__ void set(T y); }; template <class T> __device__ void S::set(T y) { x = y; }
//// body
  S s{n}; s.set(t);
  int v = s.x;

//// partial spec
template <class T> struct S { static __device__ int f() { return 1; } }; template <class T> struct S<T *> { static __device__ int f() { return threadIdx.x; } };
//// body
  int v = S<int *>::f();

//// tag dispatch
struct A {}; struct B : A {}; __device__ int f(A) { return threadIdx.x; } __device__ int f(B) { return 1; }
//// body
  int v = f(A()) + f(B());

//// enable_if
template <class T, std::enable_if_t<sizeof(T) == 4, int> = 0> __device__ int f(T x) { return threadIdx.x; } template <class T, std::enable_if_t<sizeof(T) == 8, int> = 0> __device__ int f(T x) { return 1; }
//// body
  int v = f(n);

//// requires
template <class T> requires (sizeof(T) == 4) __device__ int f(T x) { return threadIdx.x; } template <class T> requires (sizeof(T) == 8) __device__ int f(T x) { return 1; }
//// body
  int v = f(n);

//// concept constraint
template <class T> concept Four = sizeof(T) == 4; template <Four T> __device__ int f(T x) { return threadIdx.x; } template <class T> __device__ int f(T x) { return 1; }
//// body
  int v = f(n);

//// ctad
template <class T> struct W { T x; __device__ W(T y) : x(y) {} };
//// body
  W w(t);
  int v = w.x;

//// operator new array
  int *p = new int[2]; p[0] = n; p[1] = t;
  int v = p[1];

//// malloc
  int *p = (int *)malloc(8); p[0] = n; p[1] = t;
  int v = p[1];

//// alloca
  int a[8]; int *p = a + 2; p[-1] = t; a[0] = n;
  int v = a[1];

//// bit cast union via memcpy
  float f; int i = t << 10; memcpy(&f, &i, 4); int j; memcpy(&j, &f, 4);
  int v = j >> 10;

//// compound on temporaries
struct C { int re, im; __device__ C &operator*=(int s) { re *= s; im *= s; return *this; } };
//// body
  C c{n, t}; (c *= 2) *= 3;
  int v = c.im;

//// assignment returns
struct C { int x; __device__ C &operator=(const C &o) { x = o.x; return *this; } };
//// body
  C a{n}, b{n}, c{t}; a = b = c;
  int v = a.x;

//// assign to call result member
struct C { int x; }; __device__ C &f(C &c) { return c; }
//// body
  C a{n}; f(a).x = t;
  int v = a.x;

//// subscript call
struct M { int d[4]; __device__ int *row(int i) { return d + 2 * i; } };
//// body
  M m{{n, n, n, n}}; m.row(1)[1] = t;
  int v = m.d[3];

//// op paren matrix
struct M { int d[4]; __device__ int &operator()(int i, int j) { return d[2 * i + j]; } };
//// body
  M m{{n, n, n, n}}; m(1, 1) = t;
  int v = m.d[3];

//// op index chain
struct R { int *p; __device__ int &operator[](int i) { return p[i]; } }; struct M { int d[4]; __device__ R operator[](int i) { return R{d + 2 * i}; } };
//// body
  M m{{n, n, n, n}}; m[1][1] = t;
  int v = m.d[3];

//// proxy assign
struct Px { int *p; __device__ Px &operator=(int x) { *p = x; return *this; } __device__ operator int() const { return *p; } }; struct M { int d[4]; __device__ Px operator[](int i) { return Px{d + i}; } };
//// body
  M m{{n, n, n, n}}; m[3] = t;
  int v = m[3];

//// swap by xor
  int a = n, b = t; a ^= b ^= a ^= b;
  int v = a;
