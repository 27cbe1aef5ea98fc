// Numbers of 256 bits: sums with carry, products by 64-bit and 32-bit halves, shifts across words, comparison.
typedef unsigned long long u64;
struct Big { u64 word[4]; };
__device__ Big sum(const Big &a, const Big &b, bool &carry) {
    Big r;
    u64 c = 0;
    for (int i = 0; i < 4; i++) {
        u64 s = a.word[i] + b.word[i], t = s + c;
        c = (s < a.word[i]) | (t < s);
        r.word[i] = t;
    }
    carry = c != 0;
    return r;
}
__device__ Big product(const Big &a, const Big &b) {
    Big r = {{0, 0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        u64 carry = 0;
        for (int j = 0; i + j < 4; j++) {
            u64 low = a.word[i] * b.word[j], high = __umul64hi(a.word[i], b.word[j]);
            u64 s = r.word[i + j] + low;
            high += s < low;
            s += carry;
            high += s < carry;
            r.word[i + j] = s;
            carry = high;
        }
    }
    return r;
}
__global__ void wide_multiply(const Big *left, const Big *right, Big *sums, Big *products, Big *shifted, int *facts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Big a = left[i], b = right[i];
    bool carry;
    sums[i] = sum(a, b, carry);
    products[i] = product(a, b);
    int by = i % 64;
    for (int w = 0; w < 4; w++)
        shifted[i].word[w] = by ? a.word[w] << by | (w ? a.word[w - 1] >> (64 - by) : 0) : a.word[w];
    int w = 3;
    while (w > 0 && a.word[w] == b.word[w]) w--;
    int small = __mulhi((int)a.word[0], (int)b.word[0]) ^ (int)__umulhi((unsigned)a.word[1], (unsigned)b.word[1]);
    facts[i] = (carry | (a.word[w] < b.word[w]) << 1 | __clzll(a.word[0]) << 2 | __ffsll(b.word[1]) << 9 | __popcll(a.word[3]) << 16) ^ small;
}
