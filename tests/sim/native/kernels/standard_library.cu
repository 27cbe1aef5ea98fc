// The standard library: arrays by value and by reference, pairs, tuples, sequences, optionals, traits, overloads by trait.
template <class T> struct is_real : std::false_type {};
template <> struct is_real<float> : std::true_type {};
template <class T> constexpr int width_v = sizeof(T);
template <class T> constexpr int width_v<T*> = -1;
template <> constexpr int width_v<short> = 77;
template <class A, class B> struct same { static constexpr int value = 0; };
template <class A> struct same<A, A> { static constexpr int value = 1; };
template <class T, class Enable = void> struct doubler { static __device__ T of(T x) { return x; } };
template <class T> struct doubler<T, std::enable_if_t<std::is_integral<T>::value>> { static __device__ T of(T x) { return x + x; } };
template <class T> struct doubler<T, typename std::enable_if<is_real<T>::value>::type> { static __device__ T of(T x) { return 2 * x + 1; } };
template <class T> __device__ std::enable_if_t<std::is_signed_v<T>, int> sign(T x) { return x < 0 ? -1 : 1; }
template <class T, std::enable_if_t<std::is_unsigned_v<T>, int> = 0> __device__ int sign(T x) { return x != 0; }
template <class T> __device__ int tagged(T x, std::true_type) { return x * 3; }
template <class T> __device__ int tagged(T x, std::false_type) { return x * 5; }
__device__ int spoiled(std::array<int, 3> v) { v[0] = 1000; return v[0] + v[1] + v[2]; }
__device__ void changed(std::array<int, 3>& v) { v[2] = 50; std::get<1>(v) += 7; }
template <class T, std::size_t N> __device__ T total(const std::array<T, N>& v) { T s{}; for (auto x : v) s += x; return s; }
template <int N> __device__ int length(int (&v)[N]) { return N * 10 + v[0]; }
template <std::size_t... I> __device__ int picked(const int* p, std::index_sequence<I...>) { return ((p[I] * int(I + 1)) + ...); }
template <class T, T... I> __device__ T summed(std::integer_sequence<T, I...>) { return (I + ... + 0); }
__device__ std::pair<int, float> best(std::pair<int, float> a, std::pair<int, float> b) { return a.second > b.second ? a : b; }
__device__ std::tuple<int, float, int> split(int x) { return std::make_tuple(x / 3, x * 0.25f, x % 3); }
__device__ std::optional<int> even(int x) { if (x % 2 == 0) return x / 2; return {}; }
template <class F, class T> __device__ auto called(F&& f, T&& x) { return std::forward<F>(f)(std::forward<T>(x)); }
template <class T> __device__ std::remove_reference_t<T> copied(T&& x) { std::decay_t<T> y = x; y += 1; return y; }
struct Holder { std::array<int, 2> pair; float f[2]; int last; };
__global__ void standard_library(const int* in, int* out) {
  int i = threadIdx.x, x = in[i], *o = out + 40 * i;
  std::array<int, 3> v{x, 2, 3};
  o[0] = spoiled(v) + v[0]; changed(v); o[1] = total(v); o[2] = v[1] + v.back() + v.front() + int(v.size());
  std::array<int, 4> w; w.fill(x); w[i & 3] = 9; o[3] = total(w); for (auto& e : w) e += 1; o[4] = total(w);
  auto [a, b, c] = v; auto& [p, q, r] = v; p = 4; o[5] = a + 2 * b + 3 * c + v[0] + q + r;
  std::array<float, 5> zeros = {1.5f}; o[6] = int(total(zeros) * 2);
  Holder h = {1, 2, 3.5f, 4.5f, x}; o[7] = h.pair[0] + h.pair[1] * 10 + int(h.f[0] + h.f[1]) * 100 + h.last * 1000;
  auto m = best(std::pair<int, float>{x, 1.0f}, std::make_pair(3, float(x))); o[8] = m.first; o[9] = int(m.second * 4);
  std::pair<int, float> n{x, 2.5f}; n.first += 2; std::get<1>(n) *= 2; o[10] = n.first + int(n.second);
  auto t = split(x); std::get<0>(t) += 5; o[11] = std::get<0>(t) + std::get<2>(t); o[12] = int(std::get<1>(t) * 8);
  int d = 0, e = 0; float f = 0; std::tie(d, f, e) = split(x + 1); o[13] = d * 100 + e; o[14] = int(f * 4);
  std::tie(d, std::ignore, e) = split(x + 7); o[15] = d - e;
  int g[5] = {1, 2, 3, 4, x}; o[16] = picked(g, std::make_index_sequence<5>{}) + summed(std::integer_sequence<int, 4, 5>{}); o[17] = length(g);
  auto y = even(x); o[18] = y ? *y : -5; o[19] = y.value_or(31); o[20] = y.has_value();
  o[21] = called([=](int z) { return z * x + 1; }, 3); o[22] = copied(x) + copied(2.5f);
  o[23] = doubler<int>::of(x) + int(doubler<float>::of(1.5f)) + int(doubler<double>::of(7.0));
  o[24] = sign(x) + 10 * sign(3u) + 100 * sign(0u); o[25] = tagged(x, std::is_same<int, int>{}) + tagged(x, is_real<int>());
  o[26] = width_v<double> + width_v<short> + width_v<int*>; o[27] = same<int, int>::value * 10 + same<int, float>::value;
  o[28] = std::numeric_limits<int>::digits + std::numeric_limits<float>::digits10 + std::numeric_limits<unsigned char>::max();
  if constexpr (std::is_same_v<std::conditional_t<(sizeof(long) > 4), float, int>, float>) o[29] = 1; else o[29] = 2;
  std::swap(v[0], v[2]); o[30] = v[0] * 2 + v[2]; auto u = std::move(v); u[1] = 1; o[31] = v[1] + u[1];
}
