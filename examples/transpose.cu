// A transposed tile: what goes wrong in memory, and one click that mends half of it.
//
//   simt-lsp check examples/transpose.cu
//
// `transpose_naive` writes its columns straight to global memory: 32 lanes, 32 sectors, where 4 would do.  `transpose`
// goes through shared memory, so both sides of it are rows; but the lanes that read a column of `tile` all want the
// same bank.  The fix on that line pads the rows by one element, and the simulator shows what is left of the conflicts.

#define TILE 32

__global__ void transpose_naive(const float *in, float *out, int width) {
  const int x = blockIdx.x * TILE + threadIdx.x;
  const int y = blockIdx.y * TILE + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}

__global__ void transpose(const float *in, float *out, int width) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

void run_transpose(const float *in, float *out, int width) {
  dim3 grid(width / TILE, width / TILE), block(TILE, TILE);
  transpose_naive<<<grid, block>>>(in, out, width);
  transpose<<<grid, block>>>(in, out, width);
}
