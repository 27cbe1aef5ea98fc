// Exclusive prefix sums of a block: Blelloch's tree with padded shared memory (Harris, GPU Gems 3, chapter 39).
#define PAD(i) ((i) + ((i) >> 5))
__global__ void scan_block(const unsigned *input, unsigned *output, unsigned *sums) {
    extern __shared__ unsigned tree[];
    const int n = 2 * blockDim.x, t = threadIdx.x;
    const unsigned *from = input + blockIdx.x * n;
    tree[PAD(t)] = from[t];
    tree[PAD(t + n / 2)] = from[t + n / 2];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            tree[PAD(b)] += tree[PAD(a)];
        }
        offset *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = tree[PAD(n - 1)];
        tree[PAD(n - 1)] = 0;
    }
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            unsigned kept = tree[PAD(a)];
            tree[PAD(a)] = tree[PAD(b)];
            tree[PAD(b)] += kept;
        }
    }
    __syncthreads();
    output[blockIdx.x * n + t] = tree[PAD(t)];
    output[blockIdx.x * n + t + n / 2] = tree[PAD(t + n / 2)];
}
