// Written for this comparison; see `snippets.py`.
//// comma stmt overload
struct F { int x; __device__ F &operator,(int o) { x = o; return *this; } };
//// body
  F a{1};
  a, t;
  int v = a.x;

//// comma for overload
struct F { int x; __device__ F &operator,(int o) { x = o; return *this; } };
//// body
  F a{1};
  for (int i = 0; i < 2; i++, a, t) {}
  int v = a.x;

//// ctor with lambda
struct H { int x; template <class F> __device__ H(F f) { x = f(); } };
//// body
  H h([&] { return t; });
  int v = h.x;

//// ctor with lambda writes
struct H { int x; template <class F> __device__ H(F f) { f(); x = 1; } };
//// body
  int v = n;
  H h([&] { v = t; });

//// ctor with lambda member
template <class F> struct H { F f; __device__ H(F g) : f(g) {} __device__ void go() { f(); } };
template <class F> __device__ H<F> mk(F f) { return H<F>(f); }
//// body
  int v = n;
  auto h = mk([&] { v = t; }); h.go();

//// lambda in array
  int v = n; auto f = [&](int x) { v = x; };
  decltype(f) g[1] = {f}; g[0](t);

//// lambda deep
  int v = n;
  auto f = [&](auto self, int k) -> int { if (k <= 0) { v = t; return 0; } return self(self, k - 1); };
  f(f, 40);

//// lambda assigned var
  int v = n;
  auto f = [&] { v = t; }; auto &g = f; g();

//// lambda ptr
  int v = n;
  auto f = [&] { v = t; }; auto *g = &f; (*g)();

//// lambda conditional
  int v = n;
  auto f = [&](int x) { v = x; }; auto g = [&](int x) { v = -x; };
  if (n > 3) f(t); else g(t);

//// lambda this escape
struct S { int x; __device__ auto mk() { return [this](int v) { x = v; }; } };
//// body
  S s{n}; auto f = s.mk(); f(t);
  int v = s.x;

//// lambda member variable std function-like
struct Fn { void *o; void (*f)(void *, int); __device__ void operator()(int x) { f(o, x); } };
__device__ void setit(void *o, int x) { *(int *)o = x; }
//// body
  int v = n;
  Fn f{&v, setit}; f(t);

//// lambda captured by lambda value
  int v = n;
  auto f = [&](int x) { v = x; }; auto g = [f](int x) { f(x); }; g(t);

//// lambda returning ref
  int v = n;
  auto f = [&]() -> int & { return v; }; f() = t;

//// lambda returning lambda
  int v = n;
  auto f = [&]() { return [&] { v = t; }; }; f()();

//// default ref member
__device__ int glob = 3;
struct S { int &r = glob; };
//// body
  S s;
  int v = s.r + t;

//// ref member in array init
struct S { int &r; };
//// body
  int a = n, b = n; S s[2] = {{a}, {b}}; s[1].r = t;
  int v = b;

//// ref member elided
struct S { int &r; int &q; };
//// body
  int a = n, b = n; S s[1] = {a, b}; s[0].q = t;
  int v = b;

//// ref member designated
struct S { int &r; int &q; };
//// body
  int a = n, b = n; S s{.r = a, .q = b}; s.q = t;
  int v = b;

//// ref member const temp
struct S { const int &r; };
//// body
  S s{n + t};
  int v = s.r;

//// ref member of base
struct B { int x; }; struct D : B { int y; }; struct S { B &r; };
//// body
  D d; d.x = n; S s{d}; s.r.x = t;
  int v = d.x;

//// ref member inherited agg
struct B { int &x; }; struct D : B { int y; };
//// body
  int a = n; D d{{a}, 3}; d.x = t;
  int v = a;

//// ref member ternary
struct B { int &x; };
//// body
  int a = n, b = n; B d{n > 3 ? a : b}; d.x = t;
  int v = a;

//// ref member template
template <class T> struct B { T &x; }; template <class T> __device__ B<T> mk(T &t) { return {t}; }
//// body
  int a = n; mk(a).x = t;
  int v = a;

//// ref member parenthesised agg
struct S { int &r; };
//// body
  int a = n; S s(a); s.r = t;
  int v = a;

//// array ref member
struct S { int (&r)[2]; };
//// body
  int a[2] = {n, n}; S s{a}; s.r[1] = t;
  int v = a[1];

//// captured structured binding
struct P { int a, b; };
//// body
  P p{n, n}; auto &[x, y] = p; auto f = [&x = x] { x = threadIdx.x; }; f();
  int v = p.a;

//// init capture const ref
  int a = n; auto f = [&x = a, k = t]() { x = k; }; f();
  int v = a;

//// init capture ref member
struct P { int a, b; };
//// body
  P p{n, n}; auto f = [&q = p.b]() { q = threadIdx.x; }; f();
  int v = p.b;

//// init capture move
struct P { int a, b; };
//// body
  P p{n, t}; auto f = [p = static_cast<P &&>(p)]() { return p.b; };
  int v = f();
