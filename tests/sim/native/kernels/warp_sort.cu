// Sorting 32 numbers by shuffles, a prefix sum in segments, a broadcast of structs by parts; old width parameters.
__global__ void warp_sort(const long long *input, long long *sorted, int *segments, double *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    long long mine = input[i];
    for (int size = 2; size <= 32; size <<= 1)
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            long long other = __shfl_xor_sync(~0u, mine, stride);
            bool up = ((lane & size) == 0) == ((lane & stride) == 0);
            mine = up ? (mine < other ? mine : other) : (mine < other ? other : mine);
        }
    sorted[i] = mine;
    unsigned heads = __ballot_sync(~0u, lane == 0 || (input[i] & 7) == 0);
    int head = 31 - __clz(heads & (0xffffffffu >> (31 - lane))), value = (int)(input[i] & 15), sum = value;
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(~0u, sum, step);
        if (lane - step >= head) sum += other;
    }
    segments[i] = sum + 1000 * __shfl_sync(~0u, value, 3, 8) + 100000 * __shfl_down_sync(~0u, value, 2, 4);
    double d = (double)mine / 3.0;
    for (int bits = 1; bits < 16; bits <<= 1) d += __shfl_xor_sync(~0u, d, bits, 16);
    sums[i] = d;
}
