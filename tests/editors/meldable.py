"""A kernel whose two arms do the same on different operands, and how its user wants to read it."""

from __future__ import annotations

from typing import Final

NAME: Final = "step.cu"
LINE: Final = 3
"""Of the branch."""

ALIKE: Final = """\
__global__ void step(float *even, float *odd, const float *x, const float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) {
    even[i] = x[i] * x[i] + 1.0f;
  } else {
    odd[i] = y[i] * y[i] + 1.0f;
  }
}
"""
MELDED: Final = """\
__global__ void step(float *even, float *odd, const float *x, const float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_even = i % 2 == 0;
  const float value = (is_even ? x : y)[i];
  (is_even ? even : odd)[i] = value * value + 1.0f;
}
"""
NEVER: Final = ALIKE.replace("i % 2 == 0", "x[i] > 1e30f")
"""No input that is chosen by itself reaches the first arm."""
