// Sum of a block in shared memory: a loop that loads, a tree, the last warp without barriers but with __syncwarp.
__global__ void reduce_shared(const int *input, int *sums, long long *total, int n) {
    __shared__ int part[256];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += input[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 32; half >>= 1) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        volatile int *mine = part + threadIdx.x;
        for (int step = 32; step > 0; step >>= 1) {
            int other = mine[step];
            __syncwarp();
            mine[0] = mine[0] + other;
            __syncwarp();
        }
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
        atomicAdd((unsigned long long *)total, (unsigned long long)(long long)part[0]);
    }
}
