// Bitonic sort: each block sorts one bucket of blockDim.x keys (a power of two, at most 256) in shared memory.
// Both arms of the divergent branch compare and exchange, in opposite orders.

// simt: grid=8 block=256 keys=random(0,1000000)[2048]
__global__ void bitonic_sort(int *keys) {
  __shared__ int tile[256];
  int thread = threadIdx.x;
  int first = blockIdx.x * blockDim.x;
  tile[thread] = keys[first + thread];
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      int partner = thread ^ distance;
      if (partner > thread) {
        if ((thread & size) == 0) {
          if (tile[thread] > tile[partner]) {
            int held = tile[thread];
            tile[thread] = tile[partner];
            tile[partner] = held;
          }
        } else {
          if (tile[thread] < tile[partner]) {
            int held = tile[thread];
            tile[thread] = tile[partner];
            tile[partner] = held;
          }
        }
      }
      __syncthreads();
    }
  }
  keys[first + thread] = tile[thread];
}
