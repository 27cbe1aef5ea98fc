// Histogram of bytes: counters in shared memory, merged with global atomics; four bytes per load.
__global__ void histogram(const unsigned char *data, unsigned *counts, int *least, int *most, int n) {
    __shared__ unsigned local[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
    __syncthreads();
    const uchar4 *quads = reinterpret_cast<const uchar4 *>(data);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        uchar4 q = quads[i];
        atomicAdd(&local[q.x], 1u);
        atomicAdd(&local[q.y], 1u);
        atomicAdd(local + q.z, 1u);
        atomicInc(local + q.w, 0xffffffffu);
        atomicMin(least, (int)q.x - (int)q.y);
        atomicMax(most, q.x - q.y);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        if (local[bin]) atomicAdd(&counts[bin], local[bin]);
}
