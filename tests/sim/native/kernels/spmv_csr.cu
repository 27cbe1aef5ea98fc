// A sparse matrix in rows, one warp per row: each lane sums a part, shuffles join them.
__global__ void spmv_csr(const int *__restrict__ starts, const int *__restrict__ columns, const float *__restrict__ values,
                         const float *__restrict__ x, float *__restrict__ y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * __ldg(x + columns[i]);
    for (int bits = 16; bits; bits /= 2) sum += __shfl_xor_sync(0xffffffff, sum, bits);
    if (lane == 0) y[row] = sum;
}
