// Atomics joined over equal keys of a warp: match, a leader by find-first-set, a reduction, a shuffle of its answer.
__global__ void match_aggregate(const unsigned char *keys, const int *weights, int *sums, unsigned *peers, int *flags, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n) return;
    unsigned active = n - (i - lane) >= 32 ? 0xffffffffu : (1u << (n - (i - lane))) - 1;
    int key = keys[i] & 7;
    unsigned same = __match_any_sync(active, key);
    int leader = __ffs(same) - 1;
    int sum = __reduce_add_sync(same, weights[i]);
    int rank = __popc(same & ((1u << lane) - 1));
    int before = 0;
    if (lane == leader) before = atomicAdd(&sums[key], sum) * 0 + key;
    before = __shfl_sync(same, before, leader);
    int agree;
    unsigned all = __match_all_sync(active, (long long)(key < 9), &agree);
    peers[i] = same ^ all;
    flags[i] = rank | before << 8 | agree << 16 | (__any_sync(active, key == 3) << 17) | (__all_sync(active, key < 8) << 18) |
               (int)(__reduce_max_sync(active, (unsigned)key) << 20) | (int)(__reduce_xor_sync(active, (unsigned)lane) << 24);
}
