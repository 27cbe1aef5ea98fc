// Lanes that leave at different places, loops with two exits, conditions with effects, nested breaks.
__device__ int digits(int n, int base) {
    int sum = 0;
    if (base < 2) return -1;
    for (; n; n /= base) {
        if (n % base == 7 && sum > 20) return sum * 100;
        sum += n % base;
    }
    return sum;
}
__global__ void early_return(const int *x, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i], steps = 0;
    if (v == 0) { out[i] = -99; return; }
    while (v != 1 && steps++ < 50) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (v > 5000 || (v % 97 == 0 && (steps += 2) > 9)) break;
    }
    for (int a = 0; a < 5; a++) {
        for (int b = 0; b < 5; b++) {
            if (a * b == v % 11) break;
            if (a + b == steps % 9) goto found;
            steps += b & 1;
        }
        if (steps > 40) return;
    }
    out[i] = steps;
    return;
found:
    out[i] = digits(x[i], steps % 12) - 1000;
}
