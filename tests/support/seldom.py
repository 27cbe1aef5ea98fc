"""A kernel whose arms can be melded, and should not: one warp of many splits, and the others pay for selections."""

from __future__ import annotations

from typing import Final

LINE: Final = 4
"""Of the branch, from 1."""
SELDOM: Final = """\
// simt: grid=8 block=128 flag=iota
__global__ void step(float *even, float *odd, const float *x, const float *y, const int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (flag[i] == 37) {
    even[i] = x[i] * 3.0f + 1.0f;
  } else {
    odd[i] = y[i] * 5.0f + 2.0f;
  }
}
"""
REASON: Final = "the kernel then issues 640 instructions instead of 550"
"""Why the meld is refuted."""
