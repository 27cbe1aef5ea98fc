// CRC-32 by a table that the block builds in shared memory, and CRC-16 by a small table in constant memory.
__constant__ unsigned short nibbles[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
                                           0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
__global__ void crc_table(const signed char *text, const int *starts, unsigned *crc32, unsigned short *crc16, int count) {
    __shared__ unsigned table[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned crc = ~0u;
    unsigned short small = 0xffff;
    for (int at = starts[i]; at < starts[i + 1]; ++at) {
        crc = table[(crc ^ text[at]) & 0xff] ^ (crc >> 8);
        unsigned char byte = text[at];
        small = (small << 4) ^ nibbles[(small >> 12) ^ (byte >> 4)];
        small = (small << 4) ^ nibbles[((small >> 12) ^ byte) & 15];
    }
    crc32[i] = ~crc;
    crc16[i] = small;
}
