// Vector types with their alignments (Programming Guide, table "Alignment Requirements") and `make_...`.
#pragma once

#include <cstddef>
#include <cstdint>

#define SIMT_VECTORS(type, name, align2, align4)                                                           \
    struct name##1 { type x; };                                                                            \
    struct alignas(align2) name##2 { type x, y; };                                                         \
    struct name##3 { type x, y, z; };                                                                      \
    struct alignas(align4) name##4 { type x, y, z, w; };                                                   \
    inline name##1 make_##name##1(type x) { return {x}; }                                                  \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                       \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                            \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

SIMT_VECTORS(signed char, char, 2, 4)
SIMT_VECTORS(unsigned char, uchar, 2, 4)
SIMT_VECTORS(short, short, 4, 8)
SIMT_VECTORS(unsigned short, ushort, 4, 8)
SIMT_VECTORS(int, int, 8, 16)
SIMT_VECTORS(unsigned int, uint, 8, 16)
SIMT_VECTORS(long, long, 16, 16)
SIMT_VECTORS(unsigned long, ulong, 16, 16)
SIMT_VECTORS(long long, longlong, 16, 16)
SIMT_VECTORS(unsigned long long, ulonglong, 16, 16)
SIMT_VECTORS(float, float, 8, 16)
SIMT_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
