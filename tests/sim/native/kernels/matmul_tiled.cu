// Matrix product by tiles; the sum is fused in one output and rounded twice in the other.
template <int TILE> struct Tile {
    float value[TILE][TILE];
    __device__ float &at(int row, int column) { return value[row][column]; }
};
__global__ void __launch_bounds__(64) matmul_tiled(const float *a, const float *b, float *fused, float *split, int n) {
    __shared__ Tile<8> left, right;
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float once = 0.0f, twice = 0.0f;
    for (int tile = 0; tile < (n + 7) / 8; ++tile) {
        int k = tile * 8 + threadIdx.x, l = tile * 8 + threadIdx.y;
        left.at(threadIdx.y, threadIdx.x) = row < n && k < n ? a[row * n + k] : 0.0f;
        right.at(threadIdx.y, threadIdx.x) = l < n && column < n ? b[l * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            once = fmaf(left.at(threadIdx.y, i), right.at(i, threadIdx.x), once);
            twice += left.at(threadIdx.y, i) * right.at(i, threadIdx.x);
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        fused[row * n + column] = once;
        split[row * n + column] = twice;
    }
}
