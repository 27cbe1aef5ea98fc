//// huge grid | --grid 2147483647
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
}

//// huge grid in three dimensions | --grid 2147483647,65535,65535 --block 1024
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
}

//// huge grid that does nothing | --grid 2147483647 --block 1
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;

}

//// huge block | --block 2147483647
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
}

//// huge dynamic shared memory | --shared 1099511627776
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[]; x[i] = s[i];
}

//// huge shared array
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int s[1 << 28]; s[i] = i; x[i] = s[i + 1];
}

//// uniform loop of 10^9 rounds
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1000000000; j++) x[i] += j;
}

//// divergent loop of 10^9 rounds
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = i; j < 1000000000; j += 1 + i % 3) x[i] ^= j;
}

//// loop without memory
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = i; for (unsigned j = 0; j < 4000000000u; j++) s = s * 3 + j;
  x[i] = s;
}

//// endless loop
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (true) {}
}

//// endless loop that counts
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (;;) x[i]++;
}

//// nested endless loops
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (;;) { for (int j = 0; j >= 0; j ^= 1) { while (x[i] != -7) x[i] += j; } }
}

//// endless loop of one thread | --grid 1 --block 1
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) for (;;) x[0]++;
}

//// endless recursion
__device__ int f(int n) { return f(n + 1) + n; }
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = f(i);
}

//// wide recursion
__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = f(40);
}

//// endless printf
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (;;) printf("%d %s\n", i, "text");
}

//// endless loop in printf's argument
__device__ int f(int n) { while (n | 1) n += 2; return n; }
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  printf("%d\n", f(i));
}

//// millions of printf lines | --grid 64 --block 256
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1000; j++) printf("line %d of thread %d: %f\n", j, i, 0.5 * j);
}

//// printf of a huge width
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  printf("%*d|%.*f\n", 2000000000, i, 2000000000, 0.5);
}

//// spin on a flag | --arg 'flag=zeros[1]'
__global__ void k(volatile int *flag, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (*flag == 0) {}
  x[i] = 1;
}

//// spin lock | --arg 'x=zeros[2]' --grid 64 --block 256
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (atomicCAS(x, 0, 1)) {}
  x[1]++; atomicExch(x, 0);
}

//// one address for all, compare and swap | --grid 256 --block 256
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1000; j++) atomicCAS(x, i + j, i);
}

//// one address for all, float add | --grid 256 --block 256
__global__ void k(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1000; j++) atomicAdd(x, 0.1f);
}

//// one address for all, exchange | --grid 256 --block 256
__global__ void k(int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1000; j++) y[i] = atomicExch(x, i);
}

//// one address for all, increment | --grid 256 --block 256
__global__ void k(unsigned *x, unsigned *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1000; j++) y[i] = atomicInc(x, 1000);
}

//// one address for all, maximum | --grid 256 --block 256
__global__ void k(int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1000; j++) y[i] = atomicMax(x, i * 7 % 1000 + j);
}

//// one address for all, compare-and-swap loop | --arg 'x=zeros[1]' --grid 64 --block 256
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int old = *x, seen;
  do { seen = old; old = atomicCAS(x, seen, seen + 1); } while (old != seen);
}

//// local array of 100 GB
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  char a[100000000000ll]; a[i] = 1; x[i] = a[i + 1];
}

//// local arrays of 1 MB
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a[1 << 18]; for (int j = 0; j < 1 << 18; j++) a[j] = j; x[i] = a[i & 1023];
}

//// argument array of 100 GB | --arg 'x=zeros[25000000000]'
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
}

//// annotated array of 100 GB
// simt: x=random(0,1)[25000000000]
__global__ void k(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
}

//// argument array of 900 MB | --arg 'x=random(0,1)[225000000]'
__global__ void k(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
}

//// device array of 100 GB
__device__ int table[25000000000ll];
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = table[i];
}

//// device array of 300 MB with initialiser
__device__ int table[75000000] = {1, 2, 3};
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = table[i];
}

//// malloc in every thread
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (;;) { char *p = (char *)malloc(1 << 20); p[0] = i; x[i] = p[0]; }
}

//// small mallocs without end
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (;;) { int *p = new int[4]; p[0] = i; x[i] = *p; }
}

//// faults of every kind in every thread | --grid 64 --block 256
__constant__ int c[32];
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ int s[];
  __shared__ int t[32];
  int uninitialised;
  x[i] = t[threadIdx.x & 31] + uninitialised;
  x[i - 1000000000] = 1;
  *(int *)((char *)x + 4 * i + 1) = 2;
  c[i & 31] = 3;
  t[0] = i;
  if (threadIdx.x & 1) __syncthreads(); else { t[1] = i; __syncthreads(); }
  __syncwarp(1u << (threadIdx.x & 31));
  x[0] = i;
  *(volatile int *)0 = i;
}

//// endless faults
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0;; j++) { x[i * 4096 + j] = j; x[-1 - j] = i; }
}

//// races of all threads | --arg 'x=zeros[1024]' --grid 64 --block 256
__global__ void k(int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 100000; j++) { x[j & 1023] = i; y[i] = x[(j + i) & 1023]; }
}

//// gather from everywhere | --arg 'x=zeros[1048576]' --grid 256 --block 256
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = i; for (int j = 0; j < 100000; j++) { h = h * 1664525u + 1013904223u; x[i] += x[h & 0xfffff]; }
}

//// assertion in every thread
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < 0);
}

//// trap in every thread
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __trap();
}

//// shuffles without end
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i; for (;;) { v += __shfl_xor_sync(0xffffffffu, v, 1); x[i] = v; }
}

//// barriers without end | --grid 64 --block 256
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int s[256]; for (;;) { s[threadIdx.x & 255] = i; __syncthreads(); x[i] = s[(i + 1) & 255]; __syncthreads(); }
}

//// barrier of one half
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) __syncthreads(); else while (x[i] != 77) {}
}

//// largest grid that is simulated | --grid 262144 --block 256
__global__ void k(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n) printf("%d\n", i);
}

//// recursion with large frames | --grid 256 --block 256
__device__ int f(int n) {
  int a[1000];
  for (int j = 0; j < 1000; j++) a[j] = n + j;
  return f(a[n & 511]) + a[n & 255];
}
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = f(i);
}

//// local variables of a loop in a recursion | --grid 256 --block 256
__device__ double f(double n) {
  double a = n * 2, b = a * n, c = b + a, d = c * b;
  for (int j = 0; j < 3; j++) { a += b; b += c; c += d; d += a; }
  return f(n + 1) + a * b * c * d;
}
__global__ void k(double *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = f(i);
}
