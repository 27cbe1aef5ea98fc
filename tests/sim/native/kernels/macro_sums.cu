// Sums and products of parenthesised names, which look like casts of signed values.
#define AT(i, j, k) ((i) + nx * ((j) + ny * (k)))
#define SUB(a, b) (a) - (b) * 2
template <int N> __device__ int scaled(int x) { return (N) - x * (N) + (x) * N + ((N) & x); }
__global__ void macro_sums(const int* in, int* out, int nx, int ny, int nz) {
    int i = threadIdx.x, j = threadIdx.y;
    for (int k = 0; k < nz; ++k) {
        int left = (i) > 0 ? in[AT(i - 1, j, k)] : 0;
        int value = (left) + in[AT(i, j, k)] * 3 - (k) * (j) - -(i) + (int)-1 + (unsigned)+2;
        out[AT(i, j, k)] = (value) * 2 + scaled<5>(value) - SUB(left, k);
    }
}
