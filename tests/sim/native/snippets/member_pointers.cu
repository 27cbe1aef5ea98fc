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
