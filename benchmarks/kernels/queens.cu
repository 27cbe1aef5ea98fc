// Ways to complete a board of n queens, by depth-first search with a stack per thread: for each row the squares that
// are still to be tried, and what the queens above attack.  A thread's number says where the queens of the first rows
// stand, if they can; so some threads have nothing to do, and the others walk apart.
__global__ void queens(int *ways, int n, int first_rows) {
  unsigned free_squares[16], columns[16], falling[16], rising[16];
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned board = (1u << n) - 1, taken = 0, down = 0, up = 0;
  int number = thread, count = 0, depth = 0;
  bool possible = true;
  for (int row = 0; row < first_rows; row++) {
    unsigned queen = 1u << number % n;
    number /= n;
    possible = possible && (queen & (taken | down | up)) == 0;
    taken |= queen;
    down = (down | queen) << 1;
    up = (up | queen) >> 1;
  }
  columns[0] = taken;
  falling[0] = down;
  rising[0] = up;
  free_squares[0] = possible && number == 0 ? board & ~(taken | down | up) : 0;
  while (depth >= 0) {
    unsigned squares = free_squares[depth];
    if (squares == 0) {
      depth--;
      continue;
    }
    unsigned queen = squares & (0u - squares);
    free_squares[depth] = squares ^ queen;
    if (first_rows + depth + 1 == n) {
      count++;
    } else {
      columns[depth + 1] = columns[depth] | queen;
      falling[depth + 1] = (falling[depth] | queen) << 1;
      rising[depth + 1] = (rising[depth] | queen) >> 1;
      depth++;
      free_squares[depth] = board & ~(columns[depth] | falling[depth] | rising[depth]);
    }
  }
  ways[thread] = count;
}
