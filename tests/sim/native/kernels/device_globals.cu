// Variables outside functions: arrays, structs, initial values, a table of constants, static ones in a function.
struct Settings { int scale; float offset; short seen; };
__device__ Settings settings = {3, 0.5f};
__device__ int visits[4] = {10, 20};
__device__ float results[64];
__device__ unsigned long long ticket = 1ull << 40;
__constant__ double weights[2][3] = {{1.0, 0.5, 0.25}, {-1.0, -0.5, -0.25}};
__constant__ char letters[] = "reduce";
__device__ __noinline__ int next(int step) {
    return atomicAdd(&visits[3], step);
}
__global__ void device_globals(const float *x, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    results[i] = (float)(x[i] * settings.scale + settings.offset * weights[i & 1][i % 3]);
    atomicAdd(&visits[i & 1], i);
    atomicAdd(&ticket, (unsigned long long)i);
    next(2);
    out[i] = letters[i % 6] + (int)sizeof(letters) + (int)(sizeof(weights) / sizeof(weights[0]));
    if (i == n - 1) { settings.seen = -7; visits[2] = n; }
}
