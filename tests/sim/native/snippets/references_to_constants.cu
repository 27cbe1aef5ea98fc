// Written for this comparison; see `snippets.py`.
//// bind move
__device__ int f(int &&x) { return threadIdx.x; } __device__ int f(const int &x) { return 2; }
//// body
  int a = n;
  int v = f(std::move(a));

//// bind cast rvalue
__device__ int f(int &&x) { return threadIdx.x; } __device__ int f(const int &x) { return 2; }
//// body
  int a = n;
  int v = f(static_cast<int &&>(a));

//// bind const variable
__device__ int f(int &&x) { return 2; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  const int a = 7;
  int v = f(a);

//// bind conditional lvalue
__device__ int f(int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 2; }
//// body
  int a = n, b = n;
  int v = f(n > 3 ? a : b);

//// bind conditional mixed
__device__ int f(int &x) { return 2; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  int a = n; const int b = n;
  int v = f(n > 3 ? a : b);

//// bind assignment result
__device__ int f(int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 2; }
//// body
  int a = n;
  int v = f(a = 3);

//// bind postfix
__device__ int f(int &x) { return 2; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  int a = n;
  int v = f(a++);

//// bind prefix
__device__ int f(int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 2; }
//// body
  int a = n;
  int v = f(++a);

//// bind comma
__device__ int f(int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 2; }
//// body
  int a = n;
  int v = f((n, a));

//// bind member
struct S { int x; const int y; }; __device__ int f(int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 100; }
//// body
  S s{n, n};
  int v = f(s.x) + f(s.y);

//// bind member of const
struct S { int x; mutable int y; }; __device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  const S s{n, n};
  int v = f(s.x) + f(s.y);

//// bind member in const method
struct S { int x; __device__ int g() const; __device__ int g2(); }; __device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
__device__ int S::g() const { return f(x); } __device__ int S::g2() { return f(x); }
//// body
  S s{n};
  int v = s.g() + s.g2();

//// bind deref const pointer
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  const int a = n; const int *p = &a;
  int v = f(*p) + f(in[0]);

//// bind deref pointer
__device__ int f(int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 100; }
//// body
  int a = n; int *p = &a;
  int v = f(*p);

//// bind array element
__device__ int f(int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 100; }
//// body
  int a[2] = {n, n}; const int b[2] = {n, n};
  int v = f(a[1]) + f(b[0]);

//// bind template const
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; } template <class T> __device__ int g(T &x) { return f(x); }
//// body
  const int a = n;
  int v = g(a);

//// bind template local ref
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; } template <class T> __device__ int g(T &x) { T &y = x; auto &z = y; return f(y) + f(z); }
//// body
  const int a = n;
  int v = g(a);

//// bind class template const
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; } template <class T> struct S { T &x; __device__ int g() { return f(x); } };
//// body
  const int a = n; S<const int> s{a};
  int v = s.g();

//// bind class template const member
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; } template <class T> struct S { T x; __device__ int g() { return f(x); } };
//// body
  S<const int> s{n};
  int v = s.g();

//// bind class template const pointer
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; } template <class T> struct S { T *x; __device__ int g() { return f(*x) + f(x[0]); } };
//// body
  S<const int> s{in};
  int v = s.g();

//// bind explicit const
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; } template <class T> __device__ int g(T x) { return f(x); }
//// body
  int v = g<const int>(n);

//// bind auto const
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  const int a = n; auto &b = a; auto c = a; const auto d = n;
  int v = f(b) + f(c) * 0 + f(d);

//// bind lambda capture
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  int a = n; auto g = [=] { return f(a); }; auto h = [a]() mutable { return f(a); }; auto i = [b = a] { return f(b); };
  int v = g() + h() + i();

//// bind lambda param
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  const int a = n; auto g = [](auto &x) { return f(x); };
  int v = g(a);

//// bind range for
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  const int a[2] = {n, n}; int v = 0;
  for (auto &x : a) v += f(x);

//// bind range for const
__device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  int a[2] = {n, n}; int v = 0;
  for (const auto &x : a) v += f(x);

//// bind structured
struct P { int a, b; }; __device__ int f(int &x) { return 100; } __device__ int f(const int &x) { return threadIdx.x; }
//// body
  const P p{n, n}; auto &[x, y] = p; const auto [z, w] = p;
  int v = f(x) + f(w);

//// bind forwarding hijack
struct C { int x; }; __device__ int f(const C &c) { return 100; } template <class T> __device__ int f(T &&c) { return threadIdx.x; }
//// body
  C c{n};
  int v = f(c);

//// bind forwarding const
struct C { int x; }; __device__ int f(const C &c) { return threadIdx.x; } template <class T> __device__ int f(T &&c) { return 100; }
//// body
  const C c{n};
  int v = f(c);

//// bind forwarding temp
struct C { int x; }; __device__ int f(const C &c) { return 100; } template <class T> __device__ int f(T &&c) { return threadIdx.x; }
//// body
  int v = f(C{n});

//// bind call result
struct C { int x; }; __device__ C &a(C &c) { return c; } __device__ C b(C &c) { return c; } __device__ const C &d(C &c) { return c; }
__device__ int f(C &c) { return 1000; } __device__ int f(const C &c) { return threadIdx.x; }
//// body
  C c{n};
  int v = f(a(c)) + f(b(c)) + f(d(c));

//// bind call result only temp
struct C { int x; }; __device__ C b(C &c) { return c; } 
__device__ int f(C &c) { return 1000; } __device__ int f(const C &c) { return threadIdx.x; }
//// body
  C c{n};
  int v = f(b(c));

//// bind this
struct C { int x; __device__ int g() const; __device__ int h(); }; __device__ int f(C &c) { return 1000; } __device__ int f(const C &c) { return threadIdx.x; } 
__device__ int C::g() const { return f(*this); } __device__ int C::h() { return f(*this); }
//// body
  C c{n};
  int v = c.g() + c.h();

//// bind const method by reference
struct C { int x; __device__ int g() const { return threadIdx.x; } __device__ int g() { return 100; } }; __device__ int f(const C &c) { return c.g(); }
//// body
  C c{n};
  int v = f(c) + c.g();

//// bind const method by pointer
struct C { int x; __device__ int g() const { return threadIdx.x; } __device__ int g() { return 100; } }; __device__ int f(const C *c) { return c->g(); }
//// body
  C c{n};
  int v = f(&c);

//// bind const index
struct C { int d[2]; __device__ int operator[](int i) const { return threadIdx.x; } __device__ int &operator[](int i) { return d[i]; } };
//// body
  C c{{n, n}}; const C &r = c; c[0] = 3;
  int v = r[0] + c[0];

//// bind const member method
struct C { int x; __device__ int g() const { return threadIdx.x; } __device__ int g() { return 100; } }; struct D { C c; const C d; C *p; __device__ int h() const { return c.g() + p->g(); } };
//// body
  C q{n}; D d{{n}, {n}, &q};
  int v = d.h() + d.d.g() + d.c.g();

//// bind base
struct B { int x; }; struct D : B {}; __device__ int f(B &c) { return 100; } __device__ int f(const B &c) { return threadIdx.x; }
//// body
  const D d{{n}}; D e{{n}};
  int v = f(d) + f(e);

//// bind rvalue ref param
__device__ int f(int &&x) { return 100; } __device__ int f(int &x) { return threadIdx.x; } __device__ int g(int &&x) { return f(x) + f(static_cast<int &&>(x)); }
//// body
  int v = g(n + 1);

//// bind converted
__device__ int f(const long long &x) { return threadIdx.x; } __device__ int f(float &x) { return 100; }
//// body
  int a = n;
  int v = f(a);

//// bind volatile
__device__ int f(volatile int &x) { return threadIdx.x; } __device__ int f(const int &x) { return 100; }
//// body
  volatile int a = n;
  int v = f(a);

//// bind enumerator
enum E { A, B }; __device__ int f(const int &x) { return threadIdx.x; } __device__ int f(int &x) { return 100; }
//// body
  int v = f(B);

//// bind template parameter value
__device__ int f(const int &x) { return threadIdx.x; } __device__ int f(int &x) { return 100; } template <int N> __device__ int g() { return f(N); }
//// body
  int v = g<3>();

//// bind global
__device__ int gl = 3; __constant__ int gc[2] = {1, 2}; __device__ int f(const int &x) { return threadIdx.x; } __device__ int f(int &x) { return 100; }
//// body
  int v = f(gc[1]);

//// bind shared
__device__ int f(const int &x) { return 100; } __device__ int f(int &x) { return threadIdx.x; }
//// body
  __shared__ int s[64]; s[t] = 0;
  int v = f(s[t]);

//// bind op assign overloads
struct C { int x; __device__ C &operator=(const C &o) { x = o.x; return *this; } __device__ C &operator=(C &&o) { x = threadIdx.x; return *this; } };
//// body
  C a{n}, b{n}; a = C{3};
  int v = a.x;

//// bind copy and move ctors
struct C { int x; __device__ C(int a) : x(a) {} __device__ C(const C &o) : x(o.x) {} __device__ C(C &&o) : x(threadIdx.x) {} };
//// body
  C a(n); C b(a); C c(std::move(a));
  int v = b.x + c.x;

//// forward storage
template <class T> struct S { T x; __device__ S(T &&y) : x(static_cast<T &&>(y)) {} }; template <class T> __device__ S<T> mk(T &&y) { return S<T>(static_cast<T &&>(y)); }
//// body
  int x = n; auto s = mk(x); s.x = t;
  int v = x;

//// forward local copy
template <class T> __device__ int f(T &&y) { T z = y; z = threadIdx.x; return y; }
//// body
  int x = n;
  int v = f(x);

//// forward decayed copy
template <class T> __device__ int f(T &&y) { std::remove_reference_t<T> z = y; z = threadIdx.x; return y; }
//// body
  int x = n;
  int v = f(x);

//// forward decayed copy 2
template <class T> __device__ int f(T &&y) { typename std::decay<T>::type z = y; z = threadIdx.x; return z; }
//// body
  int x = n;
  int v = f(x);

//// forward value
template <class T> __device__ int f(T &&y) { T z = y; z = threadIdx.x; return y; }
//// body
  int v = f(n + 1) + (t > 7);

//// forward sizeof
template <class T> __device__ int f(T &&y) { return sizeof(T) + y; }
//// body
  int x = t;
  int v = f(x);

//// forward same
template <class T> __device__ int f(T &&y) { return std::is_same<T, int &>::value ? y : 1; }
//// body
  int x = t;
  int v = f(x);

//// forward is_reference
template <class T> __device__ int f(T &&y) { if constexpr (std::is_lvalue_reference<T>::value) return y; else return 1; }
//// body
  int x = t;
  int v = f(x) + f(3);

//// forward class method
struct C { int x; __device__ int get() { return x; } }; template <class T> __device__ int f(T &&y) { return y.get(); }
//// body
  C c{t};
  int v = f(c);

//// forward array
template <class T> __device__ int f(T &&y) { return y[1]; }
//// body
  int a[2] = {n, t};
  int v = f(a);

//// forward pointer
template <class T> __device__ int f(T &&y) { return *y; }
//// body
  int a = t; int *p = &a;
  int v = f(p);

//// forward fn
template <class F, class T> __device__ void f(F &&g, T &&y) { g(y); }
//// body
  int a = n; auto g = [](int &x) { x = threadIdx.x; };
  f(g, a);
  int v = a;

//// forward numeric limits
template <class T> __device__ int f(T &&y) { using U = std::remove_cv_t<std::remove_reference_t<T>>; return y < std::numeric_limits<U>::max() ? y : U(1); }
//// body
  int a = t;
  int v = f(a);
