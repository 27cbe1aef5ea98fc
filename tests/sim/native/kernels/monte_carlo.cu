// Pi by counting, with 64-bit generators of its own: splitmix to seed, xorshift* to draw, and a multiply-with-carry.
typedef unsigned long long u64;
__device__ u64 splitmix(u64 &state) {
    u64 z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}
__global__ void monte_carlo(unsigned *inside, u64 *states, float *last, u64 seed, int draws) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 state = seed + 1000003ULL * i, x = splitmix(state) | 1, carry = splitmix(state);
    unsigned hits = 0;
    float a = 0, b = 0;
    for (int draw = 0; draw < draws; draw++) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        u64 drawn = x * 2685821657736338717ULL;
        carry = 4294957665ULL * (carry & 0xffffffffULL) + (carry >> 32);
        a = (float)(drawn >> 40) * (1.0f / 16777216.0f);
        b = (unsigned)carry * 2.3283064e-10f;
        hits += a * a + b * b < 1.0f;
    }
    inside[i] = hits;
    states[2 * i] = x;
    states[2 * i + 1] = __umul64hi(x, carry) + (u64)__mul64hi((long long)x, -(long long)carry);
    last[2 * i] = a;
    last[2 * i + 1] = b;
}
