// Written for these tests; each line is an overload, %d its number.
template <class T> __device__ int f(T) { return %d * 10000 + Id<T>::value; }
template <class T> __device__ int f(T &) { return %d * 10000 + Id<T>::value; }
template <class T> __device__ int f(const T &) { return %d * 10000 + Id<T>::value; }
template <class T> __device__ int f(T &&) { return %d * 10000 + Id<T>::value; }
template <class T> __device__ int f(T *) { return %d * 10000 + Id<T>::value; }
template <class T> __device__ int f(const T *) { return %d * 10000 + Id<T>::value; }
template <class T, int N> __device__ int f(T (&)[N]) { return %d * 10000 + Id<T>::value * 10 + N; }
template <class T> __device__ int f(Box<T>) { return %d * 10000 + Id<T>::value; }
template <class T> __device__ int f(const Box<T> &) { return %d * 10000 + Id<T>::value; }
template <class T, int N> __device__ int f(Row<T, N>) { return %d * 10000 + Id<T>::value * 10 + N; }
template <int N> __device__ int f(Row<int, N> &) { return %d * 10000 + N; }
template <template <class> class C, class T> __device__ int f(C<T>) { return %d * 10000 + Id<C<T>>::value; }
template <class... T> __device__ int f(T...) { return %d * 10000 + int(sizeof...(T)); }
template <class T, class... R> __device__ int f(T, R...) { return %d * 10000 + Id<T>::value * 10 + int(sizeof...(R)); }
template <class T = short> __device__ int f(int = 3) { return %d * 10000 + Id<T>::value; }
template <class T, class U = T> __device__ int f(T, U = U()) { return %d * 10000 + Id<U>::value; }
template <Number T> __device__ int f(T) { return %d * 10000 + Id<T>::value; }
template <class T> requires BigNumber<T> __device__ int f(T) { return %d * 10000 + Id<T>::value; }
template <class T> requires (sizeof(T) > 4) __device__ int f(T) { return %d * 10000 + Id<T>::value; }
template <HasB T> __device__ int f(const T &) { return %d * 10000 + Id<T>::value; }
__device__ int f(HasB auto x) { return %d * 10000 + Id<decltype(x)>::value; }
template <class T> __device__ typename EnableIf<IsNumber<T>::value, int>::type f(T) { return %d * 10000; }
template <class T, typename EnableIf<!IsNumber<T>::value, int>::type = 0> __device__ int f(T) { return %d * 10000; }
template <class T> __device__ auto f(T x) -> decltype(x.b) { return %d * 10000 + x.b; }
template <class T> __device__ int f(T, T) { return %d * 10000 + Id<T>::value; }
template <class T> __device__ int f(T, int) { return %d * 10000 + Id<T>::value; }
template <class T, class U> __device__ int f(T, U) { return %d * 10000 + Id<T>::value + Id<U>::value; }
__device__ int f(int) { return %d * 10000; }
__device__ int f(double) { return %d * 10000; }
__device__ int f(const Base &) { return %d * 10000; }
__device__ int f(const void *) { return %d * 10000; }
__device__ int f(...) { return %d * 10000; }
