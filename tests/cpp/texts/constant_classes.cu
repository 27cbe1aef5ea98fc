// Written for these tests; each line is a declaration.
enum Color { RED = 1, GREEN = 4, BLUE };
enum class Level : unsigned char { LOW = 250, HIGH = 255 };
struct Sum { int total = 0; int count = 0; __device__ constexpr Sum &add(int x) { total += x; ++count; return *this; } __device__ constexpr int operator()(int k) const { return total * k + count; } __device__ constexpr Sum &operator+=(const Sum &o) { total += o.total; count += o.count; return *this; } __device__ constexpr bool operator==(const Sum &o) const { return total == o.total && count == o.count; } __device__ constexpr Sum operator-() const { return {-total, count}; } __device__ constexpr Sum &operator++() { total++; return *this; } __device__ constexpr Sum operator++(int) { Sum old = *this; ++*this; return old; } __device__ constexpr operator bool() const { return total != 0; } };
struct Side { int w; __device__ constexpr explicit Side(int w) : w(w) {} __device__ constexpr int area() const { return w * w; } __device__ constexpr int twice() { w *= 2; return w; } };
struct Square : Side { int h = 1; static constexpr int sides = 4; __device__ constexpr Square(int w) : Side(w + 1), h(w) {} __device__ constexpr Square() : Square(2) {} __device__ constexpr int area() const { return Side::area() + h; } };
template <class T, int N> struct Fixed { T data[N]; __device__ constexpr T &operator[](int i) { return data[i]; } __device__ constexpr const T &operator[](int i) const { return data[i]; } __device__ constexpr T *begin() { return data; } __device__ constexpr const T *begin() const { return data; } __device__ constexpr T *end() { return data + N; } __device__ constexpr const T *end() const { return data + N; } static constexpr int size() { return N; } };
struct Link { int &to; __device__ constexpr void set(int x) const { to = x; } __device__ constexpr int get() const { return to; } };
struct Nest { Fixed<int, 2> pair; Side side{3}; const char *name = "nest"; unsigned low : 3 = 5; __device__ constexpr int all() const { return pair[0] + pair[1] + side.area() + name[1] + int(low); } };
struct Copied { int n = 1; constexpr Copied() = default; __device__ constexpr Copied(int n) : n(n) {} __device__ constexpr Copied(const Copied &o) : n(o.n + 1) {} __device__ constexpr Copied &operator=(const Copied &o) { n = o.n * 10; return *this; } };
__device__ constexpr void exchange(int &a, int &b) { int c = a; a = b; b = c; }
template <class T> __device__ constexpr const T &larger(const T &a, const T &b) { return a < b ? b : a; }
__device__ constexpr int *largest(int *first, int *last) { int *best = first; for (; first != last; ++first) if (*first > *best) best = first; return best; }
__device__ constexpr int &at(int *p, int i) { return p[i]; }
__device__ constexpr int length(const char *s) { int n = 0; while (*s++) ++n; return n; }
template <class F> __device__ constexpr int apply(F f, int x) { return f(x); }
template <class F> __device__ constexpr void each(int *first, int *last, F &&f) { while (first < last) f(*first++); }
template <class... T> __device__ constexpr int added(T... x) { return (x + ... + 0); }
__device__ constexpr int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__device__ constexpr unsigned hash(const char *s) { unsigned h = 2166136261u; for (; *s; ++s) { h ^= static_cast<unsigned char>(*s); h *= 16777619u; } return h; }
template <class T> __device__ constexpr auto squared(T x) { if constexpr (sizeof(T) > 4) return x * x + 1; else return x * x; }
__device__ constexpr int where(int x) { return __builtin_is_constant_evaluated() ? x + 1 : x - 1; }
__device__ consteval int now(int x) { return x * 2; }
constexpr int primes[] = {2, 3, 5, 7, 11};
constexpr Square unit{1};
constexpr Fixed<int, 3> triple{{4, 5, 6}};
constexpr const char *greeting = "hello";
constexpr const int &third = primes[2];
