// Calls through constant tables of function pointers.
typedef int (*Fn)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int minus(int x) { return -x; }
__device__ Fn table[3] = {twice, square, &minus};
__constant__ int (*const other[])(int) = {minus, twice};
__global__ void function_tables(const int* which, int* o, int n) {
  int i = threadIdx.x; if (i >= n) return;
  int w = which[i] % 3;
  o[i] = table[w](i) + (*table[(w + 1) % 3])(i + 1) * 100 + other[w & 1](w);
}
