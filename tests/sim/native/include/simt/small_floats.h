// half and bfloat16 in software, and correctly rounded conversion between any two formats.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simt {

enum class Mode { NEAREST, ZERO, UP, DOWN };  // rn, rz, ru, rd

// sign, magnitude * 2^exponent
struct Number {
    bool negative = false, infinite = false, nan = false;
    unsigned __int128 magnitude = 0;
    int exponent = 0;
};

template <int EXPONENT, int MANTISSA> Number decode(uint64_t bits) {
    constexpr int bias = (1 << (EXPONENT - 1)) - 1;
    Number number;
    number.negative = bits >> (EXPONENT + MANTISSA) & 1;
    const int biased = int(bits >> MANTISSA & ((1u << EXPONENT) - 1));
    const uint64_t fraction = bits & ((uint64_t(1) << MANTISSA) - 1);
    if (biased == (1 << EXPONENT) - 1) {
        number.infinite = fraction == 0;
        number.nan = fraction != 0;
        return number;
    }
    number.magnitude = biased ? fraction | uint64_t(1) << MANTISSA : fraction;
    number.exponent = (biased ? biased : 1) - bias - MANTISSA;
    return number;
}

template <int EXPONENT, int MANTISSA> uint64_t encode(const Number& number, Mode mode) {
    using Wide = unsigned __int128;
    constexpr int bias = (1 << (EXPONENT - 1)) - 1;
    constexpr uint64_t infinity = ((uint64_t(1) << EXPONENT) - 1) << MANTISSA;
    const uint64_t sign = uint64_t(number.negative) << (EXPONENT + MANTISSA);
    if (number.nan) return infinity | ((uint64_t(1) << MANTISSA) - 1);  // PTX's canonical NaN
    if (number.infinite) return sign | infinity;
    if (number.magnitude == 0) return sign;
    int top = 127;
    while (!(number.magnitude >> top & 1)) top--;
    int unit = top + number.exponent > 1 - bias ? top + number.exponent : 1 - bias;  // exponent of the last place kept
    unit -= MANTISSA;
    const int shift = unit - number.exponent;
    Wide kept, rest = 0, half = 1;
    if (shift <= 0) {
        kept = number.magnitude << -shift;
    } else if (shift > 127) {
        kept = 0;
        rest = 1;
        half = 2;
    } else {
        kept = number.magnitude >> shift;
        rest = number.magnitude & ((Wide(1) << shift) - 1);
        half = Wide(1) << (shift - 1);
    }
    bool away = false;
    if (mode == Mode::NEAREST) away = rest > half || (rest == half && shift > 0 && (kept & 1));
    if (mode == Mode::UP) away = rest != 0 && !number.negative;
    if (mode == Mode::DOWN) away = rest != 0 && number.negative;
    kept += away;
    if (kept >> (MANTISSA + 1)) {
        kept >>= 1;
        unit++;
    }
    if (!(kept >> MANTISSA)) return sign | uint64_t(kept);
    const int biased = unit + MANTISSA + bias;
    if (biased >= (1 << EXPONENT) - 1) {
        const bool stays = mode == Mode::ZERO || (mode == Mode::UP && number.negative) ||
                           (mode == Mode::DOWN && !number.negative);
        return sign | (stays ? infinity - 1 : infinity);
    }
    return sign | uint64_t(biased) << MANTISSA | (uint64_t(kept) & ((uint64_t(1) << MANTISSA) - 1));
}

template <class T> Number number_of(T value) {
    if constexpr (std::is_same_v<T, float>) {
        uint32_t bits;
        std::memcpy(&bits, &value, 4);
        return decode<8, 23>(bits);
    } else if constexpr (std::is_same_v<T, double>) {
        uint64_t bits;
        std::memcpy(&bits, &value, 8);
        return decode<11, 52>(bits);
    } else if constexpr (std::is_integral_v<T>) {
        Number number;
        number.negative = std::is_signed_v<T> && value < 0;
        number.magnitude = number.negative ? -(unsigned __int128)value : (unsigned __int128)value;
        return number;
    } else {
        return value.number();
    }
}

template <int EXPONENT, int MANTISSA> struct Small {
    uint16_t bits;

    Small() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    Small(T value) : bits(uint16_t(encode<EXPONENT, MANTISSA>(number_of(value), Mode::NEAREST))) {}
    static Small of_bits(uint16_t bits) {
        Small small;
        small.bits = bits;
        return small;
    }
    Number number() const { return decode<EXPONENT, MANTISSA>(bits); }
    operator float() const {  // exact
        const uint32_t wide = uint32_t(encode<8, 23>(number(), Mode::NEAREST));
        float value;
        std::memcpy(&value, &wide, 4);
        return value;
    }
    // Double keeps more than twice the digits of both formats, so that rounding again is rounding once.
    friend Small operator+(Small a, Small b) { return Small(double(float(a)) + double(float(b))); }
    friend Small operator-(Small a, Small b) { return Small(double(float(a)) - double(float(b))); }
    friend Small operator*(Small a, Small b) { return Small(double(float(a)) * double(float(b))); }
    friend Small operator/(Small a, Small b) { return Small(double(float(a)) / double(float(b))); }
    friend Small operator+(Small a) { return a; }
    friend Small operator-(Small a) { return of_bits(a.bits ^ 0x8000); }
    Small& operator+=(Small b) { return *this = *this + b; }
    Small& operator-=(Small b) { return *this = *this - b; }
    Small& operator*=(Small b) { return *this = *this * b; }
    Small& operator/=(Small b) { return *this = *this / b; }
    Small& operator++() { return *this = *this + Small(1.0f); }
    Small& operator--() { return *this = *this - Small(1.0f); }
    Small operator++(int) { const Small before = *this; ++*this; return before; }
    Small operator--(int) { const Small before = *this; --*this; return before; }
    friend bool operator==(Small a, Small b) { return float(a) == float(b); }
    friend bool operator!=(Small a, Small b) { return float(a) != float(b); }
    friend bool operator<(Small a, Small b) { return float(a) < float(b); }
    friend bool operator<=(Small a, Small b) { return float(a) <= float(b); }
    friend bool operator>(Small a, Small b) { return float(a) > float(b); }
    friend bool operator>=(Small a, Small b) { return float(a) >= float(b); }
};

template <class To, class From> To rounded(From value, Mode mode) {
    const Number number = number_of(value);
    if constexpr (std::is_same_v<To, float>) {
        const uint32_t bits = uint32_t(encode<8, 23>(number, mode));
        float result;
        std::memcpy(&result, &bits, 4);
        return result;
    } else if constexpr (std::is_same_v<To, double>) {
        const uint64_t bits = encode<11, 52>(number, mode);
        double result;
        std::memcpy(&result, &bits, 8);
        return result;
    } else if constexpr (std::is_same_v<To, Small<5, 10>>) {
        return To::of_bits(uint16_t(encode<5, 10>(number, mode)));
    } else {
        return To::of_bits(uint16_t(encode<8, 7>(number, mode)));
    }
}

}  // namespace simt

typedef simt::Small<5, 10> __half;
typedef __half half;
typedef simt::Small<8, 7> __nv_bfloat16;
typedef __nv_bfloat16 nv_bfloat16;
struct alignas(4) __half2 { __half x, y; };
struct alignas(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
typedef __half2 half2;
typedef __nv_bfloat162 nv_bfloat162;
