"""CUDA texts with one finding, or none."""

from __future__ import annotations

DIVERGENT = """__global__ void halo(int *out, int n) {
  int lane = threadIdx.x; out[lane + 1] = 0; __threadfence_block();
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
  int lane = threadIdx.x; out[lane + 1] = 0; __threadfence_block();
  if (CONDITION) {{
    __syncthreads();
  }}
  out[lane] = n;
}}
"""

VARYING_HEADER = "#define CONDITION lane < 7\n"
UNIFORM_HEADER = "#define CONDITION n < 7\n"

TRANSPOSE = """__global__ void transpose(float *out, const float *in) {
  __shared__ float /* ünï𝄞 */ tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void host(float *out, const float *in) { transpose<<<1, dim3(32, 32)>>>(out, in); }
"""
"""MEM502 at line 4, whose repair stands at line 1 behind characters outside the basic plane."""
