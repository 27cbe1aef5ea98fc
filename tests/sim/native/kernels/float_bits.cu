// Bits of floats: fast inverse square root, next numbers, exponents taken apart, sign flips for a radix sort.
__device__ float fast_rsqrt(float x) {
    int i = __float_as_int(x);
    i = 0x5f3759df - (i >> 1);
    float y = __int_as_float(i);
    return y * (1.5f - 0.5f * x * y * y);
}
union Bits { float f; unsigned u; unsigned char b[4]; };
__global__ void float_bits(const float *x, float *out, unsigned *bits, long long *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bits both;
    both.f = x[i];
    unsigned flipped = both.u ^ (-(int)(both.u >> 31) | 0x80000000u);
    bits[3 * i] = flipped;
    bits[3 * i + 1] = both.b[0] | both.b[3] << 8;
    both.b[3] ^= 0x80;
    int exponent;
    float fraction = frexpf(x[i], &exponent), whole, rest = modff(x[i], &whole);
    bits[3 * i + 2] = (unsigned)exponent;
    out[6 * i] = fast_rsqrt(fabsf(x[i]) + 1.0f);
    out[6 * i + 1] = both.f;
    out[6 * i + 2] = ldexpf(fraction, exponent % 40);
    out[6 * i + 3] = nextafterf(x[i], 1e30f) - whole;
    out[6 * i + 4] = copysignf(rest, -x[i]);
    out[6 * i + 5] = *(float *)&flipped;
    wide[i] = __double_as_longlong((double)x[i] * 1.0000001) + __double2hiint((double)x[i]);
}
