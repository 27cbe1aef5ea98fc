"""CUDA text that the tests of the shell share."""

from __future__ import annotations

DIVERGENT = """\
__global__ void halo(int *out) { out[1] = 1;
  if (threadIdx.x < 16) {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
"""
"""One error, SYN101, at line 3 column 5."""

CLEAN = """\
__global__ void scale(float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
"""

BROKEN = "__global__ void broken(int *p) { if (p[0] > { } ) __sync"
