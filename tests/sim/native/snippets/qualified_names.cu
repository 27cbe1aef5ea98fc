// Written for this comparison; see `snippets.py`.
//// two namespaces
namespace a { __device__ int c = 1; } namespace b { __device__ int c = 2; }
//// body
  a::c = 110;
  int v = b::c * 100 + a::c;

//// namespace and global
__device__ int c = 5; namespace a { __device__ int c = 7; __device__ int f() { return c; } }
//// body
  a::c = 11; c = 12;
  int v = a::f() * 10 + c;

//// nested namespaces
namespace a { __device__ int c = 1; namespace b { __device__ int c = 2; __device__ int f() { return a::c * 10 + c; } } }
//// body
  a::b::c = 8;
  int v = a::b::f();

//// tables of two namespaces
namespace a { __device__ int t[3] = {1, 2, 3}; } namespace b { __device__ int t[3] = {4, 5, 6}; }
//// body
  int v = a::t[t % 3] * 10 + b::t[2];

//// through a using declaration
namespace a { __device__ int c = 1; } namespace b { __device__ int c = 2; } using a::c;
//// body
  int v = c;

//// through a using directive
namespace a { __device__ int c = 4; } using namespace a;
//// body
  c = 11;
  int v = a::c;

//// namespace without a name
namespace { __device__ int c = 4; } namespace a { __device__ int c = 9; }
//// body
  c = 11;
  int v = c * 10 + a::c;

//// inline namespace
namespace a { inline namespace v1 { __device__ int c = 4; } }
//// body
  a::c = 11;
  int v = a::v1::c;

//// extern before the definition
namespace a { extern __device__ int c; __device__ int f() { return c; } } namespace a { __device__ int c = 4; }
//// body
  int v = a::f();

//// static members of two classes
struct S { static inline __device__ int k = 3; }; struct T { static inline __device__ int k = 4; };
//// body
  S::k = 11;
  int v = S::k * 10 + T::k;

//// static members of two instances
template <class T> struct S { static inline __device__ int k = sizeof(T); };
//// body
  S<int>::k = 11;
  int v = S<int>::k * 10 + S<double>::k;

//// defined outside of the namespace
namespace a { extern __device__ int c; __device__ int f() { return c; } } __device__ int a::c = 4;
//// body
  int v = a::f();

//// static member defined outside
struct S { static __device__ int k, t[2]; static __device__ int f() { return k + t[1]; } };
__device__ int S::k = 3; __device__ int S::t[2] = {4, 5};
//// body
  int v = S::f();

//// static members of classes of one name
namespace a { struct S { static __device__ int k; }; __device__ int S::k = 3; }
namespace b { struct S { static __device__ int k; }; __device__ int S::k = 4; }
//// body
  int v = a::S::k * 10 + b::S::k;

//// static member beside a variable
struct S { static __device__ int k; }; __device__ int S::k = 3; __device__ int k2 = 4;
//// body
  int v = S::k * 10 + k2;

//// methods of classes of one name
namespace a { struct S { __device__ int f() const; }; __device__ int S::f() const { return 1; } }
namespace b { struct S { __device__ int f() const; }; __device__ int S::f() const { return threadIdx.x; } }
//// body
  a::S s; b::S q;
  int v = s.f() * 100 + q.f();

//// methods defined in the namespace around
namespace a { namespace b { struct S { __device__ int f() const; }; } __device__ int b::S::f() const { return 7; } }
//// body
  a::b::S s;
  int v = s.f();

//// methods defined outside of all namespaces
namespace a { struct S { __device__ int f() const; }; } struct S { __device__ int f() const; };
__device__ int a::S::f() const { return 7; } __device__ int S::f() const { return threadIdx.x; }
//// body
  a::S s; S q;
  int v = s.f() * 100 + q.f();
