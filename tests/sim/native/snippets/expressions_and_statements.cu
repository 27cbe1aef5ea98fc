// Written for this comparison; see `snippets.py`.
//// comma lvalue
  int a = n, b = n;
  (a, b) = t;
  int v = b;

//// nested ternary lvalue
  int a = n, b = n, c = n;
  (n > 3 ? n > 9 ? a : b : c) = t;
  int v = b;

//// ternary ref
  int a = n, b = n;
  int &r = n > 3 ? a : b;
  r = t;
  int v = a;

//// nested assign
  int a = n, b = n;
  a = b = t;
  int v = a;

//// compound assign ref result
  int a = n;
  int &r = (a += 1);
  r = t;
  int v = a;

//// preinc ref
  int a = n;
  int *p = &++a;
  *p = t;
  int v = a;

//// ref return
__device__ int &pick(int &a, int &b, int n) { return n > 3 ? a : b; }
//// body
  int a = n, b = n;
  pick(a, b, n) = t;
  int v = a;

//// ref return chain
struct S { int x; __device__ S &set(int v) { x = v; return *this; } __device__ S &add(int v) { x += v; return *this; } };
//// body
  S s; s.set(n).add(1).set(t);
  int v = s.x;

//// op index
struct A { int d[4]; __device__ int &operator[](int i) { return d[i]; } };
//// body
  A a; a[0] = n; a[1] = n; a[n & 1] = t;
  int v = a[0];

//// op arrow
struct I { int x; }; struct P { I *i; __device__ I *operator->() { return i; } };
//// body
  I i; i.x = n; P p; p.i = &i; p->x = t;
  int v = i.x;

//// op arrow chain
struct I { int x; }; struct P { I *i; __device__ I *operator->() { return i; } }; struct Q { P p; __device__ P operator->() { return p; } };
//// body
  I i; i.x = n; Q q; q.p.i = &i; q->x = t;
  int v = i.x;

//// op star
struct P { int *i; __device__ int &operator*() { return *i; } };
//// body
  int x = n; P p{&x}; *p = t;
  int v = x;

//// op call ref
struct F { int &r; __device__ void operator()(int x) { r = x; } };
//// body
  int x = n; F f{x}; f(t);
  int v = x;

//// op comma
struct F { int x; __device__ F operator,(F o) const { return F{o.x + x}; } };
//// body
  F a{t}, b{1};
  int v = (a, b).x;

//// op logical and
struct F { int x; __device__ F operator&&(F o) const { return F{o.x + x}; } };
//// body
  F a{t}, b{1};
  int v = (a && b).x;

//// op assign returns other
struct F { int x; int *o; __device__ F &operator=(int y) { *o = y; return *this; } };
//// body
  int z = n; F a{1, &z}; a = t;
  int v = z;

//// op unary minus
struct F { int x; __device__ int operator-() const { return t() ; } __device__ int t() const { return threadIdx.x; } };
//// body
  F a{1};
  int v = -a;

//// op bool
struct F { int x; __device__ explicit operator bool() const { return threadIdx.x > 7; } };
//// body
  F a{1}; int v = 0;
  if (a) v = 9;

//// conv op implicit
struct F { int x; __device__ operator int() const { return threadIdx.x; } };
//// body
  F a{1};
  int v = a;

//// conv op in arithmetic
struct F { int x; __device__ operator int() const { return threadIdx.x; } };
//// body
  F a{1};
  int v = a + 1;

//// conv op ternary
struct F { int x; __device__ operator int() const { return threadIdx.x; } };
//// body
  F a{1};
  int v = n > 3 ? a : n;

//// postfix op
struct F { int x; __device__ int operator++(int) { x = threadIdx.x; return x; } };
//// body
  F a{1}; a++;
  int v = a.x;

//// free operator
struct F { int x; }; __device__ F operator+(F a, F b) { return F{a.x + b.x + (int)threadIdx.x}; }
//// body
  F a{1}, b{2};
  int v = (a + b).x;

//// free op assign
struct F { int x; }; __device__ F &operator+=(F &a, int b) { a.x += b; return a; }
//// body
  F a{1}; a += t;
  int v = a.x;

//// op shift stream
struct F { int x; __device__ F &operator<<(int y) { x = x * 2 + y; return *this; } };
//// body
  F a{0}; a << 1 << t << 2;
  int v = a.x;

//// structured binding copy
struct P { int a, b; };
//// body
  P p{n, t}; auto [x, y] = p;
  int v = y;

//// structured binding ref
struct P { int a, b; };
//// body
  P p{n, n}; auto &[x, y] = p; y = t;
  int v = p.b;

//// structured binding array
  int a[2] = {n, n}; auto &[x, y] = a; x = t;
  int v = a[0];

//// structured binding array copy
  int a[2] = {n, n}; auto [x, y] = a; x = t;
  int v = a[0] + x;

//// structured binding nested call
struct P { int a, b; }; __device__ P mk(int n) { return {n, (int)threadIdx.x}; }
//// body
  auto [x, y] = mk(n);
  int v = y;

//// structured binding rref
struct P { int a, b; }; __device__ P mk(int n) { return {n, (int)threadIdx.x}; }
//// body
  auto &&[x, y] = mk(n); y += 1;
  int v = y;

//// structured binding const ref
struct P { int a, b; };
//// body
  P p{n, n}; const auto &[x, y] = p; p.a = t;
  int v = x;

//// placement new
  int x = n; int *p = new (&x) int(t);
  int v = x;

//// placement new class
struct P { int a; __device__ P(int x) : a(x) {} };
//// body
  alignas(P) char buf[sizeof(P)]; P *p = new (buf) P(t);
  int v = p->a;

//// placement new array elt
struct P { int a; __device__ P(int x) : a(x) {} };
//// body
  P arr[2] = {P(n), P(n)}; new (&arr[1]) P(t);
  int v = arr[1].a;

//// union
union U { int i; unsigned u; };
//// body
  U u; u.i = n; u.u = threadIdx.x;
  int v = u.i;

//// union anonymous
struct S { int k; union { int i; unsigned u; }; };
//// body
  S u; u.i = n; u.u = threadIdx.x;
  int v = u.i;

//// union anonymous local
  union { int i; unsigned u; };
  i = n; u = threadIdx.x;
  int v = i;

//// union struct member
union U { struct { short a, b; } s; int i; };
//// body
  U u; u.i = 0; u.s.b = (short)t;
  int v = u.i >> 16;

//// union array
union U { int i[2]; long long l; };
//// body
  U u; u.l = 0; u.i[1] = t;
  int v = (int)(u.l >> 32);

//// union ctor
union U { int i; float f; __device__ U(int x) : i(x) {} };
//// body
  U u(t);
  int v = u.i;

//// bit field
struct B { unsigned a : 3, b : 5; };
//// body
  B b; b.a = n; b.b = n; b.b = t;
  int v = b.b;

//// bit field compound
struct B { unsigned a : 3, b : 5; };
//// body
  B b{1, 2}; b.b += t; b.a++;
  int v = b.b + b.a;

//// bit field init
struct B { unsigned a : 3 = 2; unsigned b : 5; };
//// body
  B b{}; b.b = t;
  int v = b.a + b.b;

//// volatile
  volatile int x = n; x = t;
  int v = x;

//// volatile ptr
  int x = n; volatile int *p = &x; *p = t;
  int v = x;

//// nested ternary value
  int v = n > 9 ? 1 : n > 7 ? 2 : n > 3 ? t : 3;

//// gnu ternary
  int v = t ?: 3;

//// comma value
  int v = (n, t);

//// comma in for
  int v = 0;
  for (int i = 0, j = t; i < 3; i++, j++) v = j;

//// range for array
  int a[4] = {n, n, n, n}; int v = 0;
  for (int &x : a) x = t;
  v = a[2];

//// range for const
  int a[4] = {n, t, n, n}; int v = 0;
  for (const int &x : a) v += x;

//// range for init list
  int v = 0;
  for (int x : {1, t, 3}) v += x;

//// range for class
struct R { int d[3]; __device__ int *begin() { return d; } __device__ int *end() { return d + 3; } };
//// body
  R r{{1, t, 2}}; int v = 0;
  for (int x : r) v += x;

//// range for iter class
struct It { int i; __device__ int operator*() const { return i; } __device__ It &operator++() { i++; return *this; } __device__ bool operator!=(It o) const { return i != o.i; } };
struct R { int n; __device__ It begin() const { return {0}; } __device__ It end() const { return {n}; } };
//// body
  int v = 0;
  for (int x : R{t}) v += x;

//// range for break
  int a[4] = {1, 2, 3, 4}; int v = 0;
  for (int x : a) { if (x > (t & 3)) break; v += x * 3; }

//// range for init
  int v = 0;
  for (int a[2] = {n, t}; int x : a) v += x;

//// range for 2d
  int a[2][2] = {{1, 2}, {t, 4}}; int v = 0;
  for (auto &row : a) for (int x : row) v += x;

//// range for binding
struct P { int a, b; };
//// body
  P a[2] = {{1, 2}, {t, 3}}; int v = 0;
  for (auto [x, y] : a) v += x * y;

//// init capture
  int v = 0;
  auto f = [x = t]() { return x; }; v = f();

//// init capture ref
  int v = 0; int y = n;
  auto f = [&x = y]() { x = threadIdx.x; }; f(); v = y;

//// init capture pack
template <class... T> __device__ int sum(T... a) { auto f = [... x = a]() { return (x + ...); }; return f(); }
//// body
  int v = sum(1, t, 2);

//// lambda capture ref
  int v = n; auto f = [&] { v = t; }; f();

//// lambda capture value mutable
  int x = n; auto f = [x, t]() mutable { x += t; return x; }; f(); int v = f();

//// lambda mutable copy
  int x = n; auto f = [x]() mutable { x += threadIdx.x; return x; }; auto g = f; g(); int v = f() + g();

//// lambda nested
  int v = n; auto f = [&] { auto g = [&] { v = t; }; g(); }; f();

//// lambda this
struct S { int x; __device__ void go() { auto f = [this] { x = threadIdx.x; }; f(); } };
//// body
  S s; s.x = n; s.go();
  int v = s.x;

//// lambda star this
struct S { int x; __device__ int go() { auto f = [*this]() mutable { x += threadIdx.x; return x; }; return f() + x; } };
//// body
  S s; s.x = n;
  int v = s.go();

//// lambda returned
__device__ auto mk(int &r) { return [&r](int x) { r = x; }; }
//// body
  int v = n; auto f = mk(v); f(t);

//// lambda in struct
template <class F> struct H { F f; __device__ void go(int x) { f(x); } };
//// body
  int v = n; auto f = [&](int x) { v = x; }; H<decltype(f)> h{f}; h.go(t);

//// lambda passed
template <class F> __device__ void call(F f) { f(threadIdx.x); }
//// body
  int v = n; call([&](int x) { v = x; });

//// lambda passed ref
template <class F> __device__ void call(F &&f) { f(threadIdx.x); }
//// body
  int v = n; call([&v](auto x) { v = x; });

//// lambda generic pack
  int v = 0; auto f = [&](auto... a) { ((v += a), ...); }; f(1, t, 2);

//// lambda immediately
  int v = [&]() -> int { return t; }();

//// lambda array capture
  int a[2] = {n, t}; auto f = [a]() { return a[1]; }; int v = f();

//// lambda static conv
  int (*p)(int) = [](int x) { return x + (int)threadIdx.x; };
  int v = p(1);

//// lambda recursion
  auto f = [](auto self, int k) -> int { return k <= 0 ? (int)threadIdx.x : self(self, k - 1) + 1; };
  int v = f(f, 3);

//// variadic
__device__ int sum() { return 0; } template <class T, class... R> __device__ int sum(T a, R... r) { return a + sum(r...); }
//// body
  int v = sum(1, t, 2);

//// variadic ref
__device__ void set(int) {} template <class T, class... R> __device__ void set(int x, T &a, R &...r) { a = x; set(x, r...); }
//// body
  int a = n, b = n, c = n; set(t, a, b, c);
  int v = c;

//// fold comma
template <class... T> __device__ void set(int x, T &...a) { ((a = x), ...); }
//// body
  int a = n, b = n; set(t, a, b);
  int v = b;

//// fold plus init
template <class... T> __device__ int sum(T... a) { return (1 + ... + a); }
//// body
  int v = sum(t, 2);

//// fold or
template <class... T> __device__ bool any(T... a) { return (... || (a > 7)); }
//// body
  int v = any(n, t) ? 9 : 0;

//// pack index array
template <class... T> __device__ int at(int i, T... a) { int x[] = {a...}; return x[i]; }
//// body
  int v = at(n & 1, t, 2);

//// sizeof pack
template <class... T> __device__ int cnt(T... a) { return sizeof...(a) + (a + ...); }
//// body
  int v = cnt(t, 2);

//// initializer swallow
template <class... T> __device__ void set(int x, T &...a) { int d[] = {(a = x, 0)...}; }
//// body
  int a = n, b = n; set(t, a, b);
  int v = b;

//// tuple recursion
template <class... T> struct Tup; template <> struct Tup<> {}; template <class H, class... T> struct Tup<H, T...> { H h; Tup<T...> t; };
//// body
  Tup<int, int> x{n, {t}};
  int v = x.t.h;

//// default member init
struct D { int x = threadIdx.x; int y = 3; };
//// body
  D d;
  int v = d.x;

//// default member init agg
struct D { int y; int x = threadIdx.x; };
//// body
  D d{1};
  int v = d.x;

//// default member init other
struct D { int y; int x = y + 1; };
//// body
  D d{t};
  int v = d.x;

//// default member this
struct D { int y = threadIdx.x; int x; __device__ D(int a) : x(a + y) {} };
//// body
  D d(2);
  int v = d.x;

//// default member overridden
struct D { int x = 3; __device__ D() : x(threadIdx.x) {} };
//// body
  D d;
  int v = d.x;

//// member order
struct D { int a, b; __device__ D(int x) : b(x), a(b0()) {} __device__ int b0() { return threadIdx.x; } };
//// body
  D d(2);
  int v = d.a;

//// delegating ctor
struct D { int x; __device__ D(int a) : x(a) {} __device__ D() : D(threadIdx.x) {} };
//// body
  D d;
  int v = d.x;

//// inherited member
struct B { int x; }; struct D : B { int y; };
//// body
  D d; d.x = n; d.y = n; B &b = d; b.x = t;
  int v = d.x;

//// inherited method
struct B { int x; __device__ void set(int a) { x = a; } }; struct D : B { int y; };
//// body
  D d; d.x = n; d.set(t);
  int v = d.x;

//// inherited two
struct A { int a; }; struct B { int b; }; struct D : A, B { int y; };
//// body
  D d; d.a = n; d.b = n; B *p = &d; p->b = t;
  int v = d.b;

//// inherited cast
struct A { int a; }; struct B { int b; }; struct D : A, B { int y; };
//// body
  D d; d.y = n; B *p = &d; static_cast<D *>(p)->y = t;
  int v = d.y;

//// inherited crtp
template <class T> struct B { __device__ void go(int x) { static_cast<T *>(this)->set(x); } }; struct D : B<D> { int y; __device__ void set(int x) { y = x; } };
//// body
  D d; d.y = n; d.go(t);
  int v = d.y;

//// inherited shadow
struct B { int x; }; struct D : B { int x; };
//// body
  D d; d.x = n; d.B::x = t;
  int v = d.B::x + d.x;

//// slicing
struct B { int x; }; struct D : B { int y; };
//// body
  D d; d.x = t; d.y = n; B b = d;
  int v = b.x;

//// slicing assign
struct B { int x; }; struct D : B { int y; };
//// body
  D d; d.x = n; d.y = n; B b{t}; static_cast<B &>(d) = b;
  int v = d.x;

//// virtual base call
struct B { __device__ virtual int f() { return 1; } }; struct D : B { __device__ int f() override { return threadIdx.x; } };
//// body
  D d; B &b = d;
  int v = b.f();

//// virtual ptr array
struct B { __device__ virtual int f() { return 1; } }; struct D : B { __device__ int f() override { return threadIdx.x; } };
//// body
  D d; B e; B *p[2] = {&e, &d};
  int v = p[n >> 2]->f();

//// static member fn
struct S { static __device__ int f() { return threadIdx.x; } };
//// body
  int v = S::f();

//// static member const
struct S { static constexpr int k = 3; };
//// body
  int v = S::k + t;

//// function static
__device__ int f() { static const int tab[4] = {1, 2, 3, 9}; return tab[threadIdx.x & 3]; }
//// body
  int v = f();

//// function ptr param
__device__ int f(int x) { return x + threadIdx.x; } __device__ int g(int (*p)(int), int x) { return p(x); }
//// body
  int v = g(f, 1);

//// function ptr template
__device__ int f(int x) { return x + threadIdx.x; } template <int (*F)(int)> __device__ int g(int x) { return F(x); }
//// body
  int v = g<f>(1);

//// function ptr select
__device__ int f(int x) { return x + threadIdx.x; } __device__ int h(int x) { return x; }
//// body
  int (*p)(int) = n > 3 ? f : h;
  int v = p(1);

//// function ptr member
struct S { int x; __device__ int f(int y) { return x + y; } };
//// body
  S s{t}; int (S::*p)(int) = &S::f;
  int v = (s.*p)(1);

//// data member ptr
struct S { int x, y; };
//// body
  S s{n, n}; int S::*p = &S::y; s.*p = t;
  int v = s.y;

//// function ptr ref
__device__ void f(int &x) { x = threadIdx.x; } __device__ void g(void (*p)(int &), int &x) { p(x); }
//// body
  int v = n; g(f, v);

//// function ptr struct
__device__ int f(int x) { return x + threadIdx.x; } struct S { int (*p)(int); };
//// body
  S s{f};
  int v = s.p(1);

//// statement expr
  int v = ({ int y = t; y + 1; });

//// statement expr write
  int x = n; int v = ({ x = t; 1; }) + x;

//// goto
  int v = n; int i = 0;
  again: v += t & 1; if (++i < 3) goto again;

//// goto skip
  int v = n;
  if (t < 7) goto done;
  v = 9;
  done: ;

//// goto into loop
  int v = 0; int i = 0;
  goto mid;
  while (i < 5) { v += 1; mid: i++; v += t & 1; }

//// switch fallthrough
  int v = 0;
  switch (t & 3) { case 0: v = 1; case 1: v += 7; break; default: v = 3; }

//// duff
  int v = 0; int i = 6;
  switch (t & 3) { case 0: do { v++; case 3: v++; case 2: v++; case 1: v++; } while ((i -= 4) > 0); }

//// do while continue
  int v = 0, i = 0;
  do { i++; if (i & 1) continue; v += t; } while (i < 4);

//// if init
  int v = 0;
  if (int q = t; q > 7) v = q; else v = -q;

//// while decl
  int v = 0, m = t & 3;
  while (int q = m--) v += q * 3;

//// cond lvalue of bit-fields
struct B { unsigned a : 4; unsigned b : 4; };
//// body
  B x; x.a = 1; x.b = 2;
  (n > 3 ? x.a : x.b) = t & 7;
  int v = x.a;

//// comma behind an assignment
  int v = 0;
  int w = (v = t, v + n);
  v = w;

//// assignments joined by commas
  int v = 0, w = 1;
  (v = t, w += v, v) += n;
  v += w;
