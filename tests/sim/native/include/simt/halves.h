// Half and bfloat16 arithmetic, one value or a pair (CUDA Math API, "Half Precision Intrinsics", "Bfloat16 ...").
#pragma once

#include "conversions.h"
#include "mathematics.h"

namespace simt {

// Exact for half (products and sums fit 128 bits); bfloat16 by rounding to odd in double (Boldo and Melquiond 2008).
template <int EXPONENT, int MANTISSA>
Small<EXPONENT, MANTISSA> fused(Small<EXPONENT, MANTISSA> a, Small<EXPONENT, MANTISSA> b, Small<EXPONENT, MANTISSA> c) {
    const double product = double(float(a)) * double(float(b)), addend = float(c);
    const double sum = product + addend;
    if (!std::isfinite(sum) || product == 0 || addend == 0) return sum;
    if (sum == 0) return sum;
    const int before = std::fegetround();
    std::feclearexcept(FE_INEXACT);
    std::fesetround(FE_TOWARDZERO);
    volatile double left = product, right = addend;
    volatile double cut = left + right;
    const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
    std::fesetround(before);
    uint64_t bits = same_bits<uint64_t>(double(cut));
    if (inexact) bits |= 1;
    return same_bits<double>(bits);
}

// "If either of the inputs is NaN, the other one is returned; +0.0 > -0.0."
template <class H> H larger(H a, H b) {
    if (float(a) != float(a)) return float(b) != float(b) ? H(NAN) : b;
    if (float(b) != float(b)) return a;
    if (float(a) == float(b)) return std::signbit(float(a)) ? b : a;
    return float(a) > float(b) ? a : b;
}
template <class H> H smaller(H a, H b) {
    if (float(a) != float(a)) return float(b) != float(b) ? H(NAN) : b;
    if (float(b) != float(b)) return a;
    if (float(a) == float(b)) return std::signbit(float(a)) ? a : b;
    return float(a) < float(b) ? a : b;
}
template <class H> bool unordered(H a, H b) { return float(a) != float(a) || float(b) != float(b); }
// Into [0, 1]; NaN becomes +0.
template <class H> H saturated(H a) { return !(float(a) > 0) ? H(0.0f) : float(a) > 1 ? H(1.0f) : a; }
// Negative results become 0; NaN becomes the canonical NaN.
template <class H> H rectified(H a) { return float(a) != float(a) ? H(NAN) : float(a) < 0 || float(a) == 0 ? H(0.0f) : a; }

}  // namespace simt

#define SIMT_H_1(H, P, name, name2, expression)                                    \
    inline H name(H a) { return expression; }                                      \
    inline P name2(P a) { return {name(a.x), name(a.y)}; }
#define SIMT_H_2(H, P, name, name2, expression)                                    \
    inline H name(H a, H b) { return expression; }                                 \
    inline P name2(P a, P b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define SIMT_H_3(H, P, name, name2, expression)                                    \
    inline H name(H a, H b, H c) { return expression; }                            \
    inline P name2(P a, P b, P c) { return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)}; }
#define SIMT_H_RELATION(H, P, name, operator)                                                                      \
    inline bool __h##name(H a, H b) { return !simt::unordered(a, b) && float(a) operator float(b); }               \
    inline bool __h##name##u(H a, H b) { return simt::unordered(a, b) || float(a) operator float(b); }             \
    inline P __h##name##2(P a, P b) { return {H(float(__h##name(a.x, b.x))), H(float(__h##name(a.y, b.y)))}; }     \
    inline P __h##name##u2(P a, P b) { return {H(float(__h##name##u(a.x, b.x))), H(float(__h##name##u(a.y, b.y)))}; } \
    inline bool __hb##name##2(P a, P b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }                     \
    inline bool __hb##name##u2(P a, P b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }              \
    inline unsigned __h##name##2_mask(P a, P b) {                                                                  \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                    \
    }                                                                                                              \
    inline unsigned __h##name##u2_mask(P a, P b) {                                                                 \
        return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u);              \
    }
#define SIMT_H_LIBRARY(H, P, name, expression) SIMT_H_1(H, P, h##name, h2##name, H(double(expression)))

#define SIMT_HALVES(H, P)                                                                             \
    SIMT_H_2(H, P, __hadd, __hadd2, a + b)                                                            \
    SIMT_H_2(H, P, __hsub, __hsub2, a - b)                                                            \
    SIMT_H_2(H, P, __hmul, __hmul2, a * b)                                                            \
    SIMT_H_2(H, P, __hdiv, __h2div, a / b)                                                            \
    SIMT_H_2(H, P, __hadd_rn, __hadd2_rn, a + b)                                                      \
    SIMT_H_2(H, P, __hsub_rn, __hsub2_rn, a - b)                                                      \
    SIMT_H_2(H, P, __hmul_rn, __hmul2_rn, a * b)                                                      \
    SIMT_H_2(H, P, __hadd_sat, __hadd2_sat, simt::saturated(a + b))                                   \
    SIMT_H_2(H, P, __hsub_sat, __hsub2_sat, simt::saturated(a - b))                                   \
    SIMT_H_2(H, P, __hmul_sat, __hmul2_sat, simt::saturated(a * b))                                   \
    SIMT_H_3(H, P, __hfma, __hfma2, simt::fused(a, b, c))                                             \
    SIMT_H_3(H, P, __hfma_sat, __hfma2_sat, simt::saturated(simt::fused(a, b, c)))                    \
    SIMT_H_3(H, P, __hfma_relu, __hfma2_relu, simt::rectified(simt::fused(a, b, c)))                  \
    SIMT_H_1(H, P, __hneg, __hneg2, -a)                                                               \
    SIMT_H_1(H, P, __habs, __habs2, H::of_bits(a.bits & 0x7fff))                                      \
    SIMT_H_2(H, P, __hmax, __hmax2, simt::larger(a, b))                                               \
    SIMT_H_2(H, P, __hmin, __hmin2, simt::smaller(a, b))                                              \
    SIMT_H_2(H, P, __hmax_nan, __hmax2_nan, simt::unordered(a, b) ? H(NAN) : simt::larger(a, b))      \
    SIMT_H_2(H, P, __hmin_nan, __hmin2_nan, simt::unordered(a, b) ? H(NAN) : simt::smaller(a, b))     \
    SIMT_H_RELATION(H, P, eq, ==)                                                                     \
    SIMT_H_RELATION(H, P, ne, !=)                                                                     \
    SIMT_H_RELATION(H, P, lt, <)                                                                      \
    SIMT_H_RELATION(H, P, le, <=)                                                                     \
    SIMT_H_RELATION(H, P, gt, >)                                                                      \
    SIMT_H_RELATION(H, P, ge, >=)                                                                     \
    SIMT_H_LIBRARY(H, P, sqrt, std::sqrt(double(a)))                                                  \
    SIMT_H_LIBRARY(H, P, rsqrt, 1 / std::sqrt(double(a)))                                             \
    SIMT_H_LIBRARY(H, P, rcp, 1 / double(a))                                                          \
    SIMT_H_LIBRARY(H, P, exp, std::exp(double(a)))                                                    \
    SIMT_H_LIBRARY(H, P, exp2, std::exp2(double(a)))                                                  \
    SIMT_H_LIBRARY(H, P, exp10, std::pow(10.0, double(a)))                                            \
    SIMT_H_LIBRARY(H, P, log, std::log(double(a)))                                                    \
    SIMT_H_LIBRARY(H, P, log2, std::log2(double(a)))                                                  \
    SIMT_H_LIBRARY(H, P, log10, std::log10(double(a)))                                                \
    SIMT_H_LIBRARY(H, P, sin, std::sin(double(a)))                                                    \
    SIMT_H_LIBRARY(H, P, cos, std::cos(double(a)))                                                    \
    SIMT_H_LIBRARY(H, P, tanh, std::tanh(double(a)))                                                  \
    SIMT_H_LIBRARY(H, P, tanh_approx, std::tanh(double(a)))                                           \
    SIMT_H_LIBRARY(H, P, floor, std::floor(double(a)))                                                \
    SIMT_H_LIBRARY(H, P, ceil, std::ceil(double(a)))                                                  \
    SIMT_H_LIBRARY(H, P, trunc, std::trunc(double(a)))                                                \
    SIMT_H_LIBRARY(H, P, rint, std::rint(double(a)))                                                  \
    inline bool __hisnan(H a) { return float(a) != float(a); }                                        \
    inline int __hisinf(H a) { return (a.bits & 0x7fff) == H(INFINITY).bits ? (a.bits >> 15 ? -1 : 1) : 0; } \
    inline P __hisnan2(P a) { return {H(float(__hisnan(a.x))), H(float(__hisnan(a.y)))}; }            \
    inline P __hcmadd(P a, P b, P c) {                                                                \
        return {simt::fused(-a.y, b.y, simt::fused(a.x, b.x, c.x)),                                   \
                simt::fused(a.y, b.x, simt::fused(a.x, b.y, c.y))};                                   \
    }                                                                                                 \
    inline H __hmax3(H a, H b, H c) { return __hmax(__hmax(a, b), c); }                               \
    inline H __hmin3(H a, H b, H c) { return __hmin(__hmin(a, b), c); }                               \
    inline P operator+(P a, P b) { return __hadd2(a, b); }                                            \
    inline P operator-(P a, P b) { return __hsub2(a, b); }                                            \
    inline P operator*(P a, P b) { return __hmul2(a, b); }                                            \
    inline P __lowhigh2highlow(P a) { return {a.y, a.x}; }                                            \
    inline float __low2float(P a) { return a.x; }                                                     \
    inline float __high2float(P a) { return a.y; }
SIMT_HALVES(__half, __half2)
SIMT_HALVES(__nv_bfloat16, __nv_bfloat162)

#define SIMT_PAIRS(H, P, word)                                                                        \
    inline P __halves2##word##2(H a, H b) { return {a, b}; }                                          \
    inline P __##word##2##word##2(H a) { return {a, a}; }                                             \
    inline H __low2##word(P a) { return a.x; }                                                        \
    inline H __high2##word(P a) { return a.y; }                                                       \
    inline P __low2##word##2(P a) { return {a.x, a.x}; }                                              \
    inline P __high2##word##2(P a) { return {a.y, a.y}; }                                             \
    inline P __lows2##word##2(P a, P b) { return {a.x, b.x}; }                                        \
    inline P __highs2##word##2(P a, P b) { return {a.y, b.y}; }                                       \
    inline P __float22##word##2_rn(float2 a) { return {H(a.x), H(a.y)}; }                             \
    inline float2 __##word##22float2(P a) { return {float(a.x), float(a.y)}; }                        \
    inline P __floats2##word##2_rn(float a, float b) { return {H(a), H(b)}; }                         \
    inline P __float2##word##2_rn(float a) { return {H(a), H(a)}; }                                   \
    inline P make_##word##2(H a, H b) { return {a, b}; }
SIMT_PAIRS(__half, __half2, half)
SIMT_PAIRS(__nv_bfloat16, __nv_bfloat162, bfloat16)
