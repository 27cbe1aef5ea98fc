// N queens: each thread counts the ways to complete a board, by backtracking with the state of all rows in shared memory.
// Its number says which of the free squares the queens of the first rows take.
// Three arms go back a row, and one goes on to the next row.

#define ROWS 8
#define FIRST_ROWS 3
#define MOST_THREADS 256

// simt: grid=2 block=256 counts=zeros[512]
__global__ void queens(int *counts) {
  __shared__ unsigned columns[ROWS][MOST_THREADS];
  __shared__ unsigned falling[ROWS][MOST_THREADS];
  __shared__ unsigned rising[ROWS][MOST_THREADS];
  __shared__ unsigned taken[ROWS][MOST_THREADS];
  const unsigned board = (1u << ROWS) - 1;
  int thread = threadIdx.x;
  unsigned number = blockIdx.x * blockDim.x + thread;

  unsigned used = 0;
  unsigned down = 0;
  unsigned up = 0;
  int row = 0;
  for (int given = 0; given < FIRST_ROWS; ++given) {
    unsigned squares = board & ~(used | down | up);
    int choice = number % __popc(squares);
    number /= __popc(squares);
    for (; choice > 0; --choice) {
      squares &= squares - 1;
    }
    unsigned queen = squares & -squares;
    used |= queen;
    down = (down | queen) << 1;
    up = (up | queen) >> 1;
  }
  columns[0][thread] = used;
  falling[0][thread] = down;
  rising[0][thread] = up;
  taken[0][thread] = used | down | up;

  int found = 0;
  while (row >= 0) {
    if ((taken[row][thread] & board) == board) {
      row -= 1;
    } else {
      unsigned queen = ~taken[row][thread] & (taken[row][thread] + 1);
      taken[row][thread] |= queen;
      if ((queen & board) != 0) {
        if (row == ROWS - FIRST_ROWS - 1) {
          found += 1;
          row -= 1;
        } else {
          columns[row + 1][thread] = columns[row][thread] | queen;
          falling[row + 1][thread] = (falling[row][thread] | queen) << 1;
          rising[row + 1][thread] = (rising[row][thread] | queen) >> 1;
          taken[row + 1][thread] =
              columns[row + 1][thread] | falling[row + 1][thread] | rising[row + 1][thread];
          row += 1;
        }
      } else {
        row -= 1;
      }
    }
  }
  counts[blockIdx.x * blockDim.x + thread] = found;
}
