// Loops around compare-and-swap: a product of doubles, a maximum of floats by their bits, a lock around a list.
__device__ double multiply_at(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(value * __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__device__ void maximum_at(float *address, float value) {
    int old = __float_as_int(*address);
    while (value > __int_as_float(old)) {
        int seen = atomicCAS((int *)address, old, __float_as_int(value));
        if (seen == old) break;
        old = seen;
    }
}
__global__ void compare_and_swap(const float *x, double *products, float *most, int *lock, int *list, unsigned *counters, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    multiply_at(&products[i % 5], i % 3 ? 2.0 : 0.5);
    maximum_at(&most[i % 3], x[i]);
    atomicDec(&counters[0], 10u);
    atomicInc(&counters[1], 12u);
    atomicXor(&counters[2], 1u << i % 32);
    atomicOr(&counters[3], i * 64u);
    atomicAnd(&counters[4], ~(1u << i % 7));
    atomicSub(&counters[5], (unsigned)i);
    atomicAdd(&products[5], (double)(i % 8));
    if (i % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        list[0] = list[0] + i;
        list[1] += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
