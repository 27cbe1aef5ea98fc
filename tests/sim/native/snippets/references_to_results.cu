// Written for this comparison; see `snippets.py`.
//// std min ref
  int a = n, b = n + 9;
  const int &m = std::min(a, b); a = t;
  int v = m;

//// std max ref
  int a = n, b = n - 1;
  const int &m = std::max(a, b); a = t;
  int v = m;

//// std min auto ref
  int a = n, b = n + 9;
  auto &m = std::min(a, b); a = t;
  int v = m;

//// std min auto rvalue ref
  int a = n, b = n + 9;
  auto &&m = std::min(a, b); a = t;
  int v = m;

//// cuda min rvalue ref
  int a = n, b = n + 9;
  auto &&m = min(a, b); a = t;
  int v = m;

//// using std min
  using std::min;
  int a = n, b = n + 9;
  auto &&m = min(a, b); a = t;
  int v = m;

//// std min address
  int a = n, b = n + 9;
  const int *m = &std::min(a, b); a = t;
  int v = *m;

//// std min argument
__device__ int f(const int &x, int &y) { y = threadIdx.x; return x; }
//// body
  int a = n, b = n + 9;
  int v = f(std::min(a, b), a);

//// std min returned
__device__ const int &f(const int &x, const int &y) { return std::min(x, y); }
//// body
  int a = n, b = n + 9;
  const int &m = f(a, b); a = t;
  int v = m;

//// std min member
struct S { const int &r; };
//// body
  int a = n, b = n + 9;
  S s{std::min(a, b)}; a = t;
  int v = s.r;

//// std min capture
  int a = n, b = n + 9;
  auto f = [&m = std::min(a, b)] { return m; }; a = t;
  int v = f();

//// std min nested
  int a = n, b = n + 9, c = n + 7;
  const int &m = std::min(std::min(a, b), c); a = t;
  int v = m;

//// std min list
  int a = n;
  int v = std::min({a, t, 3});

//// std min compare
  int a = n, b = n + 9;
  const int &m = std::min(a, b, [](int x, int y) { return x < y; }); a = t;
  int v = m;

//// std clamp ref
  int a = n, b = 0, c = n + 9;
  const int &m = std::clamp(a, b, c); a = t;
  int v = m;

//// std min explicit
  int a = n; long long b = n + 9;
  const int &m = std::min<int>(a, b); a = t;
  int v = m;

//// std min explicit value
  int a = t; long long b = n + 9;
  int v = std::min<long long>(a, b);

//// std move ref
  int a = n;
  int &&m = std::move(a); a = t;
  int v = m;

//// std move auto ref
  int a = n;
  auto &&m = std::move(a); a = t;
  int v = m;

//// std move const ref
  int a = n;
  const int &m = std::move(a); a = t;
  int v = m;

//// std as_const ref
  int a = n;
  const int &m = std::as_const(a); a = t;
  int v = m;

//// std as_const auto ref
  int a = n;
  auto &m = std::as_const(a); a = t;
  int v = m;

//// std forward ref
  int a = n;
  int &m = std::forward<int &>(a); a = t;
  int v = m;

//// std forward auto ref
  int a = n;
  auto &&m = std::forward<int &>(a); m = t;
  int v = a;

//// std forward assign
  int a = n;
  std::forward<int &>(a) = t;
  int v = a;

//// std forward template
template <class T> __device__ decltype(auto) g(T &&x) { return std::forward<T>(x); }
//// body
  int a = n;
  auto &&m = g(a); a = t;
  int v = m;

//// std exchange value
  int a = n;
  auto &&m = std::exchange(a, t); 
  int v = m * 10 + a;

//// std move struct
struct S { int x; };
//// body
  S a{n};
  S &&m = std::move(a); a.x = t;
  int v = m.x;

//// std min struct
struct S { int x; __device__ bool operator<(const S &o) const { return x < o.x; } };
//// body
  S a{n}, b{n + 9};
  const S &m = std::min(a, b); a.x = t;
  int v = m.x;

//// std move member
struct S { int x; };
//// body
  S a{n};
  int &&m = std::move(a).x; a.x = t;
  int v = m;

//// std move array element
  int a[2] = {n, n};
  int &&m = std::move(a[1]); a[1] = t;
  int v = m;

//// std min const cast
  int a = n, b = n + 9;
  const_cast<int &>(std::min(a, b)) = t;
  int v = a;

//// std get ref
  std::array<int, 2> a{n, n};
  auto &m = a.front(); a[0] = t;
  int v = m;

//// std addressof
  int a = n;
  int *m = std::addressof(a); a = t;
  int v = *m;

//// std ref
  int a = n;
  auto m = std::ref(a); a = t;
  int v = m;

//// std minmax
  int a = n, b = n + 9;
  auto m = std::minmax(a, b); a = t;
  int v = m.first;

//// std minmax binding
  int a = n, b = n + 9;
  auto [l, h] = std::minmax(a, b); a = t;
  int v = l;

//// std max element
  int a[2] = {n, n + 9};
  int *m = std::max_element(a, a + 2); a[1] = t;
  int v = *m;

//// std tie
  int a = n, b = n + 9;
  auto m = std::tie(a, b); a = t;
  int v = std::get<0>(m);

//// std min for
  int a = n, b = n + 9; int v = 0;
  for (const int &m = std::min(a, b); v == 0; ) { a = t + 1; v = m; }

//// std conditional
  int a = n, b = n + 9;
  const int &m = n > 3 ? std::min(a, b) : b; a = t;
  int v = m;
//// cond const ref
  int a = n, b = n + 9;
  const int &m = n > 3 ? a : b; a = t;
  int v = m;

//// cond auto rref
  int a = n, b = n + 9;
  auto &&m = n > 3 ? a : b; a = t;
  int v = m;

//// cond const auto
  int a = n, b = n + 9;
  const auto &m = n > 3 ? a : b; a = t;
  int v = m;

//// cond returned
__device__ const int &f(const int &x, const int &y) { return x < y ? x : y; }
//// body
  int a = n, b = n + 9;
  const int &m = f(a, b); a = t;
  int v = m;

//// cond argument
__device__ int f(const int &x, int &y) { y = threadIdx.x; return x; }
//// body
  int a = n, b = n + 9;
  int v = f(n > 3 ? a : b, a);

//// cond capture
  int a = n, b = n + 9;
  auto f = [&m = n > 3 ? a : b] { return m; }; a = t;
  int v = f();

//// cond member
struct S { const int &r; };
//// body
  int a = n, b = n + 9;
  S s{n > 3 ? a : b}; a = t;
  int v = s.r;

//// cond member ctor
struct S { const int &r; __device__ S(const int &x, const int &y) : r(x < y ? x : y) {} };
//// body
  int a = n, b = n + 9;
  S s(a, b); a = t;
  int v = s.r;

//// cond decltype auto
  int a = n, b = n + 9;
  decltype(auto) m = n > 3 ? a : b; a = t;
  int v = m;

//// cond lambda arg
  int a = n, b = n + 9;
  auto f = [&](const int &x) { a = t; return x; };
  int v = f(n > 3 ? a : b);

//// cond struct
struct S { int x; };
//// body
  S a{n}, b{n + 9};
  const S &m = n > 3 ? a : b; a.x = t;
  int v = m.x;

//// std min lambda arg
  int a = n, b = n + 9;
  auto f = [&](const int &x) { a = t; return x; };
  int v = f(std::min(a, b));

//// std min lambda by value
  int a = n, b = n + 9;
  auto f = [](int x) { x = threadIdx.x; return x; };
  int w = f(std::min(a, b)) * 0;
  int v = w + a;

//// std min lambda returned
  int a = n, b = n + 9;
  auto f = [&]() -> const int & { return std::min(a, b); };
  const int &m = f(); a = t;
  int v = m;

//// std min lambda deduced copy
  int a = n, b = n + 9;
  auto f = [&]() { return std::min(a, b); };
  const int &m = f(); a = t;
  int v = m;

//// std min ctor member
struct S { const int &r; __device__ S(const int &x, const int &y) : r(std::min(x, y)) {} };
//// body
  int a = n, b = n + 9;
  S s(a, b); a = t;
  int v = s.r;

//// std min decltype auto
  int a = n, b = n + 9;
  decltype(auto) m = std::min(a, b); a = t;
  int v = m;

//// std min decltype auto return
__device__ decltype(auto) f(const int &x, const int &y) { return std::min(x, y); }
//// body
  int a = n, b = n + 9;
  const int &m = f(a, b); a = t;
  int v = m;

//// std min parentheses
  int a = n, b = n + 9;
  const int &m = (std::min)(a, b); a = t;
  int v = m;

//// std min two parentheses
  int a = n, b = n + 9;
  const int &m = (std::min((a), b)); a = t;
  int v = m;

//// std min converted
  int a = n, b = n + 9;
  const long long &m = std::min(a, b); a = t;
  int v = m;

//// std min static cast
  int a = n, b = n + 9;
  const int &m = static_cast<const int &>(std::min(a, b)); a = t;
  int v = m;

//// std min copied
  int a = n, b = n + 9;
  const int m = std::min(a, b); a = t;
  int v = m;

//// std min auto copied
  int a = n, b = n + 9;
  auto m = std::min(a, b); a = t;
  int v = m;

//// std min struct field
struct S { int x; __device__ bool operator<(const S &o) const { return x < o.x; } };
//// body
  S a{n}, b{n + 9};
  const int &m = std::min(a, b).x; a.x = t;
  int v = m;

//// std min struct reversed
struct S { int x; __device__ bool operator<(const S &o) const { return x > o.x; } };
//// body
  S a{n}, b{(t + 9)};
  int v = std::min(a, b).x;

//// std min struct reversed copied
struct S { int x; __device__ bool operator<(const S &o) const { return x > o.x; } };
//// body
  S a{n}, b{(t + 9)};
  S m = std::min(a, b);
  int v = m.x;

//// std min array elements
  int a[2] = {n, n + 9};
  const int &m = std::min(a[0], a[1]); a[0] = t;
  int v = m;

//// std min shared
  __shared__ int a[64]; a[t] = n; int b = n + 9;
  __syncthreads();
  const int &m = std::min(a[0], b); __syncthreads(); a[0] = n + 1; __syncthreads();
  int v = m;

//// std min global
  int b = 100;
  const int &m = std::min(in[t], b);
  int v = m;

//// std min float
  float a = n, b = n + 9;
  const float &m = std::min(a, b); a = t;
  int v = m;

//// std min pointer
  int a[3] = {n, t, 2 * t}; int *p = a, *q = a + 2;
  int *const &m = std::min(p, q); p = a + 1;
  int v = *m;

//// std tie assigned
struct P { int x, y; }; __device__ std::tuple<int, int> f(int x) { return {x, x + 1}; }
//// body
  int a = n, b = n;
  std::tie(a, b) = f(t);
  int v = a;

//// std tie written
  int a = n, b = n;
  auto m = std::tie(a, b); std::get<0>(m) = t;
  int v = a;

//// std ref written
  int a = n;
  auto m = std::ref(a); m.get() = t;
  int v = a;

//// cond memory const argument
__device__ int f(const int &x) { return x; }
//// body
  int v = f(n > 3 ? in[t] : in[0]);

//// cond memory changed
__device__ int f(const int &x, int *y) { y[threadIdx.x] = threadIdx.x; return x; }
//// body
  int v = f(n > 3 ? out[t] : out[0], out);

//// cond array changed
__device__ int f(const int &x, int *y) { y[1] = threadIdx.x; return x; }
//// body
  int a[2] = {n, n};
  int v = f(n > 3 ? a[1] : a[0], a);

//// cond member of reference
struct S { int x; }; __device__ int f(const int &x, S &y) { y.x = threadIdx.x; return x; } __device__ int g(S &s, S &q) { return f(q.x > 3 ? s.x : q.x, s); }
//// body
  S s{n}, q{n};
  int v = g(s, q);

//// cond nested
__device__ int f(const int &x, int &y) { y = threadIdx.x; return x; }
//// body
  int a = n, b = n + 9, c = n;
  int v = f(n > 3 ? n > 5 ? c : a : b, a);
