// Five points with a halo in shared memory, several steps, walls that keep their value.
#define R 1
__global__ void stencil_2d(const float *from, float *to, int width, int height, float rate, int steps) {
    __shared__ float cell[2][18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, now = 0;
    for (int j = threadIdx.y; j < 18; j += blockDim.y)
        for (int i = threadIdx.x; i < 18; i += blockDim.x) {
            int gx = min(max((int)(blockIdx.x * 16) + i - R, 0), width - 1);
            int gy = min(max((int)(blockIdx.y * 16) + j - R, 0), height - 1);
            cell[0][j][i] = cell[1][j][i] = from[gy * width + gx];
        }
    __syncthreads();
    int i = threadIdx.x + R, j = threadIdx.y + R;
    bool wall = x == 0 || y == 0 || x >= width - 1 || y >= height - 1;
    for (int step = 0; step < steps; step++, now ^= 1) {
        float middle = cell[now][j][i];
        float around = cell[now][j - 1][i] + cell[now][j + 1][i] + (cell[now][j][i - 1] + cell[now][j][i + 1]);
        cell[now ^ 1][j][i] = wall ? middle : middle + rate * (around - 4.0f * middle);
        __syncthreads();
    }
    if (x >= width || y >= height) return;
    to[y * width + x] = cell[now][j][i];
}
