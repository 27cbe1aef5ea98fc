// Bit-fields: packed words, signed ones, a float taken apart, units of different types that overlap, promotion to int.
union Bits {
    float f;
    unsigned u;
    struct { unsigned mantissa : 23, exponent : 8, sign : 1; } parts;
};
struct Packed {
    unsigned a : 3;
    int b : 5;
    bool c : 1;
    unsigned long long d : 40;
    char e;
    short g : 9;
    unsigned : 0;
    unsigned h : 4;
    unsigned : 2;
    unsigned i : 30;
};
struct Nibbles {
    int x : 4, y : 4;
    __device__ Nibbles(int a, int b) : x(a), y(b) {}
};
__global__ void bit_fields(const float *x, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bits bits;
    bits.f = x[i];
    Packed s = {5, -3, true, 0x123456789Aull, 'c', -7, 9, 77};
    s.a += 4;
    s.b--;
    s.d <<= 2;
    s.i ^= 1u << (i & 15);
    Nibbles nibbles(i, -i);
    Packed t = s;
    t.c = !t.c;
    t.h = i;
    int *row = out + i * 11;
    row[0] = bits.parts.exponent - 127;
    row[1] = bits.parts.sign ? -1 : 1;
    row[2] = bits.parts.mantissa;
    row[3] = s.a - 5 < 0;
    row[4] = s.b * 100 + s.c;
    row[5] = (int)(s.d >> 3) + s.e + s.g;
    row[6] = s.h * s.i;
    row[7] = nibbles.x * 1000 + nibbles.y;
    row[8] = t.c + t.h * 2 + t.i;
    row[9] = sizeof(Packed) * 100 + sizeof(Bits) * 10 + sizeof(Nibbles);
    bits.parts.sign ^= 1;
    row[10] = (int)bits.f;
}
