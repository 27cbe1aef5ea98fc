// SHA-256 of one block per thread: rotations, a table in constant memory, byte order.
__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define S0(x) (ROR(x, 2) ^ ROR(x, 13) ^ __funnelshift_r(x, x, 22))
#define S1(x) (ROR(x, 6) ^ ROR(x, 11) ^ __funnelshift_l(x, x, 7))
__global__ void sha256(const unsigned char *messages, unsigned *digests, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[16] = {0};
    for (int j = 0; j < length; j++) w[j / 4] |= (unsigned)messages[i * length + j] << (24 - 8 * (j & 3));
    w[length / 4] |= 0x80u << (24 - 8 * (length & 3));
    w[15] = length * 8;
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], s = h[7];
    for (int round = 0; round < 64; round++) {
        if (round >= 16) {
            unsigned x = w[(round + 1) & 15], y = w[(round + 14) & 15];
            w[round & 15] += (ROR(x, 7) ^ ROR(x, 18) ^ (x >> 3)) + w[(round + 9) & 15] + (ROR(y, 17) ^ ROR(y, 19) ^ (y >> 10));
        }
        unsigned t1 = s + S1(e) + ((e & f) ^ (~e & g)) + K[round] + w[round & 15];
        unsigned t2 = S0(a) + ((a & b) ^ (a & c) ^ (b & c));
        s = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    unsigned *to = digests + 8 * i;
    to[0] = h[0] + a; to[1] = h[1] + b; to[2] = h[2] + c; to[3] = h[3] + d;
    to[4] = h[4] + e; to[5] = h[5] + f; to[6] = h[6] + g; to[7] = __byte_perm(h[7] + s, 0, 0x3210);
}
