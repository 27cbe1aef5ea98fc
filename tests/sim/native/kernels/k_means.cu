// Nearest centres and sums per centre: structs of arrays, a float minimum with its index, atomics on integers.
struct Points { const float *x, *y; int count; };
__global__ void k_means(const float *x, const float *y, const float2 *centres, int *nearest, float *distance, int *sums, int n, int k) {
    __shared__ float2 centre[16];
    Points points = {x, y, n};
    if (threadIdx.x < k) centre[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points.count) return;
    float best = 3.402823466e+38f;
    int which = -1;
    for (int c = 0; c < k; c++) {
        float dx = points.x[i] - centre[c].x, dy = points.y[i] - centre[c].y, d = dx * dx + dy * dy;
        if (d < best) best = d, which = c;
    }
    nearest[i] = which;
    distance[i] = sqrtf(best);
    atomicAdd(&sums[3 * which], 1);
    atomicAdd(&sums[3 * which + 1], (int)(points.x[i] * 1024.0f));
    atomicAdd(&sums[3 * which + 2], __float2int_rn(points.y[i] * 1024.0f));
}
