// Written for this comparison; see `snippets.py`.
//// member pointer data
struct S { int a, b; float c; };
//// body
  S s{1, 2, 3.5f};
  int S::*m = in[t] > 5 ? &S::a : &S::b;
  float S::*c = &S::c;
  s.*m += t;
  int v = s.*m + 10 * s.a + (int)(s.*c * 2);

//// member pointer through pointer
struct S { int a, b; };
//// body
  S s[2] = {{1, 2}, {3, 4}};
  S *p = &s[t & 1];
  int S::*m = in[t] & 1 ? &S::a : &S::b;
  p->*m = p->*m * 5;
  int v = s[0].a + 10 * s[0].b + 100 * s[1].a + 1000 * s[1].b;

//// member pointer method
struct S { int a; __device__ int f(int x) const { return x + a; } __device__ int g(int x) const { return x * a; } __device__ int h(int x) { return a = x; } };
//// body
  S s{4};
  int (S::*p)(int) const = in[t] & 1 ? &S::f : &S::g;
  int (S::*h)(int) = &S::h;
  int v = (s.*p)(t) + (s.*h)(7) + s.a;

//// member pointer method through pointer
struct S { int a; __device__ int f(int x) { return x + a; } __device__ int g(int x) { return a *= x; } };
//// body
  S s{4}, *q = &s;
  int (S::*p)(int) = in[t] & 1 ? &S::f : &S::g;
  int v = (q->*p)(t) + s.a;

//// member pointer of a base
struct A { int a = 1; __device__ int f(int x) { return a + x; } }; struct B { int b = 2; int pad = 7; }; struct C : A, B { int c = 3; };
//// body
  C c;
  int B::*of_base = &B::b;
  int C::*of_class = t & 1 ? &C::c : &C::b;
  int (A::*f)(int) = &A::f;
  int v = c.*of_base + 10 * (c.*of_class) + 100 * (c.*f)(2);

//// member pointer virtual
struct A { int k = 1; __device__ virtual int f(int x) { return x + k; } __device__ virtual int g(int x) { return x - k; } }; struct B : A { __device__ int f(int x) override { return 100 * x; } };
//// body
  A a; B b; A *p = in[t] & 1 ? &a : &b;
  int (A::*m)(int) = t & 2 ? &A::f : &A::g;
  int v = (p->*m)(t);

//// member pointer parameter
struct S { int a, b; };
__device__ int read(const S &s, int S::*m) { return s.*m; }
//// body
  S s{t, 3};
  int v = read(s, &S::a) + 10 * read(s, in[t] & 1 ? &S::a : &S::b);

//// member pointer compared
struct S { int a, b; };
//// body
  int S::*m = t & 1 ? &S::b : nullptr;
  int v = m == nullptr ? 1 : m == &S::b ? 7 : 3;

//// member pointer array
struct S { int a, b; __device__ int f(int x) const { return x + a; } __device__ int g(int x) const { return x * b; } };
//// body
  S s{2, 5};
  int S::*m[3] = {&S::a, &S::b, &S::a};
  int (S::*f[2])(int) const = {&S::f, &S::g};
  const int S::*c = m[in[t] & 1];
  s.*m[t & 1] += 3;
  int v = s.*m[in[t] % 3] + 10 * (s.*f[t & 1])(4) + 100 * (s.*c);

//// member pointer in objects
struct S { int a, b; __device__ int f(int x) const { return x + a; } __device__ int g(int x) const { return x * b; } };
typedef int (S::*M)(int) const;
struct E { int (S::*run)(int) const; int S::*of; int S::*two[2]; };
__device__ int by(const S &s, M m, int x) { return (s.*m)(x); }
//// body
  S s{2, 5};
  E e[2] = {{&S::f, &S::a}, {&S::g, &S::b, {&S::b, &S::a}}};
  int v = (s.*e[t & 1].run)(3) + 10 * (s.*e[in[t] & 1].of) + 1000 * by(s, e[0].run, t) + (e[t & 1].two[1] == nullptr);

//// member pointer groups
struct S { int a; int b[2]; };
//// body
  S s{3, {4, 5}}, *p = &s;
  int S::*m = &S::a;
  int (S::*unused)(int) = nullptr;
  int v = -(*p.*m) * 10 + (t & 1 ? s : *p).*m + 2 * s.*(in[t] > 5 ? &S::a : m) + (unused == nullptr);
  s.*m = s.*m + 1;
  v += (*p.*m)++ * 100 + s.a;

//// member pointer argument of template
struct A { int a = 2, b = 5; __device__ int f(int x) const { return x + a; } __device__ int g(int x) const { return x * b; } };
struct B : A {};
template <auto M> __device__ int any(const A &o) { return o.*M + 2; }
template <int A::*M> __device__ int one(const A &o) { return o.*M * 3; }
template <int (A::*M)(int) const> __device__ int run(const A &o, int x) { return (o.*M)(x); }
template <class T, int T::*M> struct Get { __device__ static int of(const T &t) { return t.*M; } };
//// body
  A a; B b;
  int v = any<&A::a>(a) + 10 * any<&A::b>(b) + 100 * one<&B::a>(b) + run<&A::f>(a, t) + run<&A::g>(b, t) + Get<A, &A::b>::of(b);

//// member pointer of two classes
struct A { int a = 2; __device__ int f(int x) const { return x + a; } };
struct B : A { int b = 5; __device__ int f(int x) const { return x * b; } __device__ int g(int x) const { return x - b; } };
//// body
  B b;
  int v = b.*(in[t] & 1 ? &B::a : &B::b) + 10 * (b.*(t & 1 ? &A::f : &B::f))(t) + 100 * (b.*(t & 2 ? &B::g : &A::f))(3);

//// member pointer sizes
struct S { int a; __device__ int f(int x) { return x + a; } };
struct E { int (S::*run)(int); int S::*of; char c; };
//// body
  int S::*m = &S::a;
  int (S::*f)(int) = &S::f;
  int v = sizeof(m) + 10 * sizeof(f) + 1000 * sizeof(E) + alignof(E);

//// pointer zero
__device__ int f(int x) { return x; }
struct E { int (*one)(int); int (*more[2])(int); };
//// body
  E e = {f}, none{};
  int v = (e.more[t & 1] == nullptr) + 2 * (none.one == nullptr) + 4 * (e.one == f);

//// conditional of base and derived
struct Z { int z = 1; };
struct A { int k = 6; virtual __device__ int f(int x) { return x + k; } };
struct B : Z, A { __device__ int f(int x) override { return x * k; } };
//// body
  A a; B b;
  A &r = in[t] & 1 ? a : b;
  A &q = t & 1 ? b : a;
  (t & 2 ? b : a).k += t;
  int v = r.f(3) + 10 * q.f(2) + 100 * (&r == &q) + 1000 * (t & 1 ? a : b).f(1) + b.k;

//// pointer cast to one of several
__device__ int f(int x) { return x + 1; }
__device__ int f(long x) { return 100 * int(x); }
//// body
  int v = ((int (*)(long))f)(t) + static_cast<int (*)(long)>(&f)(3) + static_cast<int (*)(int)>(f)(4);

//// pointer from a function type
using G = int(int);
typedef int H(int);
__device__ int a(int x) { return x + 1; }
__device__ int b(int x) { return 2 * x; }
__device__ int by(G f, int x) { return f(x); }
__device__ int of(int f(int), int x) { return f(x); }
//// body
  H *p = in[t] & 1 ? a : b;
  G *none = nullptr;
  bool is_there = p;
  int v = by(p, t) + 10 * of(b, t) + 100 * (p ? 1 : 2) + 1000 * (!none + is_there + (p && none));
