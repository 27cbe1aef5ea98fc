// Integer intrinsics, bit by bit, as the CUDA Math API describes them; PTX ISA where that leaves cases open.
#pragma once

#include <cstdint>
#include <type_traits>

namespace simt {
typedef __int128 Wide;
typedef unsigned __int128 UnsignedWide;

template <class T> int bits_of() { return int(sizeof(T) * 8); }

template <class T> int count_leading_zeros(T value) {
    int count = 0;
    for (int bit = bits_of<T>() - 1; bit >= 0 && !(uint64_t(value) >> bit & 1); bit--) count++;
    return count;
}
template <class T> int count_bits(T value) {
    int count = 0;
    for (int bit = 0; bit < bits_of<T>(); bit++) count += int(uint64_t(value) >> bit & 1);
    return count;
}
template <class T> int find_first_set(T value) {
    for (int bit = 0; bit < bits_of<T>(); bit++)
        if (uint64_t(value) >> bit & 1) return bit + 1;
    return 0;
}
template <class T> T reverse(T value) {
    uint64_t result = 0;
    for (int bit = 0; bit < bits_of<T>(); bit++) result = result << 1 | (uint64_t(value) >> bit & 1);
    return T(result);
}
template <class T> T multiply_high(T left, T right) {
    using W = std::conditional_t<std::is_signed_v<T>, Wide, UnsignedWide>;
    return T(W(left) * W(right) >> bits_of<T>());
}
inline int low_24(int value) { return int(unsigned(value) << 8) >> 8; }
}  // namespace simt

inline int __clz(int value) { return simt::count_leading_zeros(unsigned(value)); }
inline int __clzll(long long value) { return simt::count_leading_zeros((unsigned long long)value); }
inline int __ffs(int value) { return simt::find_first_set(unsigned(value)); }
inline int __ffsll(long long value) { return simt::find_first_set((unsigned long long)value); }
inline int __popc(unsigned value) { return simt::count_bits(value); }
inline int __popcll(unsigned long long value) { return simt::count_bits(value); }
inline unsigned __brev(unsigned value) { return simt::reverse(value); }
inline unsigned long long __brevll(unsigned long long value) { return simt::reverse(value); }

inline int __mulhi(int a, int b) { return simt::multiply_high(a, b); }
inline unsigned __umulhi(unsigned a, unsigned b) { return simt::multiply_high(a, b); }
inline long long __mul64hi(long long a, long long b) { return simt::multiply_high(a, b); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return simt::multiply_high(a, b); }
inline int mulhi(int a, int b) { return __mulhi(a, b); }
inline unsigned mulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
inline long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
inline unsigned long long mul64hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
inline int __mul24(int a, int b) { return int(unsigned(simt::low_24(a)) * unsigned(simt::low_24(b))); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline int mul24(int a, int b) { return __mul24(a, b); }
inline unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
inline int __mad24(int a, int b, int c) { return int(unsigned(__mul24(a, b)) + unsigned(c)); }
inline unsigned __umad24(unsigned a, unsigned b, unsigned c) { return __umul24(a, b) + c; }

// |a - b| + c
inline unsigned __sad(int a, int b, unsigned c) { return c + unsigned(a < b ? int64_t(b) - a : int64_t(a) - b); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
inline int __hadd(int a, int b) { return int((int64_t(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return int((int64_t(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned((uint64_t(a) + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return unsigned((uint64_t(a) + b + 1) >> 1); }

// Four bytes out of eight, by selectors of three bits.  The fourth bit of each is ignored, as seen on an NVIDIA H200
// (with PTX `prmt` it gives eight times the byte's sign).
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const uint64_t both = uint64_t(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned from = selector >> 4 * i & 7;
        result |= unsigned(both >> 8 * from & 0xff) << 8 * i;
    }
    return result;
}
inline unsigned __nv_bswap(unsigned x) { return __byte_perm(x, 0, 0x0123); }

// hi:lo shifted, the most significant (left) or least significant (right) 32 bits; the count is wrapped or clamped.
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    return unsigned((uint64_t(hi) << 32 | lo) << (n & 31) >> 32);
}
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
    return n >= 32 ? lo : unsigned((uint64_t(hi) << 32 | lo) << n >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    return unsigned((uint64_t(hi) << 32 | lo) >> (n & 31));
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
    return n >= 32 ? hi : unsigned((uint64_t(hi) << 32 | lo) >> n);
}

// PTX `fns`: the n-th set bit from `base` towards higher (n > 0) or lower (n < 0) positions; n = 0 asks for bit `base`.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
    int left = offset < 0 ? -offset : offset;
    for (int64_t at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
        if ((mask >> at & 1) && --left == 0) return unsigned(at);
    return 0xffffffffu;
}

namespace simt {
template <class T> int field(T word, int index, int bits) {
    const unsigned value = unsigned(word) >> index * bits & ((1u << bits) - 1);
    return std::is_signed_v<T> && value >> (bits - 1) ? int(value) - (1 << bits) : int(value);
}
template <class T> T dot_4(T a, T b, T c) {
    unsigned sum = unsigned(c);
    for (int i = 0; i < 4; i++) sum += unsigned(field(a, i, 8) * field(b, i, 8));
    return T(sum);
}
template <class T> T dot_2(T a, T b, T c, int first) {
    unsigned sum = unsigned(c);
    for (int i = 0; i < 2; i++) sum += unsigned(field(a, i, 16) * field(b, first + i, 8));
    return T(sum);
}
}  // namespace simt

inline int __dp4a(int a, int b, int c) { return simt::dot_4(a, b, c); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return simt::dot_4(a, b, c); }
inline int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return c + unsigned(a.x * b.x) + unsigned(a.y * b.y) + unsigned(a.z * b.z) + unsigned(a.w * b.w);
}
inline int __dp2a_lo(int a, int b, int c) { return simt::dot_2(a, b, c, 0); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) { return simt::dot_2(a, b, c, 0); }
inline int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return c + unsigned(a.x * b.x) + unsigned(a.y * b.y); }
inline int __dp2a_hi(int a, int b, int c) { return simt::dot_2(a, b, c, 2); }
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return simt::dot_2(a, b, c, 2); }
inline int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return c + unsigned(a.x * b.z) + unsigned(a.y * b.w); }

template <class T> T simt_max(T a, T b) { return a < b ? b : a; }
template <class T> T simt_min(T a, T b) { return b < a ? b : a; }
#define SIMT_EXTREMES(type)                                                  \
    inline type max(type a, type b) { return simt_max(a, b); }               \
    inline type min(type a, type b) { return simt_min(a, b); }
SIMT_EXTREMES(int)
SIMT_EXTREMES(unsigned)
SIMT_EXTREMES(long)
SIMT_EXTREMES(unsigned long)
SIMT_EXTREMES(long long)
SIMT_EXTREMES(unsigned long long)
// The Math API lists the mixed forms: of int and unsigned, and of long long and unsigned long long; unsigned results.
#define SIMT_MIXED(a_type, b_type)                                                                  \
    inline unsigned a_type max(b_type a, unsigned a_type b) { return max((unsigned a_type)a, b); }  \
    inline unsigned a_type max(unsigned a_type a, b_type b) { return max(a, (unsigned a_type)b); }  \
    inline unsigned a_type min(b_type a, unsigned a_type b) { return min((unsigned a_type)a, b); }  \
    inline unsigned a_type min(unsigned a_type a, b_type b) { return min(a, (unsigned a_type)b); }
SIMT_MIXED(int, int)
SIMT_MIXED(long long, long long)
inline unsigned umin(unsigned a, unsigned b) { return simt_min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return simt_max(a, b); }
inline long long llmin(long long a, long long b) { return simt_min(a, b); }
inline long long llmax(long long a, long long b) { return simt_max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return simt_min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return simt_max(a, b); }

// DPX: three operands, a sum first, and results not below zero (`_relu`).
#define SIMT_DPX(name, best)                                                                                      \
    inline int __vi##name##3_s32(int a, int b, int c) { return best(best(a, b), c); }                             \
    inline unsigned __vi##name##3_u32(unsigned a, unsigned b, unsigned c) { return best(best(a, b), c); }         \
    inline int __vi##name##3_s32_relu(int a, int b, int c) { return simt_max(best(best(a, b), c), 0); }           \
    inline int __viadd##name##_s32(int a, int b, int c) { return best(int(unsigned(a) + unsigned(b)), c); }       \
    inline unsigned __viadd##name##_u32(unsigned a, unsigned b, unsigned c) { return best(a + b, c); }            \
    inline int __viadd##name##_s32_relu(int a, int b, int c) { return simt_max(__viadd##name##_s32(a, b, c), 0); }\
    inline int __vi##name##_s32_relu(int a, int b) { return simt_max(best(a, b), 0); }
SIMT_DPX(max, simt_max)
SIMT_DPX(min, simt_min)
#define SIMT_PREDICATED(name, type, suffix, holds)                       \
    inline type __vib##name##_##suffix(type a, type b, bool* first) {    \
        *first = a holds b;                                              \
        return *first ? a : b;                                           \
    }
SIMT_PREDICATED(max, int, s32, >=)
SIMT_PREDICATED(max, unsigned, u32, >=)
SIMT_PREDICATED(min, int, s32, <=)
SIMT_PREDICATED(min, unsigned, u32, <=)

// PTX ISA `bfe`, `bfi`: position and length are bytes; beyond the word the sign (or 0) is read and nothing is written.
namespace simt {
template <class T> T extract(T word, unsigned position, unsigned length) {
    const int bits = bits_of<T>(), start = int(position & 0xff), count = int(length & 0xff);
    const bool fills = std::is_signed_v<T> && count != 0;
    const int top = start + count - 1 < bits - 1 ? start + count - 1 : bits - 1;
    const uint64_t sign = fills ? uint64_t(word) >> top & 1 : 0;
    uint64_t result = 0;
    for (int i = 0; i < bits; i++)
        result |= (i < count && start + i < bits ? uint64_t(word) >> (start + i) & 1 : sign) << i;
    return T(result);
}
template <class T> T insert(T field, T word, unsigned position, unsigned length) {
    const int bits = bits_of<T>(), start = int(position & 0xff), count = int(length & 0xff);
    uint64_t result = uint64_t(word);
    for (int i = 0; i < count && start + i < bits; i++) {
        result &= ~(uint64_t(1) << (start + i));
        result |= (uint64_t(field) >> i & 1) << (start + i);
    }
    return T(result);
}
}  // namespace simt
template <class T> T __bfe(T word, unsigned position, unsigned length) { return simt::extract(word, position, length); }
template <class T> T __bfi(T a, T b, unsigned position, unsigned length) { return simt::insert(a, b, position, length); }
inline unsigned __ubfe(unsigned word, unsigned position, unsigned length) { return __bfe(word, position, length); }
inline unsigned __bitextract_u32(unsigned word, unsigned position, unsigned length) { return __bfe(word, position, length); }
inline unsigned __bitinsert_u32(unsigned a, unsigned b, unsigned position, unsigned length) {
    return __bfi(b, a, position, length);
}
