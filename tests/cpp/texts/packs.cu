// Written for these tests; each line is a declaration and, behind `//`, a use of it.
template <class... T> __device__ int fold(T... x) { return int((x + ... + 1)); }  // fold(%s)
template <class... T> __device__ int fold(T... x) { return int((0 + ... + (x * 2))); }  // fold(%s)
template <class... T> __device__ int fold(T... x) { return (... && (x > 1)); }  // fold(%s)
template <class... T> __device__ int fold(T... x) { int s = 0; ((s = s * 3 + int(x)), ...); return s; }  // fold(%s)
template <class T> __device__ int fold(T x) { return int(x); } template <class T, class... R> __device__ int fold(T x, R... r) { return int(x) + 2 * fold(r...); }  // fold(%s)
template <class... T> __device__ int fold(T... x) { int a[] = {int(x)..., 7}; return a[0] * 10 + int(sizeof(a)); }  // fold(%s)
template <class... T> __device__ int fold(T... x) { auto f = [=](auto... y) { return int((y - ... - 1)); }; return f(x...); }  // fold(%s)
template <int... N> struct Numbers { static constexpr int count = sizeof...(N), sum = (N + ... + 0); };  // Numbers<%s>::sum * 10 + Numbers<%s>::count
template <int... N> struct Numbers {}; template <int... N> __device__ int last(Numbers<N...>) { int r = 0; ((r = N), ...); return r; }  // last(Numbers<%s>{})
template <class T, T... N> struct Sequence { static __device__ int at(int i) { T all[] = {N...}; return int(all[i]); } };  // Sequence<long, %s>::at(0)
