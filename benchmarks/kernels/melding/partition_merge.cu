// Partition and concurrent merge: every thread owns a sorted bucket of keys; in each phase neighbours merge their
// buckets, and the left one keeps the low half, the right one the high half (an odd-even transposition of buckets).
// The parity of the thread decides the arm; each arm is a loop around a merge step.  One arm has a guard: the first
// thread has no left neighbour, and merges nothing.  Behind the last bucket stands one with the largest key.

#define BUCKET 4
#define MOST_THREADS 256

// simt: grid=4 block=256 keys=random(0,1000000)[4096]
__global__ void partition_merge(int *keys) {
  __shared__ int bucket[(MOST_THREADS + 1) * BUCKET];
  __shared__ int merged[MOST_THREADS * BUCKET];
  int thread = threadIdx.x;
  int mine = thread * BUCKET;
  int first = blockIdx.x * blockDim.x * BUCKET;

  for (int at = 0; at < BUCKET; ++at) {
    int key = keys[first + mine + at];
    int place = at;
    for (; place > 0 && bucket[mine + place - 1] > key; --place) {
      bucket[mine + place] = bucket[mine + place - 1];
    }
    bucket[mine + place] = key;
  }
  for (int at = 0; at < BUCKET; ++at) {
    merged[mine + at] = bucket[mine + at];
  }
  if (thread < BUCKET) {
    bucket[blockDim.x * BUCKET + thread] = 0x7fffffff;
  }
  __syncthreads();

  for (int phase = 0; phase < 16; ++phase) {
    if ((thread + phase) % 2 == 0) {
      int own = mine;
      int other = mine + BUCKET;
      int end = mine + BUCKET;
      for (int at = mine; at < end; ++at) {
        if (bucket[own] <= bucket[other]) {
          merged[at] = bucket[own];
          own += 1;
        } else {
          merged[at] = bucket[other];
          other += 1;
        }
      }
    } else {
      int own = mine + BUCKET - 1;
      int other = mine - 1;
      int end = thread > 0 ? mine : mine + BUCKET;
      for (int at = mine + BUCKET - 1; at >= end; --at) {
        if (bucket[other] <= bucket[own]) {
          merged[at] = bucket[own];
          own -= 1;
        } else {
          merged[at] = bucket[other];
          other -= 1;
        }
      }
    }
    __syncthreads();
    for (int at = mine; at < mine + BUCKET; ++at) {
      bucket[at] = merged[at];
    }
    __syncthreads();
  }
  for (int at = 0; at < BUCKET; ++at) {
    keys[first + mine + at] = bucket[mine + at];
  }
}
