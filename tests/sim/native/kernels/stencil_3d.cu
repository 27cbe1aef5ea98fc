// Seven points in three dimensions: the planes above and below in registers, blocks of three dimensions too.
__global__ void stencil_3d(const double *in, double *out, int3 size, double centre, double side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int first = blockIdx.z * 4 + threadIdx.z * 2;
    if (x >= size.x || y >= size.y) return;
    const long plane = (long)size.x * size.y, at = (long)y * size.x + x;
    double below = first > 0 ? in[at + (first - 1) * plane] : 0.0, here = in[at + first * plane];
    for (int z = first; z < first + 2 && z < size.z; z++) {
        double above = z + 1 < size.z ? in[at + (z + 1) * plane] : 0.0;
        double sum = below + above;
        sum += x > 0 ? in[at + z * plane - 1] : 0.0;
        sum += x + 1 < size.x ? in[at + z * plane + 1] : 0.0;
        sum += y > 0 ? in[at + z * plane - size.x] : 0.0;
        sum += y + 1 < size.y ? in[at + z * plane + size.x] : 0.0;
        out[at + z * plane] = centre * here - side * sum;
        below = here;
        here = above;
    }
}
