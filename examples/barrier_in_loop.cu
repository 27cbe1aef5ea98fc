// A barrier in a loop that threads leave at different times.
//
// In `histogram` each thread walks the input with the stride of the block.  Unless `n` is a multiple of `blockDim.x`,
// some threads make one trip more than others, and in that trip they wait for threads that already left the loop.
// `histogram_fixed` counts the trips of the block instead, which is the same number for every thread.

#define BINS 64

__global__ void histogram(const unsigned char *data, int n, int *bins) {
  __shared__ int counts[BINS];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (threadIdx.x < BINS) counts[threadIdx.x] = 0;
    __syncthreads();  // the number of trips varies with threadIdx.x
    atomicAdd(&counts[data[i] % BINS], 1);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
  }
}

__global__ void histogram_fixed(const unsigned char *data, int n, int *bins) {
  __shared__ int counts[BINS];
  for (int first = 0; first < n; first += blockDim.x) {
    if (threadIdx.x < BINS) counts[threadIdx.x] = 0;
    __syncthreads();
    const int i = first + threadIdx.x;
    if (i < n) atomicAdd(&counts[data[i] % BINS], 1);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
    __syncthreads();
  }
}
