// Transposition through a padded tile, any width and height.
#define TILE 16
__global__ void transpose(double *__restrict__ to, const double *__restrict__ from, int width, int height) {
    __shared__ double tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < height && y + j < width) to[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
