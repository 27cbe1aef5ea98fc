// Stream compaction: ballots give places within a warp, shared counters those of warps, one atomic that of the block.
__global__ void ballot_compact(const int *input, int *output, int *counts, int n) {
    __shared__ int warps[33];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool keeps = i < n && input[i] % 3 != 0;
    unsigned mask = __ballot_sync(0xffffffffu, keeps);
    int place = __popc(mask & ((1u << lane) - 1));
    if (lane == 0) warps[warp + 1] = __popc(mask);
    if (threadIdx.x == 0) warps[0] = 0;
    int kept = __syncthreads_count(keeps);
    if (threadIdx.x == 0)
        for (int w = 0; w < blockDim.x / 32; w++) warps[w + 1] += warps[w];
    __syncthreads();
    if (keeps) output[blockIdx.x * blockDim.x + warps[warp] + place] = input[i];
    int any = __syncthreads_or(keeps && input[i] == 7), all = __syncthreads_and(!keeps || input[i] > -1000);
    if (threadIdx.x == 0) counts[blockIdx.x] = kept + 10000 * any + 20000 * all;
}
