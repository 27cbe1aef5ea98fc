"""A project as many are: a kernel in a header that two files launch, and one that the launching file only declares."""

from __future__ import annotations

from pathlib import Path
from typing import Final

HEADER: Final = "kernels.cuh"
MAIN: Final = "main.cu"
OTHER: Final = "other.cu"
KERNEL_LINE: Final = 3
BARRIER_LINE: Final = 8
LAUNCH_LINE: Final = 9

_KERNEL: Final = """\
#pragma once

__global__ void smooth(float *out, const float *in, int n) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < 64) {
    __syncthreads();
  }
  if (i < n) out[i] = tile[threadIdx.x] + tile[threadIdx.x ^ 1];
}
"""
"""Its barrier is unsafe in blocks of more than 64 threads."""
_LAUNCHES: Final = """\
#include "kernels.cuh"

int main() {
  const int n = 6000;
  const int threads = 96;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  smooth<<<(n + threads - 1) / threads, threads>>>(out, in, n);
  cudaDeviceSynchronize();
  return 0;
}
"""
_LAUNCHES_TOO: Final = """\
#include "kernels.cuh"

void again(float *out, const float *in, int n) {
  smooth<<<(n + 63) / 64, 64>>>(out, in, n);
}
"""


DECLARING: Final = "run.cu"
DEFINING: Final = "halve.cu"
DECLARING_LINE: Final = 4

_DECLARES: Final = """\
__global__ void halve(float *x, int n);

void run(float *x) {
  halve<<<4, 128>>>(x, 500);
}
"""
_DEFINES: Final = """\
__global__ void halve(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 0.5f;
}
"""


def write(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    launched = {HEADER: _KERNEL, MAIN: _LAUNCHES, OTHER: _LAUNCHES_TOO}
    for name, text in {**launched, DECLARING: _DECLARES, DEFINING: _DEFINES}.items():
        (folder / name).write_text(text)
    return folder
