// SIMD intrinsics: two or four small integers in one word (CUDA Math API, "SIMD Intrinsics"); signed averages round
// as PTX ISA `vavrg2` does: up if the sum is not negative.
#pragma once

#include "integers.h"

namespace simt {

// `each(a, b)` on the signed or unsigned parts of two words; the result keeps the low bits of each.
template <int BITS, bool SIGNED, class Each> unsigned by_parts(unsigned a, unsigned b, Each each) {
    unsigned result = 0;
    for (int i = 0; i < 32 / BITS; i++) {
        const int x = SIGNED ? field(int(a), i, BITS) : field(a, i, BITS);
        const int y = SIGNED ? field(int(b), i, BITS) : field(b, i, BITS);
        result |= (unsigned(each(x, y)) & ((1u << BITS) - 1)) << i * BITS;
    }
    return result;
}
template <int BITS> int clamp_signed(int x) {
    const int top = (1 << (BITS - 1)) - 1;
    return x > top ? top : x < -top - 1 ? -top - 1 : x;
}
template <int BITS> int clamp_unsigned(int x) {
    const int top = (1 << BITS) - 1;
    return x > top ? top : x < 0 ? 0 : x;
}
inline int magnitude(int x) { return x < 0 ? -x : x; }

}  // namespace simt

#define SIMT_WORD(name, lanes, bits, is_signed, expression)                                                     \
    inline unsigned __v##name##lanes(unsigned a, unsigned b) {                                                  \
        return simt::by_parts<bits, is_signed>(a, b, [](int x, int y) -> int { (void)y; return expression; });  \
    }
#define SIMT_WORD_1(name, lanes, bits, expression)                                                              \
    inline unsigned __v##name##lanes(unsigned a) {                                                              \
        return simt::by_parts<bits, true>(a, a, [](int x, int) -> int { return expression; });                  \
    }
#define SIMT_COMPARED(name, lanes, bits, is_signed, operator)                                                   \
    SIMT_WORD(cmp##name, lanes, bits, is_signed, x operator y ? -1 : 0)                                         \
    SIMT_WORD(set##name, lanes, bits, is_signed, x operator y ? 1 : 0)
#define SIMT_WORDS(lanes, bits)                                                                                 \
    SIMT_WORD(add, lanes, bits, false, x + y)                                                                   \
    SIMT_WORD(addss, lanes, bits, true, simt::clamp_signed<bits>(x + y))                                        \
    SIMT_WORD(addus, lanes, bits, false, simt::clamp_unsigned<bits>(x + y))                                     \
    SIMT_WORD(sub, lanes, bits, false, x - y)                                                                   \
    SIMT_WORD(subss, lanes, bits, true, simt::clamp_signed<bits>(x - y))                                        \
    SIMT_WORD(subus, lanes, bits, false, simt::clamp_unsigned<bits>(x - y))                                     \
    SIMT_WORD(absdiffs, lanes, bits, true, simt::magnitude(x - y))                                              \
    SIMT_WORD(absdiffu, lanes, bits, false, simt::magnitude(x - y))                                             \
    SIMT_WORD(avgs, lanes, bits, true, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)                                     \
    SIMT_WORD(avgu, lanes, bits, false, (x + y + 1) >> 1)                                                       \
    SIMT_WORD(haddu, lanes, bits, false, (x + y) >> 1)                                                          \
    SIMT_WORD(maxs, lanes, bits, true, x < y ? y : x)                                                           \
    SIMT_WORD(maxu, lanes, bits, false, x < y ? y : x)                                                          \
    SIMT_WORD(mins, lanes, bits, true, y < x ? y : x)                                                           \
    SIMT_WORD(minu, lanes, bits, false, y < x ? y : x)                                                          \
    SIMT_COMPARED(eq, lanes, bits, false, ==)                                                                   \
    SIMT_COMPARED(ne, lanes, bits, false, !=)                                                                   \
    SIMT_COMPARED(ges, lanes, bits, true, >=)                                                                   \
    SIMT_COMPARED(geu, lanes, bits, false, >=)                                                                  \
    SIMT_COMPARED(gts, lanes, bits, true, >)                                                                    \
    SIMT_COMPARED(gtu, lanes, bits, false, >)                                                                   \
    SIMT_COMPARED(les, lanes, bits, true, <=)                                                                   \
    SIMT_COMPARED(leu, lanes, bits, false, <=)                                                                  \
    SIMT_COMPARED(lts, lanes, bits, true, <)                                                                    \
    SIMT_COMPARED(ltu, lanes, bits, false, <)                                                                   \
    SIMT_WORD_1(abs, lanes, bits, simt::magnitude(x))                                                           \
    SIMT_WORD_1(absss, lanes, bits, simt::clamp_signed<bits>(simt::magnitude(x)))                               \
    SIMT_WORD_1(neg, lanes, bits, -x)                                                                           \
    SIMT_WORD_1(negss, lanes, bits, simt::clamp_signed<bits>(-x))                                               \
    inline unsigned __vsads##lanes(unsigned a, unsigned b) {                                                    \
        unsigned sum = 0;                                                                                       \
        for (int i = 0; i < lanes; i++)                                                                         \
            sum += unsigned(simt::magnitude(simt::field(int(a), i, bits) - simt::field(int(b), i, bits)));      \
        return sum;                                                                                             \
    }                                                                                                           \
    inline unsigned __vsadu##lanes(unsigned a, unsigned b) {                                                    \
        unsigned sum = 0;                                                                                       \
        for (int i = 0; i < lanes; i++)                                                                         \
            sum += unsigned(simt::magnitude(simt::field(a, i, bits) - simt::field(b, i, bits)));                \
        return sum;                                                                                             \
    }
SIMT_WORDS(2, 16)
SIMT_WORDS(4, 8)

#define SIMT_DPX_WORDS(name, best)                                                                              \
    inline unsigned __vi##name##3_s16x2(unsigned a, unsigned b, unsigned c) {                                   \
        return __v##best##s2(__v##best##s2(a, b), c);                                                           \
    }                                                                                                           \
    inline unsigned __vi##name##3_u16x2(unsigned a, unsigned b, unsigned c) {                                   \
        return __v##best##u2(__v##best##u2(a, b), c);                                                           \
    }                                                                                                           \
    inline unsigned __vi##name##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {                              \
        return __vmaxs2(__vi##name##3_s16x2(a, b, c), 0);                                                       \
    }                                                                                                           \
    inline unsigned __viadd##name##_s16x2(unsigned a, unsigned b, unsigned c) {                                 \
        return __v##best##s2(__vadd2(a, b), c);                                                                 \
    }                                                                                                           \
    inline unsigned __viadd##name##_u16x2(unsigned a, unsigned b, unsigned c) {                                 \
        return __v##best##u2(__vadd2(a, b), c);                                                                 \
    }                                                                                                           \
    inline unsigned __viadd##name##_s16x2_relu(unsigned a, unsigned b, unsigned c) {                            \
        return __vmaxs2(__viadd##name##_s16x2(a, b, c), 0);                                                     \
    }                                                                                                           \
    inline unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__v##best##s2(a, b), 0); }
SIMT_DPX_WORDS(max, max)
SIMT_DPX_WORDS(min, min)

// The same with a predicate for each half: whether the first operand's was taken.
#define SIMT_PREDICATED_HALVES(name, half, suffix, holds)                                                   \
    inline unsigned __vib##name##_##suffix##16x2(unsigned a, unsigned b, bool* high, bool* low) {           \
        *high = half(a >> 16) holds half(b >> 16);                                                          \
        *low = half(a & 0xFFFF) holds half(b & 0xFFFF);                                                     \
        return __v##name##suffix##2(a, b);                                                                  \
    }
SIMT_PREDICATED_HALVES(max, int16_t, s, >=)
SIMT_PREDICATED_HALVES(max, uint16_t, u, >=)
SIMT_PREDICATED_HALVES(min, int16_t, s, <=)
SIMT_PREDICATED_HALVES(min, uint16_t, u, <=)
