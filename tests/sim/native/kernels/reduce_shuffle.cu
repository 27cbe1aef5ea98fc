// Minimum, maximum and sum of a block by shuffles; warps that are not full; one template for three operators.
struct Sum { __device__ float operator()(float a, float b) const { return a + b; } };
struct Least { __device__ float operator()(float a, float b) const { return fminf(a, b); } };
struct Most { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };

template <typename Operator> __device__ float across_warp(float value, unsigned mask, int count, Operator join) {
    for (int step = 16; step > 0; step >>= 1) {
        float other = __shfl_down_sync(mask, value, step);
        if ((threadIdx.x & 31) + step < count) value = join(value, other);
    }
    return value;
}

template <typename Operator> __device__ float across_block(float value, float *scratch, Operator join) {
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, warps = (blockDim.x + 31) / 32;
    int here = min(32, (int)blockDim.x - warp * 32);
    unsigned mask = here == 32 ? 0xffffffffu : (1u << here) - 1;
    value = across_warp(value, mask, here, join);
    __syncthreads();
    if (lane == 0) scratch[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < warps ? scratch[lane] : scratch[0];
        value = across_warp(value, mask, warps, join);
    }
    return value;
}

__global__ void reduce_shuffle(const float *x, float *out, int n) {
    __shared__ float scratch[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? x[i] : x[0];
    float sum = across_block(i < n ? mine : 0.0f, scratch, Sum());
    float least = across_block(mine, scratch, Least());
    float most = across_block(mine, scratch, Most());
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = sum;
        out[3 * blockIdx.x + 1] = least;
        out[3 * blockIdx.x + 2] = most;
    }
}
