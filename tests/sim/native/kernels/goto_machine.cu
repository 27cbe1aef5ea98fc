// Unstructured control flow: loops that enter each other, a region with two entries, jumps out of nested loops.
__global__ void goto_machine(const unsigned *seeds, unsigned *out, int rounds) {
    unsigned x = seeds[blockIdx.x * blockDim.x + threadIdx.x], count = 0, sum = 0;
    if (x & 1) goto second;
first:
    sum += x;
    x = x * 1664525u + 1013904223u;
    if (++count > rounds) goto done;
    if (x >> 31) goto third;
second:
    sum ^= x >> 3;
    x = x * 22695477u + 1u;
    if (++count > rounds) goto done;
    if ((x >> 28) < 5) goto first;
third:
    for (int i = 0; i < 4; i++) {
        sum = sum << 1 | sum >> 31;
        if ((x >> i & 15) == 3) goto second;
        if ((x >> i & 15) == 9) { count++; goto first; }
    }
    if (count++ < rounds) goto second;
done:
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum ^ x ^ count;
}
