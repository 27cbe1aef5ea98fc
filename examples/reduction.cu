// A block-wide sum, as it should be: nothing is reported here.
//
// All barriers are reached by all threads, because the trips of the loop depend on `blockDim.x` only.  The last warp
// exchanges values with shuffles whose mask names every lane, in code that the whole warp executes.

__global__ void sum(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  float value = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    value += in[i];
  }
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride >= 32; stride /= 2) {
    if (threadIdx.x < stride) {
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    }
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    value = partial[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
      value += __shfl_down_sync(0xffffffff, value, offset);
    }
    if (threadIdx.x == 0) atomicAdd(out, value);
  }
}

void run_sum(const float *in, float *out, int n) {
  sum<<<256, 256, 256 * sizeof(float)>>>(in, out, n);
}
