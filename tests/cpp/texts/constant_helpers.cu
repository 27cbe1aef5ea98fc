// Written for these tests; each line is a declaration.
template <long long N> struct Value { static constexpr long long value = N; };
template <long long N> __device__ int chosen() { if constexpr (N == 0) return 10; else if constexpr (N == 1) return 20; else return 30; }
struct Point { int x = 2; int y = 3; constexpr Point() = default; __device__ constexpr Point(int a, int b) : x(a), y(b) {}   __device__ constexpr int sum() const { return x + 2 * y; } __device__ constexpr Point operator+(Point o) const { return {x + o.x, y + o.y}; }   __device__ constexpr void move(int by) { x += by; y -= by; } };
struct Table { int items[6] = {}; __device__ constexpr int &operator[](int i) { return items[i]; } __device__ constexpr int operator[](int i) const { return items[i]; } };
template <long long N> struct Bytes { char bytes[N > 0 && N < 1000 ? N : 3]; };
