#define TILE 32

// One diagonal of tiles of a table of scores for aligning two sequences: each block computes one tile, one antidiagonal
// of cells after the other, which grow to the whole warp and shrink again.
__global__ void needle(int *table, const int *match, int columns, int diagonal, int gap) {
  __shared__ int cell[TILE + 1][TILE + 1];
  __shared__ int score[TILE][TILE];
  int t = threadIdx.x;
  int left = blockIdx.x * TILE, top = (diagonal - blockIdx.x) * TILE;
  for (int row = 0; row < TILE; row++) score[row][t] = match[(top + row + 1) * columns + left + t + 1];
  cell[0][t + 1] = table[top * columns + left + t + 1];
  cell[t + 1][0] = table[(top + t + 1) * columns + left];
  if (t == 0) cell[0][0] = table[top * columns + left];
  __syncthreads();
  for (int step = 0; step < TILE; step++) {
    if (t <= step) {
      int row = step - t + 1, column = t + 1;
      int best = cell[row - 1][column - 1] + score[row - 1][column - 1];
      if (best < cell[row][column - 1] - gap) best = cell[row][column - 1] - gap;
      if (best < cell[row - 1][column] - gap) best = cell[row - 1][column] - gap;
      cell[row][column] = best;
    }
    __syncthreads();
  }
  for (int step = TILE - 2; step >= 0; step--) {
    if (t <= step) {
      int row = TILE - t, column = TILE - step + t;
      int best = cell[row - 1][column - 1] + score[row - 1][column - 1];
      if (best < cell[row][column - 1] - gap) best = cell[row][column - 1] - gap;
      if (best < cell[row - 1][column] - gap) best = cell[row - 1][column] - gap;
      cell[row][column] = best;
    }
    __syncthreads();
  }
  for (int row = 0; row < TILE; row++) table[(top + row + 1) * columns + left + t + 1] = cell[row + 1][t + 1];
}
