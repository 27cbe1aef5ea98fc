// Memory under other types: structs with padding through char pointers, unions, vectors over scalars, bytes of numbers.
struct Mixed { char tag; double number; short small; int wide[2]; };
union Word { unsigned u; short s[2]; unsigned char b[4]; };
__global__ void unions_and_casts(Mixed *records, const unsigned char *bytes, unsigned *words, int4 *quads, unsigned long long *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Mixed *mine = &records[i];
    char *raw = (char *)mine;
    mine->tag = (char)i;
    mine->number *= 1.5;
    mine->small = -mine->small;
    *(int *)(raw + sizeof(Mixed) - 8) = i * 3;
    mine->wide[1] ^= 0x55;
    Word word;
    word.u = *(const unsigned *)(bytes + 4 * i);
    word.s[1] = (short)(word.s[0] + word.b[3]);
    unsigned char kept = word.b[0];
    word.b[0] = word.b[1];
    word.b[1] = kept;
    words[i] = word.u;
    float4 f = make_float4(i, -i, 0.5f * i, 1.0f / (i + 1));
    quads[i] = *reinterpret_cast<int4 *>(&f);
    unsigned long long sum = 0;
    const unsigned char *octets = reinterpret_cast<const unsigned char *>(&mine->number);
    for (int j = 0; j < 8; j++) sum = sum * 31 + octets[j];
    sums[i] = sum + sizeof(Mixed) + (size_t)((char *)&mine->wide[0] - raw);
}
