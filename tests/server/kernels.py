"""CUDA texts with one finding, or none."""

from __future__ import annotations

DIVERGENT = """__global__ void halo(int *out, int n) {
  int lane = threadIdx.x;
  if (lane < 7) {
    __syncthreads();
  }
  out[lane] = n;
}
"""
"""SYN101 at line 3 (from 0), columns 4 to 17."""

CLEAN = DIVERGENT.replace("lane < 7", "n < 7")

INCLUDING = """#include "{header}"
__global__ void halo(int *out, int n) {{
  int lane = threadIdx.x;
  if (CONDITION) {{
    __syncthreads();
  }}
  out[lane] = n;
}}
"""

VARYING_HEADER = "#define CONDITION lane < 7\n"
UNIFORM_HEADER = "#define CONDITION n < 7\n"
