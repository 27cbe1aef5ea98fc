// Written for these tests; each line is a class template and its guides.
template <class T> struct G { T v; __device__ G(T x) : v(x) {} };
template <class T> struct G { T v; };
template <class T, class U = long> struct G { T v; U w; };
template <class T> struct G { T v; __device__ G(T *x) : v(*x) {} __device__ G(T x, int) : v(x) {} };
template <class T> struct G { T v; __device__ G(const T &x) : v(x) {} }; template <class T> G(T *) -> G<T *>;
template <class T> struct G { T v; }; template <class T> G(T) -> G<T>; G(char) -> G<int>;
template <class T, int N> struct G { T v[N]; }; template <class T, class... U> G(T, U...) -> G<T, 1 + int(sizeof...(U))>;
