// Range-based loops over arrays, members, braces, pointers from begin() and end(), and iterators of classes.
template <class T, int N> struct Array {
    T data[N];
    __device__ T *begin() { return data; }
    __device__ T *end() { return data + N; }
    __device__ const T *begin() const { return data; }
    __device__ const T *end() const { return data + N; }
};
struct Steps {
    struct Iterator {
        int at, step;
        __device__ int operator*() const { return at; }
        __device__ Iterator &operator++() { at += step; return *this; }
        __device__ bool operator!=(const Iterator &other) const { return at < other.at; }
    };
    int from, to, step;
    __device__ Iterator begin() const { return {from, step}; }
    __device__ Iterator end() const { return Iterator{to, step}; }
};
__device__ Steps grid_stride(int n) {
    return {(int)(blockIdx.x * blockDim.x + threadIdx.x), n, (int)(gridDim.x * blockDim.x)};
}
__global__ void range_loops(const int *in, int *out, int n) {
    for (int i : grid_stride(n)) {
        Array<int, 5> v;
        int k = 0;
        for (auto &x : v) x = in[i] + k++;
        for (int x : v.data) k += x;
        const Array<int, 5> &same = v;
        for (const int &x : same) {
            if (x % 7 == 0) continue;
            if (x % 11 == 0) break;
            k ^= x;
        }
        for (int x : {3, 1, in[i] & 3}) k = k * 3 + x;
        out[i] = k;
    }
}
