// Written for this comparison; see `snippets.py`.
//// pointer local
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
//// body
  int (*p)(int) = f;
  if (in[t] > 5) p = g;
  int v = p(t);

//// pointer known
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
//// body
  int (*p)(int) = f, (*q)(int) = &g;
  int v = (*p)(n) + q(3);

//// pointer parameter
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
__device__ int twice(int (*p)(int), int x) { return p(p(x)); }
//// body
  int v = in[t] & 1 ? twice(f, t) : twice(g, t);

//// pointer parameter chosen
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
__device__ int twice(int (*p)(int), int x) { return p(p(x)); }
//// body
  int v = twice(in[t] & 1 ? f : g, t);

//// pointer member
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
struct Step { int (*run)(int); int x; };
//// body
  Step s[2] = {{f, 3}, {g, 4}};
  Step &chosen = s[in[t] & 1];
  int v = chosen.run(chosen.x);

//// pointer in shared memory
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
//// body
  __shared__ int (*p[64])(int);
  p[t] = t % 3 ? f : g;
  __syncthreads();
  int v = p[63 - t](t);

//// pointer in an array that is written
typedef int (*F)(int);
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
//// body
  F table[3] = {f, g, f};
  table[2] = in[0] ? f : g;
  int v = table[t % 3](t);

//// pointer of device memory
typedef int (*F)(int);
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
__device__ F first = f; __device__ F both[2] = {g, &f};
//// body
  int v = first(1) + both[t & 1](t);

//// pointer compared
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
//// body
  int (*p)(int) = in[t] > 5 ? g : nullptr;
  int v = p == g ? 7 : p ? 8 : 1;

//// pointer returned by alias
using F = int (*)(int);
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
__device__ F pick(int i) { return i & 1 ? f : g; }
//// body
  F p = pick(in[t]);
  int v = p(t);

//// pointer returns reference
struct P { int a, b; };
__device__ int &first(P &p) { return p.a; } __device__ int &second(P &p) { return p.b; }
//// body
  int &(*which)(P &) = in[t] & 1 ? first : second;
  P p{1, 2};
  which(p) = 9;
  int v = p.a;

//// pointer returns object
struct P { int a; double b; };
__device__ P one(int x) { return {x, 2.5}; } __device__ P other(int x) { return {2 * x, 0.5}; }
//// body
  P (*make)(int) = in[t] & 1 ? one : other;
  P p = make(t);
  int v = p.a + (int)(2 * p.b);

//// pointer void
__device__ void up(int *x) { *x += 3; } __device__ void down(int *x) { *x -= 3; }
//// body
  void (*p)(int *) = t & 2 ? up : down;
  int v = 4;
  p(&v);

//// pointer converts arguments
__device__ int f(double x) { return (int)(x * 2); } __device__ int g(double x) { return (int)x; }
//// body
  int (*p)(double) = t & 2 ? f : g;
  int v = p(t);

//// pointer to static method
struct A { static __device__ int f(int x) { return x + 1; } }; struct B { static __device__ int f(int x) { return 2 * x; } };
//// body
  int (*p)(int) = in[t] & 1 ? A::f : &B::f;
  int v = p(t);

//// pointer of a namespace
namespace one { __device__ int f(int x) { return x + 1; } } namespace two { __device__ int f(int x) { return 2 * x; } }
//// body
  int (*p)(int) = in[t] & 1 ? one::f : two::f;
  int v = p(t);

//// pointer to a recursion
__device__ int f(int x) { return x < 2 ? 1 : x * f(x - 1); } __device__ int g(int x) { return x; }
//// body
  int (*p)(int) = in[t] & 1 ? f : g;
  int v = p(n);

//// pointer walks states
struct Machine; typedef int (*State)(int);
__device__ int odd(int x) { return 3 * x + 1; } __device__ int even(int x) { return x / 2; }
//// body
  int v = t + 1, rounds = 0;
  State state = v & 1 ? odd : even;
  while (v != 1 && rounds < 9) { v = state(v); state = v & 1 ? odd : even; ++rounds; }

//// pointer template
template <class F> __device__ int apply(F f, int x) { return f(x); }
__device__ int f(int x) { return x + 1; } __device__ int g(int x) { return x * 2; }
//// body
  int (*p)(int) = in[t] & 1 ? f : g;
  int v = apply(p, t) + apply(f, 2);

//// pointer of other types beside
__device__ int f(int x) { return x + 1; } __device__ int g(unsigned x) { return x * 2; } __device__ int h(int x) { return 5; }
//// body
  int (*p)(int) = in[t] & 1 ? f : h;
  int (*q)(unsigned x) = g;
  int v = p(t) + q(2u);

//// pointer to a lambda
__device__ int f(int x) { return x + 1; }
//// body
  int (*p)(int) = [](int x) { return x * 3; };
  int (*q)(int) = in[t] & 1 ? p : f;
  int v = p(t) + 2 * q(t);

//// pointer to one of several
__device__ int f(int x) { return x + 1; } __device__ int f(float x) { return (int)(2 * x); }
__device__ int by(int (*p)(float), int x) { return p(x); }
struct Step { int (*run)(int); };
//// body
  int (*p)(int) = f;
  int (*q)(float) = &f;
  Step s{f};
  if (in[t] & 1) s.run = f;
  int v = p(t) + 2 * q(t) + by(f, t) + s.run(1);
