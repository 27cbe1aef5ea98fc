// Parameter packs: folds of all kinds, recursion, packs of values, bases and members, lambdas that take any number.
template <typename T> __device__ T sum_all(T x) { return x; }
template <typename T, typename... Args> __device__ T sum_all(T first, Args... args) { return first + sum_all(args...); }
template <typename... Args> __device__ auto folded(Args... args) { return (args + ... + 100) + (... + args); }
template <typename... Args> __device__ auto minus(Args... args) { return (args - ...); }
template <typename... Args> __device__ auto minusl(Args... args) { return (... - args); }
template <typename... Args> __device__ auto minusb(int i, Args... args) { return (i - ... - args); }
template <typename... Args> __device__ auto minusr(int i, Args... args) { return (args - ... - i); }
template <typename... Args> __device__ bool all(Args... args) { return (... && args); }
template <int... I> struct seq {};
template <class T, int... I> __device__ int gather(T* t, seq<I...>) { int v[] = {t[I]...}; ((t[I] = I * 2), ...); return (t[I] + ...) + v[0] + sizeof...(I); }
template <int... I> __device__ int consts() { return (I * ...); }
struct Acc { int v; template <class... A> __device__ void add(A... a) { ((v += a), ...); } };
template <class F, class... A> __device__ auto apply(F f, A... a) { return f(a...); }
template <class... T> struct Tuple;
template <> struct Tuple<> {};
template <class H, class... T> struct Tuple<H, T...> { H head; Tuple<T...> tail; __device__ Tuple(H h, T... t) : head(h), tail(t...) {} };
template <int N, class H, class... T> __device__ auto& get(Tuple<H, T...>& t) { if constexpr (N == 0) return t.head; else return get<N - 1>(t.tail); }
template <class... T> __device__ int count(const Tuple<T...>&) { return sizeof...(T); }
struct A1 { int a; }; struct B1 { int b; };
template <class... Bs> struct Many : Bs... { int m; };
__global__ void parameter_packs(const int* in, int* out) {
  int i = threadIdx.x, *o = out + 20 * i, x = in[i];
  o[0] = sum_all(x, 2, 3, 4); o[1] = folded(1, x, 3); o[2] = minus(10, x, 2); o[3] = minusl(10, 3, 2); o[4] = minusb(10, 3, 2); o[5] = minusr(10, 3, 2);
  o[6] = all(true, o[0] > 0, o[1] > 1000); o[7] = all(true, o[0] == 10);
  int t[4] = {5, 6, 7, 8}; o[8] = gather(t, seq<0, 2, 3>()); o[9] = t[3]; o[10] = consts<2, 3, 4>();
  Acc a{1}; a.add(2, x, 4); o[11] = a.v; o[12] = apply([](int x, int y) { return x * y; }, 6, 7);
  o[13] = all();
  Tuple<int, float, int> tup(1, 2.5f, x); o[14] = get<2>(tup); get<0>(tup) = 9; o[15] = tup.head + get<1>(tup) * 2; o[16] = count(tup);
  Many<A1, B1> m; m.a = 3; m.b = 4; m.m = 5; o[17] = m.a * 100 + m.b * 10 + m.m;
  auto g = [](auto... xs) { return (xs + ...); }; o[18] = g(1, 2, 3);
}
