// The mathematical functions, computed in long double and rounded; what CUDA computes exactly is exact here.
//
// Kernels lie in `cuda_text`, so that these hide the C library's.  Allowed differences: tests/sim/native/tolerances.py.
#pragma once

#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>

#include "small_floats.h"

namespace simt {

typedef long double Real;

constexpr Real PI = 3.14159265358979323846264338327950288L;

// sin(pi x): exact quarters, since x modulo 2 is exact.
inline Real sine_of_pi(Real x) {
    if (!std::isfinite(x)) return NAN;
    const Real rest = std::fmod(x, Real(2));
    if (rest == std::trunc(rest)) return std::copysign(Real(0), x);
    return std::sin(PI * rest);
}
inline Real cosine_of_pi(Real x) {
    if (!std::isfinite(x)) return NAN;
    const Real rest = std::fabs(std::fmod(x, Real(2)));
    if (rest == 0.5L || rest == 1.5L) return 0;
    return std::cos(PI * rest);
}
inline Real scaled_erfc(Real x) {
    if (x < 20) return std::exp(x * x) * std::erfc(x);
    Real fraction = 0;
    for (int term = 80; term > 0; term--) fraction = term / Real(2) / (x + fraction);
    return 1 / (std::sqrt(PI) * (x + fraction));
}
inline Real inverse_erf(Real y) {
    if (!(y >= -1 && y <= 1)) return NAN;
    if (y == 1 || y == -1) return y * INFINITY;
    Real low = -10, high = 10;
    for (int step = 0; step < 20000 && low < high; step++) {
        const Real middle = (low + high) / 2;
        if (middle == low || middle == high) break;
        (std::erf(middle) < y ? low : high) = middle;
    }
    return y == 0 ? y : (low + high) / 2;
}
// Bisection on the decreasing erfc: slow and plain.
inline Real inverse_erfc(Real y) {
    if (!(y >= 0 && y <= 2)) return NAN;
    if (y == 0) return INFINITY;
    if (y == 2) return -INFINITY;
    if (y > 0.5L && y < 1.5L) return inverse_erf(1 - y);
    Real low = -120, high = 120;
    for (int step = 0; step < 200; step++) {
        const Real middle = (low + high) / 2;
        (std::erfc(middle) > y ? low : high) = middle;
    }
    return (low + high) / 2;
}
// Modified Bessel functions by their power series (Abramowitz and Stegun, 9.6.10); all terms are positive.
inline Real bessel_i_series(int order, Real x) {
    Real term = order ? x / 2 : 1, sum = term;
    for (int k = 1; k < 2000 && term != 0; k++) {
        term *= x / 2 / k * (x / 2 / (k + order));
        sum += term;
    }
    return sum;
}
inline Real length(Real a, Real b, Real c = 0, Real d = 0) {
    if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(d)) return INFINITY;
    return std::sqrt(a * a + b * b + c * c + d * d);
}
template <class T> T larger_number(T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}
template <class T> T smaller_number(T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class T> int exponent_of(T x) {
    if (x == 0 || x != x) return INT_MIN;
    if (std::isinf(x)) return INT_MAX;
    return std::ilogb(x);
}

// `operation` under another rounding mode; volatile keeps the compiler from computing it elsewhere.
template <class T, class Operation> T in_mode(Mode mode, T a, T b, T c, Operation operation) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    std::fesetround(modes[int(mode)]);
    volatile T x = a, y = b, z = c;
    volatile T result = operation(x, y, z);
    std::fesetround(FE_TONEAREST);
    return result;
}

}  // namespace simt

namespace cuda_text {
using simt::Real;

template <class T> using IfInteger = std::enable_if_t<std::is_integral_v<T>, double>;

#define SIMT_1(name, expression)                                                                       \
    inline double name(double v) { const Real x = v; return double(expression); }                      \
    inline float name(float v) { const Real x = v; return float(expression); }                         \
    inline float name##f(float v) { return name(v); }                                                  \
    template <class T> IfInteger<T> name(T v) { return name(double(v)); }
#define SIMT_2(name, expression)                                                                       \
    inline double name(double v, double w) { const Real x = v, y = w; return double(expression); }     \
    inline float name(float v, float w) { const Real x = v, y = w; return float(expression); }         \
    inline float name##f(float v, float w) { return name(v, w); }                                      \
    template <class T, class U, class = std::enable_if_t<!std::is_same_v<T, U> || std::is_integral_v<T>>> \
    double name(T v, U w) { return name(double(v), double(w)); }
// Exact: computed in the type `T` itself.
#define SIMT_EXACT_1(name, expression)                                                                 \
    inline double name(double x) { using T = double; (void)sizeof(T); return expression; }             \
    inline float name(float x) { using T = float; (void)sizeof(T); return expression; }                \
    inline float name##f(float x) { return name(x); }                                                  \
    template <class T> IfInteger<T> name(T v) { return name(double(v)); }
#define SIMT_EXACT_2(name, expression)                                                                 \
    inline double name(double x, double y) { return expression; }                                      \
    inline float name(float x, float y) { return expression; }                                         \
    inline float name##f(float x, float y) { return expression; }                                      \
    template <class T, class U, class = std::enable_if_t<!std::is_same_v<T, U> || std::is_integral_v<T>>> \
    double name(T v, U w) { return name(double(v), double(w)); }

SIMT_EXACT_1(sqrt, std::sqrt(x))
SIMT_EXACT_1(floor, std::floor(x))
SIMT_EXACT_1(ceil, std::ceil(x))
SIMT_EXACT_1(trunc, std::trunc(x))
SIMT_EXACT_1(round, std::round(x))
SIMT_EXACT_1(rint, std::rint(x))
SIMT_EXACT_1(nearbyint, std::nearbyint(x))
SIMT_EXACT_1(fabs, std::fabs(x))
SIMT_EXACT_1(logb, x == 0 ? T(-INFINITY) : std::isinf(x) ? T(INFINITY) : x != x ? x : T(std::ilogb(x)))
SIMT_EXACT_2(fmod, std::fmod(x, y))
SIMT_EXACT_2(remainder, std::remainder(x, y))
SIMT_EXACT_2(copysign, std::copysign(x, y))
SIMT_EXACT_2(fdim, std::fdim(x, y))
SIMT_EXACT_2(fmax, simt::larger_number(x, y))
SIMT_EXACT_2(fmin, simt::smaller_number(x, y))
SIMT_EXACT_2(nextafter, std::nextafter(x, y))
SIMT_EXACT_2(fdivide, x / y)

SIMT_1(rsqrt, 1 / std::sqrt(x))
SIMT_1(cbrt, std::cbrt(x))
SIMT_1(rcbrt, 1 / std::cbrt(x))
SIMT_1(exp, std::exp(x))
SIMT_1(exp2, std::exp2(x))
SIMT_1(exp10, std::pow(Real(10), x))
SIMT_1(expm1, std::expm1(x))
SIMT_1(log, std::log(x))
SIMT_1(log2, std::log2(x))
SIMT_1(log10, std::log10(x))
SIMT_1(log1p, std::log1p(x))
SIMT_1(sin, std::sin(x))
SIMT_1(cos, std::cos(x))
SIMT_1(tan, std::tan(x))
SIMT_1(sinpi, simt::sine_of_pi(x))
SIMT_1(cospi, simt::cosine_of_pi(x))
SIMT_1(asin, std::asin(x))
SIMT_1(acos, std::acos(x))
SIMT_1(atan, std::atan(x))
SIMT_1(sinh, std::sinh(x))
SIMT_1(cosh, std::cosh(x))
SIMT_1(tanh, std::tanh(x))
SIMT_1(asinh, std::asinh(x))
SIMT_1(acosh, std::acosh(x))
SIMT_1(atanh, std::atanh(x))
SIMT_1(erf, std::erf(x))
SIMT_1(erfc, std::erfc(x))
SIMT_1(erfinv, simt::inverse_erf(x))
SIMT_1(erfcinv, simt::inverse_erfc(x))
SIMT_1(erfcx, simt::scaled_erfc(x))
SIMT_1(normcdf, std::erfc(-x / std::sqrt(Real(2))) / 2)
SIMT_1(normcdfinv, -std::sqrt(Real(2)) * simt::inverse_erfc(2 * x))
SIMT_1(lgamma, std::lgamma(x))
SIMT_1(tgamma, x == 0 ? 1 / x : std::tgamma(x))
SIMT_1(j0, ::j0l(x))
SIMT_1(j1, ::j1l(x))
SIMT_1(y0, ::y0l(x))
SIMT_1(y1, ::y1l(x))
SIMT_1(cyl_bessel_i0, simt::bessel_i_series(0, x))
SIMT_1(cyl_bessel_i1, simt::bessel_i_series(1, x))
SIMT_2(pow, std::pow(x, y))
SIMT_2(atan2, std::atan2(x, y))
SIMT_2(hypot, simt::length(x, y))
SIMT_2(rhypot, 1 / simt::length(x, y))
inline double pow(double x, int y) { return pow(x, double(y)); }
inline float pow(float x, int y) { return float(std::pow(Real(x), Real(y))); }
inline double powi(double x, int y) { return pow(x, y); }
inline float powif(float x, int y) { return pow(x, y); }

#define SIMT_ORDERED(name, function)                                                                   \
    inline double name(int n, double x) { return n < 0 ? NAN : double(function(n, Real(x))); }         \
    inline float name##f(int n, float x) { return n < 0 ? NAN : float(function(n, Real(x))); }
SIMT_ORDERED(jn, ::jnl)
SIMT_ORDERED(yn, ::ynl)

#define SIMT_NORMS(T, suffix)                                                                          \
    inline T norm3d##suffix(T a, T b, T c) { return T(simt::length(a, b, c)); }                        \
    inline T rnorm3d##suffix(T a, T b, T c) { return T(1 / simt::length(a, b, c)); }                   \
    inline T norm4d##suffix(T a, T b, T c, T d) { return T(simt::length(a, b, c, d)); }                \
    inline T rnorm4d##suffix(T a, T b, T c, T d) { return T(1 / simt::length(a, b, c, d)); }           \
    inline T fma##suffix(T a, T b, T c) { return std::fma(a, b, c); }                                  \
    inline T ldexp##suffix(T a, int n) { return std::ldexp(a, n); }                                    \
    inline T scalbn##suffix(T a, int n) { return std::scalbn(a, n); }                                  \
    inline T scalbln##suffix(T a, long n) { return std::scalbln(a, n); }                               \
    inline int ilogb##suffix(T a) { return simt::exponent_of(a); }                                     \
    inline void sincos##suffix(T a, T* s, T* c) { *s = sin(a); *c = cos(a); }                          \
    inline void sincospi##suffix(T a, T* s, T* c) { *s = sinpi(a); *c = cospi(a); }                    \
    inline T modf##suffix(T a, T* whole) { return std::modf(a, whole); }                               \
    inline T frexp##suffix(T a, int* exponent) {                                                       \
        const T part = std::frexp(a, exponent);                                                        \
        if (!std::isfinite(a)) *exponent = 0;                                                          \
        return part;                                                                                   \
    }                                                                                                  \
    inline T remquo##suffix(T a, T b, int* quotient) {                                                 \
        const T rest = std::remquo(a, b, quotient);                                                    \
        *quotient = rest != rest ? 0 : *quotient < 0 ? -(-*quotient & 7) : *quotient & 7;              \
        return rest;                                                                                   \
    }                                                                                                  \
    inline long lround##suffix(T a) { return std::lround(a); }                                         \
    inline long long llround##suffix(T a) { return std::llround(a); }                                  \
    inline long lrint##suffix(T a) { return std::lrint(a); }                                           \
    inline long long llrint##suffix(T a) { return std::llrint(a); }
SIMT_NORMS(double, )
SIMT_NORMS(float, )
SIMT_NORMS(float, f)

#define SIMT_TESTS(T)                                                                                  \
    inline bool isnan(T a) { return a != a; }                                                          \
    inline bool isinf(T a) { return std::isinf(a); }                                                   \
    inline bool isfinite(T a) { return std::isfinite(a); }                                             \
    inline bool signbit(T a) { return std::signbit(a); }                                               \
    inline T max(T a, T b) { return fmax(a, b); }                                                      \
    inline T min(T a, T b) { return fmin(a, b); }                                                      \
    inline T abs(T a) { return std::fabs(a); }
SIMT_TESTS(double)
SIMT_TESTS(float)
inline double max(float a, double b) { return fmax(double(a), b); }
inline double max(double a, float b) { return fmax(a, double(b)); }
inline double min(float a, double b) { return fmin(double(a), b); }
inline double min(double a, float b) { return fmin(a, double(b)); }
using ::max;
using ::min;
inline int abs(int a) { return a < 0 ? int(-unsigned(a)) : a; }
inline long abs(long a) { return a < 0 ? long(-(unsigned long)a) : a; }
inline long long abs(long long a) { return a < 0 ? (long long)(-(unsigned long long)a) : a; }
inline long labs(long a) { return abs(a); }
inline long long llabs(long long a) { return abs(a); }

// Fast versions: the simulator computes them as the exact ones, and so does this.
inline float __expf(float x) { return exp(x); }
inline float __exp10f(float x) { return exp10(x); }
inline float __logf(float x) { return log(x); }
inline float __log2f(float x) { return log2(x); }
inline float __log10f(float x) { return log10(x); }
inline float __sinf(float x) { return sin(x); }
inline float __cosf(float x) { return cos(x); }
inline float __tanf(float x) { return tan(x); }
inline float __tanhf(float x) { return tanh(x); }
inline float __powf(float x, float y) { return exp2(y * log2(x)); }  // of a negative base NaN
inline void __sincosf(float x, float* s, float* c) { *s = sin(x); *c = cos(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return !(x > 0) ? 0.0f : x > 1 ? 1.0f : x; }

#define SIMT_DIRECTED(name, T, mode_name, mode)                                                        \
    inline T __##name##add_##mode_name(T a, T b) {                                                     \
        return simt::in_mode<T>(simt::Mode::mode, a, b, 0, [](T x, T y, T) { return x + y; });         \
    }                                                                                                  \
    inline T __##name##sub_##mode_name(T a, T b) {                                                     \
        return simt::in_mode<T>(simt::Mode::mode, a, b, 0, [](T x, T y, T) { return x - y; });         \
    }                                                                                                  \
    inline T __##name##mul_##mode_name(T a, T b) {                                                     \
        return simt::in_mode<T>(simt::Mode::mode, a, b, 0, [](T x, T y, T) { return x * y; });         \
    }                                                                                                  \
    inline T __##name##div_##mode_name(T a, T b) {                                                     \
        return simt::in_mode<T>(simt::Mode::mode, a, b, 0, [](T x, T y, T) { return x / y; });         \
    }                                                                                                  \
    inline T __##name##rcp_##mode_name(T a) {                                                          \
        return simt::in_mode<T>(simt::Mode::mode, a, 0, 0, [](T x, T, T) { return 1 / x; });           \
    }                                                                                                  \
    inline T __##name##sqrt_##mode_name(T a) {                                                         \
        return simt::in_mode<T>(simt::Mode::mode, a, 0, 0, [](T x, T, T) { return std::sqrt(x); });    \
    }                                                                                                  \
    inline T __##name##ma##_##mode_name(T a, T b, T c) {                                               \
        return simt::in_mode<T>(simt::Mode::mode, a, b, c, [](T x, T y, T z) { return std::fma(x, y, z); }); \
    }
#define SIMT_ALL_DIRECTED(name, T)         \
    SIMT_DIRECTED(name, T, rn, NEAREST)    \
    SIMT_DIRECTED(name, T, rz, ZERO)       \
    SIMT_DIRECTED(name, T, ru, UP)         \
    SIMT_DIRECTED(name, T, rd, DOWN)
SIMT_ALL_DIRECTED(f, float)
SIMT_ALL_DIRECTED(d, double)
#define SIMT_NAMED(mode)                                                                               \
    inline float __fmaf_##mode(float a, float b, float c) { return __fma_##mode(a, b, c); }            \
    inline float __fmaf_ieee_##mode(float a, float b, float c) { return __fma_##mode(a, b, c); }       \
    inline double __fma_##mode(double a, double b, double c) { return __dma_##mode(a, b, c); }
SIMT_NAMED(rn)
SIMT_NAMED(rz)
SIMT_NAMED(ru)
SIMT_NAMED(rd)
inline float __frsqrt_rn(float x) { return float(1 / std::sqrt(Real(x))); }

}  // namespace cuda_text
