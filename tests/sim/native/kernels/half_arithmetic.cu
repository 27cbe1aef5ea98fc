// Half and bfloat16: operators, pairs, fused products, comparisons, conversions; sums kept small and large.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void half_arithmetic(const __half *x, const __half *y, __half *out, __half2 *pairs, const float *z, float *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half a = x[i], b = y[i];
    out[8 * i] = a + b;
    out[8 * i + 1] = a * b - a;
    out[8 * i + 2] = __hdiv(a, b);
    out[8 * i + 3] = __hfma(a, b, a);
    out[8 * i + 4] = __hlt(a, b) ? __hneg(a) : __habs(b);
    out[8 * i + 5] = __float2half(__half2float(a) * 1.7f);
    out[8 * i + 6] = hsqrt(__habs(a));
    out[8 * i + 7] = __int2half_rn(i * 37 - 2000);
    __half2 p = __halves2half2(a, b), q = __float2half2_rn(z[i]);
    pairs[2 * i] = __hfma2(p, q, p);
    pairs[2 * i + 1] = __hadd2(__hmul2(p, p), __lowhigh2highlow(q));
    __nv_bfloat16 c = __float2bfloat16(z[i]), d = __float2bfloat16(__half2float(a)), sum = __float2bfloat16(0.0f);
    for (int j = 0; j < 20; j++) sum = sum + c * d;
    wide[3 * i] = __bfloat162float(sum);
    wide[3 * i + 1] = __bfloat162float(__hfma(c, d, c));
    wide[3 * i + 2] = __bfloat162float(__hdiv(c, d)) + (float)__half2int_rz(a);
}
