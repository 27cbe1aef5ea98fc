// LU decomposition by tiles, the step after a diagonal tile was decomposed: each block solves one tile of the row panel
// (with the lower triangle of the diagonal tile) and one tile of the column panel (with its upper triangle).
// A block has two threads per column of a tile; the first half works on the row panel, the second on the column panel.
// A warp is divergent where a tile is narrower than the warp.

#define MOST 64

// simt: grid=2 block=32 size=192 matrix=random(1,2)[36864]
__global__ void lu_perimeter(float *matrix, int size) {
  __shared__ float diagonal[MOST * MOST];
  __shared__ float row_tile[MOST * MOST];
  __shared__ float column_tile[MOST * MOST];
  int tile = blockDim.x / 2;
  int thread = threadIdx.x;
  int start = (blockIdx.x + 1) * tile;

  if (thread < tile) {
    int lane = thread;
    for (int row = 0; row < tile / 2; ++row) {
      diagonal[row * tile + lane] = matrix[row * size + lane];
    }
    for (int row = 0; row < tile; ++row) {
      row_tile[row * tile + lane] = matrix[row * size + start + lane];
    }
  } else {
    int lane = thread - tile;
    for (int row = tile / 2; row < tile; ++row) {
      diagonal[row * tile + lane] = matrix[row * size + lane];
    }
    for (int row = 0; row < tile; ++row) {
      column_tile[row * tile + lane] = matrix[(start + row) * size + lane];
    }
  }
  __syncthreads();

  if (thread < tile) {
    int lane = thread;
    for (int row = 1; row < tile; ++row) {
      for (int inner = 0; inner < row; ++inner) {
        row_tile[row * tile + lane] -= diagonal[row * tile + inner] * row_tile[inner * tile + lane];
      }
    }
  } else {
    int lane = thread - tile;
    for (int column = 0; column < tile; ++column) {
      for (int inner = 0; inner < column; ++inner) {
        column_tile[lane * tile + column] -= column_tile[lane * tile + inner] * diagonal[inner * tile + column];
      }
      column_tile[lane * tile + column] /= diagonal[column * tile + column];
    }
  }
  __syncthreads();

  if (thread < tile) {
    int lane = thread;
    for (int row = 1; row < tile; ++row) {
      matrix[row * size + start + lane] = row_tile[row * tile + lane];
    }
  } else {
    int lane = thread - tile;
    for (int row = 0; row < tile; ++row) {
      matrix[(start + row) * size + lane] = column_tile[row * tile + lane];
    }
  }
}
