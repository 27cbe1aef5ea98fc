__global__ void histogram(const unsigned char *bytes, unsigned *counts, int per_thread) {
  __shared__ unsigned s[256];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  for (int j = 0; j < per_thread; j++) {
    int i = (j * gridDim.x + blockIdx.x) * blockDim.x + t;
    atomicAdd(&s[bytes[i]], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[t], s[t]);
}
