// Operations that C++ leaves undefined and PTX defines, under names that both sides understand.
//
// PTX ISA    `shl`, `shr`: "shift amounts greater than the register width N are clamped to N"; they have 32 bits.
//            `cvt` to an integer clamps what is out of range; NaN becomes 0, but 1 << (bits - 1) if the source is f64 or
//            the destination has 64 bits.
//            `div`, `rem` by zero are unspecified: here all ones and the dividend, as seen on an NVIDIA H200, which
//            divides what fits into 32 bits in 32 bits; INT_MIN / -1 wraps on the hardware.
// CUDA Math API: half and bfloat16 become integers as by `__half2char_rz` and its like, which clamp to any width.
// Float and double become 8 and 16 bits through 32.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace simt {

template <class T, class Count> auto shift_left(T value, Count count) -> decltype(value << 1) {
    using R = decltype(value << 1);
    const uint32_t by = uint32_t(count);
    return by >= sizeof(R) * 8 ? R(0) : R(std::make_unsigned_t<R>(value) << by);
}

template <class T, class Count> auto shift_right(T value, Count count) -> decltype(value >> 1) {
    using R = decltype(value >> 1);
    const uint32_t by = uint32_t(count);
    if (by >= sizeof(R) * 8) return R(value) < 0 ? R(-1) : R(0);
    return R(value) >> by;
}

// After the usual arithmetic conversions; of floating-point numbers as ever.
template <class L, class R> auto divide(L left, R right) -> decltype(left / right) {
    using T = decltype(left / right);
    const T a = left, b = right;
    if constexpr (std::is_integral_v<T>) {
        if (b == 0) return sizeof(T) == 8 && uint64_t(a) >> 32 == 0 ? T(0xffffffff) : T(-1);
        if (std::is_signed_v<T> && b == T(-1)) return T(-std::make_unsigned_t<T>(a));
    }
    return a / b;
}

template <class L, class R> auto remainder(L left, R right) -> decltype(left % right) {
    using T = decltype(left % right);
    const T a = left, b = right;
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == T(-1)) return 0;
    return a % b;
}

// A whole number, infinite or NaN; `from_double` tells the width of what it was converted from.
template <class To> To clamp_to(long double whole, bool from_double) {
    using Limits = std::numeric_limits<To>;
    if (whole != whole) return from_double || sizeof(To) == 8 ? To(uint64_t(1) << (sizeof(To) * 8 - 1)) : To(0);
    if (whole <= (long double)Limits::min()) return Limits::min();
    if (whole >= (long double)Limits::max()) return Limits::max();
    return To(whole);
}

template <class To> To saturate_to(float value) { return clamp_to<To>(__builtin_truncl(value), false); }
template <class To> To saturate_to(double value) { return clamp_to<To>(__builtin_truncl(value), true); }

template <class To, class From> To assigned(From value) {
    constexpr bool is_small = std::is_class_v<From>;
    if constexpr (std::is_class_v<To> || std::is_floating_point_v<To> || std::is_integral_v<From>) {
        if constexpr (is_small && !std::is_same_v<To, From>) return To(float(value));
        else return To(value);
    } else if constexpr (std::is_same_v<To, bool>) {
        return value != From(0);
    } else if constexpr (is_small || sizeof(To) >= 4) {
        using Wide = std::conditional_t<is_small, float, From>;
        return saturate_to<To>(Wide(value));
    } else {
        return To(saturate_to<std::conditional_t<std::is_signed_v<To>, int, unsigned>>(value));
    }
}

}  // namespace simt

#define SIMT_SHL(value, count) ::simt::shift_left(value, count)
#define SIMT_SHR(value, count) ::simt::shift_right(value, count)
#define SIMT_DIV(left, right) ::simt::divide(left, right)
#define SIMT_REM(left, right) ::simt::remainder(left, right)
#define SIMT_TO(type, value) ::simt::assigned<type>(value)
// `variable operator= right`, where `value` is what the operator gives.
#define SIMT_SET(variable, operator, right, value) variable = ::simt::assigned<decltype(variable)>(value)
