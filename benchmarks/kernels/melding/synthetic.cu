// Synthetic kernels for melding, with identical computations in the arms of a divergent branch.  Each has two nested
// loops; the inner one holds a divergent region whose arms work on different arrays in shared memory.
// The lanes of a warp part in every step: the condition is a random bit of each thread.

#define MOST_THREADS 256
#define ROUNDS 4
#define STEPS 16

// One basic block in each arm.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb1(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  a[t] = b[t] = data[at];
  c[t] = d[t] = at;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int step = 0; step < STEPS; ++step) {
      if ((bits[at] >> step & 1) != 0) {
        int x = a[t];
        int y = b[t];
        x = x * 5 + y;
        y = y ^ x >> 3;
        x = x * 7 - y;
        a[t] = x;
        b[t] = y;
      } else {
        int x = c[t];
        int y = d[t];
        x = x * 5 + y;
        y = y ^ x >> 3;
        x = x * 7 - y;
        c[t] = x;
        d[t] = y;
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t];
}

// An if-then region in each arm.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb2(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  a[t] = b[t] = data[at];
  c[t] = d[t] = at;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int step = 0; step < STEPS; ++step) {
      if ((bits[at] >> step & 1) != 0) {
        if ((a[t] & 3) != 0) {
          int x = a[t];
          int y = b[t];
          x = x * 5 + y;
          y = y ^ x >> 3;
          x = x * 7 - y;
          a[t] = x;
          b[t] = y;
        }
      } else {
        if ((c[t] & 3) != 0) {
          int x = c[t];
          int y = d[t];
          x = x * 5 + y;
          y = y ^ x >> 3;
          x = x * 7 - y;
          c[t] = x;
          d[t] = y;
        }
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t];
}

// Two if-then regions in each arm, with basic blocks before, between and after them.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb3(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  a[t] = b[t] = data[at];
  c[t] = d[t] = at;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int step = 0; step < STEPS; ++step) {
      if ((bits[at] >> step & 1) != 0) {
        a[t] += step;
        if ((a[t] & 3) != 0) {
          int x = a[t];
          int y = b[t];
          x = x * 5 + y;
          y = y ^ x >> 3;
          a[t] = x;
          b[t] = y;
        }
        b[t] = b[t] * 3 + a[t];
        if ((b[t] & 7) != 0) {
          int x = b[t];
          int y = a[t];
          x = x * 11 - y;
          b[t] = x ^ y << 2;
        }
        a[t] ^= b[t];
      } else {
        c[t] += step;
        if ((c[t] & 3) != 0) {
          int x = c[t];
          int y = d[t];
          x = x * 5 + y;
          y = y ^ x >> 3;
          c[t] = x;
          d[t] = y;
        }
        d[t] = d[t] * 3 + c[t];
        if ((d[t] & 7) != 0) {
          int x = d[t];
          int y = c[t];
          x = x * 11 - y;
          d[t] = x ^ y << 2;
        }
        c[t] ^= d[t];
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t];
}

// Three ways: if, else if, else; one basic block in each.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb4(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS], e[MOST_THREADS], f[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  a[t] = b[t] = data[at];
  c[t] = d[t] = at;
  e[t] = f[t] = t;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int step = 0; step < STEPS; ++step) {
      int way = (bits[at] >> step) % 3;
      if (way == 0) {
        int x = a[t];
        int y = b[t];
        x = x * 5 + y;
        y = y ^ x >> 3;
        x = x * 7 - y;
        a[t] = x;
        b[t] = y;
      } else if (way == 1) {
        int x = c[t];
        int y = d[t];
        x = x * 5 + y;
        y = y ^ x >> 3;
        x = x * 7 - y;
        c[t] = x;
        d[t] = y;
      } else {
        int x = e[t];
        int y = f[t];
        x = x * 5 + y;
        y = y ^ x >> 3;
        x = x * 7 - y;
        e[t] = x;
        f[t] = y;
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t] + e[t] + f[t];
}
