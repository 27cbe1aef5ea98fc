// Output from threads: formats of all kinds, characters and strings, nothing from most lanes.
__global__ void device_printf(const float *x, const long long *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 5 == 0) printf("%d: %8.3f|%-6d|%06x|%c\n", i, x[i], i - 7, i * 1000, 'a' + i % 26);
    if (i % 16 == 3) printf("%s %lld %llu %e\n", i & 16 ? "odd" : "even", wide[i], (unsigned long long)wide[i], x[i] * 1e10);
    else if (i == 1) printf("once 100%% %5s|%u|%+d|%#x|%o|%g\n", "ab", 4000000000u, 5, 255, 8, 0.1);
}
