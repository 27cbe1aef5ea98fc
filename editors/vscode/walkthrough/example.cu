// Three branches that depend on the thread, and only one that costs.
// Hover over `i`, `state[i]` and the `if`s; press "Simulate" above the kernel.

__device__ float settle(float energy) {
  for (int k = 0; k < 16; ++k) {
    energy = 0.5f * (energy + 1.0f / energy);
  }
  return energy;
}

// simt: n=2000 state=random(-9,9)
__global__ void relax(const int *state, float *energy, int n, float *first_warp) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32) {  // whole warps take the same side
    first_warp[32 * blockIdx.x + threadIdx.x] = 0.0f;
  }
  if (i < n) {  // a bounds check: at most one warp splits
    float e = energy[i];
    if (state[i] > 0) {  // what a thread does here depends on its data
      e = settle(e);
    } else {
      e = sqrtf(e) * expf(-e) + logf(e);
    }
    energy[i] = e;
  }
}

void run_relax(const int *state, float *energy, int n, float *first_warp) {
  relax<<<(n + 255) / 256, 256>>>(state, energy, n, first_warp);
}
