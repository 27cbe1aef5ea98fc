// Bitonic sort of keys with values, in shared memory; equal keys are told apart by their values.
__device__ __forceinline__ void exchange(short &a, short &b, unsigned &x, unsigned &y, bool up) {
    bool larger = a > b || (a == b && x > y);
    if (larger == up) {
        short key = a; a = b; b = key;
        unsigned value = x; x = y; y = value;
    }
}
__global__ void bitonic_sort(short *keys, unsigned *values) {
    __shared__ short key[128];
    __shared__ unsigned value[128];
    const int first = blockIdx.x * 128, t = threadIdx.x;
    for (int i = t; i < 128; i += blockDim.x) { key[i] = keys[first + i]; value[i] = values[first + i]; }
    for (int size = 2; size <= 128; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            exchange(key[at], key[at + stride], value[at], value[at + stride], (at & size) == 0);
        }
    __syncthreads();
    for (int i = t; i < 128; i += blockDim.x) { keys[first + i] = key[i]; values[first + i] = value[i]; }
}
