// Conversion and reinterpretation intrinsics (CUDA Math API, "Type Casting Intrinsics", "Half Precision Conversion").
#pragma once

#include <cmath>
#include <cstring>

#include "small_floats.h"
#include "undefined.h"

namespace simt {

inline long double whole(long double value, Mode mode) {
    switch (mode) {
        case Mode::NEAREST: return __builtin_rintl(value);
        case Mode::ZERO: return __builtin_truncl(value);
        case Mode::UP: return __builtin_ceill(value);
        default: return __builtin_floorl(value);
    }
}

template <class To, class From> To to_integer(From value, Mode mode) {
    constexpr bool is_double = std::is_same_v<From, double>;
    const std::conditional_t<is_double, double, float> wide = value;
    return clamp_to<To>(whole(wide, mode), is_double);
}

template <class To, class From> To same_bits(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

}  // namespace simt

#define SIMT_BETWEEN(f, float_type, i, integer_type, suffix, mode)                                                    \
    inline integer_type __##f##2##i##suffix(float_type x) { return simt::to_integer<integer_type>(x, simt::Mode::mode); } \
    inline float_type __##i##2##f##suffix(integer_type x) { return simt::rounded<float_type>(x, simt::Mode::mode); }
#define SIMT_TO_AND_FROM(f, float_type, i, integer_type)          \
    SIMT_BETWEEN(f, float_type, i, integer_type, _rn, NEAREST)    \
    SIMT_BETWEEN(f, float_type, i, integer_type, _rz, ZERO)       \
    SIMT_BETWEEN(f, float_type, i, integer_type, _ru, UP)         \
    SIMT_BETWEEN(f, float_type, i, integer_type, _rd, DOWN)
#define SIMT_INTEGERS(f, float_type)                              \
    SIMT_TO_AND_FROM(f, float_type, int, int)                     \
    SIMT_TO_AND_FROM(f, float_type, uint, unsigned)               \
    SIMT_TO_AND_FROM(f, float_type, ll, long long)                \
    SIMT_TO_AND_FROM(f, float_type, ull, unsigned long long)      \
    SIMT_TO_AND_FROM(f, float_type, short, short)                 \
    SIMT_TO_AND_FROM(f, float_type, ushort, unsigned short)       \
    SIMT_TO_AND_FROM(f, float_type, char, signed char)            \
    SIMT_TO_AND_FROM(f, float_type, uchar, unsigned char)
SIMT_INTEGERS(float, float)
SIMT_INTEGERS(double, double)
SIMT_INTEGERS(half, __half)
SIMT_INTEGERS(bfloat16, __nv_bfloat16)

#define SIMT_FLOATS(a, a_type, b, b_type)                                                                 \
    inline b_type __##a##2##b(a_type x) { return simt::rounded<b_type>(x, simt::Mode::NEAREST); }         \
    inline b_type __##a##2##b##_rn(a_type x) { return simt::rounded<b_type>(x, simt::Mode::NEAREST); }    \
    inline b_type __##a##2##b##_rz(a_type x) { return simt::rounded<b_type>(x, simt::Mode::ZERO); }       \
    inline b_type __##a##2##b##_ru(a_type x) { return simt::rounded<b_type>(x, simt::Mode::UP); }         \
    inline b_type __##a##2##b##_rd(a_type x) { return simt::rounded<b_type>(x, simt::Mode::DOWN); }
#define SIMT_BOTH_FLOATS(a, a_type, b, b_type) SIMT_FLOATS(a, a_type, b, b_type) SIMT_FLOATS(b, b_type, a, a_type)
SIMT_BOTH_FLOATS(float, float, double, double)
SIMT_BOTH_FLOATS(float, float, half, __half)
SIMT_BOTH_FLOATS(float, float, bfloat16, __nv_bfloat16)
SIMT_BOTH_FLOATS(double, double, half, __half)
SIMT_BOTH_FLOATS(double, double, bfloat16, __nv_bfloat16)
SIMT_BOTH_FLOATS(half, __half, bfloat16, __nv_bfloat16)
inline double __int2double(int x) { return x; }

#define SIMT_BITS(name, to, from) inline to name(from x) { return simt::same_bits<to>(x); }
SIMT_BITS(__float_as_int, int, float)
SIMT_BITS(__float_as_uint, unsigned, float)
SIMT_BITS(__int_as_float, float, int)
SIMT_BITS(__uint_as_float, float, unsigned)
SIMT_BITS(__double_as_longlong, long long, double)
SIMT_BITS(__longlong_as_double, double, long long)
SIMT_BITS(__half_as_short, short, __half)
SIMT_BITS(__half_as_ushort, unsigned short, __half)
SIMT_BITS(__short_as_half, __half, short)
SIMT_BITS(__ushort_as_half, __half, unsigned short)
SIMT_BITS(__bfloat16_as_short, short, __nv_bfloat16)
SIMT_BITS(__bfloat16_as_ushort, unsigned short, __nv_bfloat16)
SIMT_BITS(__short_as_bfloat16, __nv_bfloat16, short)
SIMT_BITS(__ushort_as_bfloat16, __nv_bfloat16, unsigned short)
inline int __double2hiint(double x) { return int(simt::same_bits<uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return int(simt::same_bits<uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
    return simt::same_bits<double>(uint64_t(unsigned(high)) << 32 | unsigned(low));
}
