// Written for these tests; each line is a declaration.
enum Plain { PLAIN_A, PLAIN_B = 7 };
enum class Scoped : unsigned char { A = 2, B = 9 };
enum Small : short { SMALL_A = 3 };
struct Base { int b = 1; };
struct Derived : Base { int d = 2; };
struct Far : Derived { int f = 3; };
struct Other { int o = 4; };
struct FromInt { int v; __device__ FromInt(int x) : v(x) {} };
struct FromDouble { double v; __device__ FromDouble(double x) : v(x) {} };
struct OnlyExplicit { int v; __device__ explicit OnlyExplicit(int x) : v(x) {} };
struct ToInt { int v = 5; __device__ operator int() const { return v; } };
struct ToPointer { __device__ operator const int *() const { return nullptr; } };
struct Pair { int first; int second; };
template <class T> struct Box { T value; };
template <class T, int N> struct Row { T items[N]; };
