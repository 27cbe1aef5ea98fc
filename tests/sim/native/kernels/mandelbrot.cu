// Escape times: a loop that lanes leave at different times; single and double precision.
template <typename T> __device__ int escape(T cx, T cy, int limit) {
    T x = 0, y = 0, xx = 0, yy = 0;
    int step = 0;
    while (step < limit && xx + yy <= T(4)) {
        y = T(2) * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        ++step;
    }
    return step;
}
__global__ void mandelbrot(unsigned short *single, unsigned short *twofold, int width, int height, int limit) {
    int px = blockDim.x * blockIdx.x + threadIdx.x, py = blockDim.y * blockIdx.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float x = -2.2f + 3.0f * px / width, y = -1.25f + 2.5f * py / height;
    single[py * width + px] = escape<float>(x, y, limit);
    twofold[py * width + px] = escape((double)x, (double)y, limit);
}
