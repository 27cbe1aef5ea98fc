// Merge sort from the bottom up: each block sorts chunks of 32 keys in shared memory, four keys for each thread.  In each
// pass a thread merges two sorted runs; the arms of the merge step take the next key from one run or from the other.

#define KEYS_PER_THREAD 4
#define CHUNK 32
#define MOST_KEYS 1024

// simt: grid=4 block=256 keys=random(0,1000000)[4096]
__global__ void merge_sort(int *keys) {
  __shared__ int ping[MOST_KEYS];
  __shared__ int pong[MOST_KEYS];
  int count = KEYS_PER_THREAD * blockDim.x;
  int first = blockIdx.x * count;
  for (int at = threadIdx.x; at < count; at += blockDim.x) {
    ping[at] = keys[first + at];
  }
  __syncthreads();

  int *source = ping;
  int *dest = pong;
  for (int run = 1; run < CHUNK; run *= 2) {
    for (int start = 2 * run * threadIdx.x; start < count; start += 2 * run * blockDim.x) {
      int middle = start + run;
      int end = middle + run;
      int left = start;
      int right = middle;
      for (int at = start; at < end; ++at) {
        if (left < middle && (right >= end || source[left] <= source[right])) {
          dest[at] = source[left];
          left += 1;
        } else {
          dest[at] = source[right];
          right += 1;
        }
      }
    }
    __syncthreads();
    int *written = dest;
    dest = source;
    source = written;
  }
  for (int at = threadIdx.x; at < count; at += blockDim.x) {
    keys[first + at] = source[at];
  }
}
