// Open addressing with compare-and-swap of keys; 16-bit and 64-bit keys, counts by atomics; order does not matter.
__device__ unsigned mixed(unsigned h) {
    h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
    return h;
}
__global__ void hash_table(const unsigned *keys, unsigned *table, unsigned *counts, int *found, int n, int size) {
    __shared__ unsigned local[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) local[i] = ~0u;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i], at = mixed(key) & 63;
        while (true) {
            unsigned seen = atomicCAS(&local[at], ~0u, key);
            if (seen == ~0u || seen == key) break;
            at = (at + 1) & 63;
        }
        atomicAdd(&counts[key % size], 1u);
    }
    __syncthreads();
    if (i < n) {
        unsigned at = mixed(keys[i]) & 63, probes = 0;
        while (local[at] != keys[i] && local[at] != ~0u && probes++ < 64) at = (at + 1) & 63;
        found[i] = local[at] == keys[i];
        if (found[i]) atomicMax(&table[keys[i] % size], keys[i]);
    }
}
