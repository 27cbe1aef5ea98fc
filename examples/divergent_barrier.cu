// A barrier that only part of the block reaches.
//
//   simt-lsp check examples/divergent_barrier.cu
//
// `__syncthreads()` waits for every thread of the block.  In `smooth` only the first `RADIUS` threads load the halo,
// and the barrier stands inside their `if`: the other threads never arrive, and those that did may wait forever.
// `smooth_fixed` guards the work and lets everybody meet afterwards.

#define RADIUS 4
#define BLOCK 128

__global__ void smooth(const float *in, float *out) {
  __shared__ float tile[BLOCK + 2 * RADIUS];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + RADIUS] = in[i + RADIUS];
  if (threadIdx.x < RADIUS) {
    tile[threadIdx.x] = in[i];
    tile[threadIdx.x + RADIUS + BLOCK] = in[i + RADIUS + BLOCK];
    __syncthreads();  // some threads of the block never come here
  }
  float sum = 0.0f;
  for (int k = -RADIUS; k <= RADIUS; ++k) {
    sum += tile[threadIdx.x + RADIUS + k];
  }
  out[i] = sum / (2 * RADIUS + 1);
}

__global__ void smooth_fixed(const float *in, float *out) {
  __shared__ float tile[BLOCK + 2 * RADIUS];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + RADIUS] = in[i + RADIUS];
  if (threadIdx.x < RADIUS) {
    tile[threadIdx.x] = in[i];
    tile[threadIdx.x + RADIUS + BLOCK] = in[i + RADIUS + BLOCK];
  }
  __syncthreads();  // everybody comes here
  float sum = 0.0f;
  for (int k = -RADIUS; k <= RADIUS; ++k) {
    sum += tile[threadIdx.x + RADIUS + k];
  }
  out[i] = sum / (2 * RADIUS + 1);
}

void run_smooth(const float *in, float *out, int blocks) {
  smooth<<<blocks, BLOCK>>>(in, out);
  smooth_fixed<<<blocks, BLOCK>>>(in, out);
}
