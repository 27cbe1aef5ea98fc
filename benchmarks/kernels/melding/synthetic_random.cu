// The shapes of synthetic.cu with different computations in the arms: the same kinds of instructions in another order
// and number, so that an alignment leaves gaps and needs selected operands.  No two arms end alike.

#define MOST_THREADS 256
#define ROUNDS 4
#define STEPS 16

// One basic block in each arm.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb1_r(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  int sum = 0;
  a[t] = b[t] = data[at];
  c[t] = d[t] = at;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int step = 0; step < STEPS; ++step) {
      if ((bits[at] >> step & 1) != 0) {
        int x = a[t];
        int y = b[t];
        x = x * 5 + y;
        y = y ^ x >> 3;
        a[t] = x - y;
        x = x * 7 & y;
        b[t] = x;
      } else {
        int x = c[t];
        x = (x | step) * 9;
        int y = d[t];
        c[t] = x ^ y;
        y = y + x * 3;
        d[t] = y >> 1;
        sum -= y;
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t] + sum;
}

// An if-then region in each arm.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb2_r(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  int sum = 0;
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
          a[t] = x - y;
          x = x * 7 & y;
          b[t] = x;
        }
      } else {
        if ((c[t] ^ step) > 40) {
          int x = c[t];
          x = (x | step) * 9;
          int y = d[t];
          c[t] = x ^ y;
          y = y + x * 3;
          d[t] = y >> 1;
          sum -= y;
        }
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t] + sum;
}

// Two if-then regions in each arm, with basic blocks before, between and after them.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb3_r(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  int sum = 0;
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
        c[t] = d[t] * 3 ^ step;
        if ((d[t] ^ step) > 40) {
          int x = c[t];
          x = (x | step) * 9;
          int y = d[t];
          d[t] = x - y;
          c[t] = y >> 2;
        }
        d[t] += c[t] & 255;
        if ((c[t] & 5) != 0) {
          int y = d[t] * 13;
          d[t] = y + step;
          int x = c[t];
          c[t] = x * 3 ^ y;
        }
        sum += c[t] - d[t];
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t] + sum;
}

// Three ways: if, else if, else; one basic block in each.
// simt: grid=8 block=256 bits=random(0,65536)[2048] data=random(0,1000)[2048]
__global__ void sb4_r(const int *bits, int *data) {
  __shared__ int a[MOST_THREADS], b[MOST_THREADS], c[MOST_THREADS], d[MOST_THREADS], e[MOST_THREADS], f[MOST_THREADS];
  int t = threadIdx.x;
  int at = blockIdx.x * blockDim.x + t;
  int sum = 0;
  int last = 0;
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
        a[t] = x - y;
        x = x * 7 & y;
        b[t] = x;
      } else if (way == 1) {
        int x = c[t];
        x = (x | step) * 9;
        int y = d[t];
        c[t] = x ^ y;
        y = y + x * 3;
        d[t] = y >> 1;
        sum -= y;
      } else {
        int y = f[t] * 3;
        int x = e[t] + y;
        f[t] = x ^ step;
        y = (y & x) - step;
        e[t] = y * 11;
        last = last << 1 ^ x;
      }
    }
  }
  data[at] = a[t] + b[t] + c[t] + d[t] + e[t] + f[t] + sum + last;
}
