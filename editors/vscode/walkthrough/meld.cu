// Both arms do the same work on different operands: look at the hint on `if (from_left)` and press Ctrl+. there.

__global__ void advect(const float *wind, const float *level, float *next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  const bool from_left = wind[i] > 0.0f;
  if (from_left) {
    const float slope = level[i] - level[i - 1];
    next[i] = level[i] - 0.5f * wind[i] * slope;
  } else {
    const float slope = level[i + 1] - level[i];
    next[i] = level[i] - 0.5f * wind[i] * slope;
  }
}

void run_advect(const float *wind, const float *level, float *next, int n) {
  advect<<<(n + 255) / 256, 256>>>(wind, level, next, n);
}
