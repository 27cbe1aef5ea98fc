__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float left[16][16];
  __shared__ float right[16][16];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0.0f;
  for (int tile = 0; tile < n; tile += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
