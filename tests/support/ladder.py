"""A kernel whose lanes exchange through volatile shared memory as if they ran in step."""

from __future__ import annotations

from typing import Final

LADDER: Final = """__global__ void sum(float *x) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
  }
  if (t == 0) x[0] = s[0];
}
void host(float *x) { sum<<<1, 64>>>(x); }
"""
