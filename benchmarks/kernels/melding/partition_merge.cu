// Partition and concurrent merge: every thread owns a sorted bucket of keys; in each phase neighbours merge their
// buckets, and the left one keeps the low half, the right one the high half (an odd-even transposition of buckets).
// The parity of the thread decides the arm; each arm is a loop around a merge step, and one arm has a guard.
// The bucket behind the last one holds the largest key, so the left arm needs no guard.

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
      for (int at = mine; at < mine + BUCKET; ++at) {
        if (bucket[own] <= bucket[other]) {
          merged[at] = bucket[own];
          own += 1;
        } else {
          merged[at] = bucket[other];
          other += 1;
        }
      }
    } else {
      if (thread > 0) {
        int own = mine + BUCKET - 1;
        int other = mine - 1;
        for (int at = mine + BUCKET - 1; at >= mine; --at) {
          if (bucket[other] <= bucket[own]) {
            merged[at] = bucket[own];
            own -= 1;
          } else {
            merged[at] = bucket[other];
            other -= 1;
          }
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
