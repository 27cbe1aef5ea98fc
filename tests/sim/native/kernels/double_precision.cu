// Double precision: Kahan's sum, Newton's square root, double-double products, remainders, integers beyond 2^53.
struct Pair { double high, low; };
__device__ Pair two_sum(double a, double b) {
    double s = a + b, t = s - a;
    Pair p = {s, (a - (s - t)) + (b - t)};
    return p;
}
__global__ void double_precision(const double *x, double *out, long long *whole, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0, rest = 0;
    for (int j = 0; j < 16; j++) {
        double y = x[(i * 7 + j * 13) % n] - rest, t = sum + y;
        rest = (t - sum) - y;
        sum = t;
    }
    double v = fabs(x[i % n]) + 1e-3, root = v;
    for (int j = 0; j < 8; j++) root = 0.5 * (root + v / root);
    double product = v * root, error = fma(v, root, -product);
    Pair p = two_sum(product, error * 1e16);
    out[6 * i] = sum;
    out[6 * i + 1] = root - sqrt(v);
    out[6 * i + 2] = p.high;
    out[6 * i + 3] = p.low;
    out[6 * i + 4] = fmod(v * 1e9, root) + remainder(v, 0.37);
    out[6 * i + 5] = (double)((long long)(v * 1e15) | 1) + (double)(unsigned long long)(v * 1e16);
    whole[2 * i] = (long long)(x[i % n] * 1e15) - llrint(x[i % n] * 1e3);
    whole[2 * i + 1] = (long long)floor(x[i % n]) * 1000003 + (long long)round(x[i % n] * 2) + __double2int_rn(x[i % n]);
}
