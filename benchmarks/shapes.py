"""The units that synthetic sources are made of; see `synthetic`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import final

HEADER = """\
#pragma once
#include <cuda_runtime.h>

#define BLOCK_SIZE 256
#define TILE_DIM 16
#define WARP_SIZE 32
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define SQUARE(x) ((x) * (x))
#define GLOBAL_INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : ((v) > (hi) ? (hi) : (v)))
#define FULL_MASK 0xffffffffu

typedef unsigned int uint32;

struct Particle {
  float3 position;
  float3 velocity;
  float mass;
  int cell;
};

#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif
"""

MATH_HEADER = """\
#pragma once

__host__ __device__ inline float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

__host__ __device__ inline float3 operator*(float3 a, float s) {
  return make_float3(a.x * s, a.y * s, a.z * s);
}

__host__ __device__ inline float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <typename T>
__device__ T warp_sum(T value) {
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(FULL_MASK, value, offset);
  }
  return value;
}
"""

NOUNS = ("mesh", "edge", "cell", "node", "flux", "row", "tile", "pixel", "voxel", "ray", "bin", "key", "force", "field")
VERBS = ("update", "gather", "scatter", "filter", "relax", "advance", "project", "smooth", "sort", "merge", "scale")
BINARY = ("+", "-", "*")
FUNCTIONS = ("sqrtf", "expf", "fabsf", "sinf", "rsqrtf", "logf")


@final
@dataclass(frozen=True, slots=True)
class Draw:
    """What one unit draws: names that no other unit of the file has, constants, and straight-line code."""

    random: Random
    number: int

    def name(self) -> str:
        return f"{self.random.choice(VERBS)}_{self.random.choice(NOUNS)}_{self.number}"

    def constant(self) -> str:
        return f"{self.random.uniform(0.01, 9.99):.3f}f"

    def statements(self, value: str, other: str, *, indent: str = "  ") -> str:
        """Three to twelve statements over `value` and `other`."""
        lines = [self._statement(value, other, index) for index in range(self.random.randint(3, 12))]
        return "".join(f"{indent}{line}\n" for line in lines)

    def _statement(self, value: str, other: str, index: int) -> str:
        match self.random.randrange(5):
            case 0:
                return f"{value} = {value} {self.random.choice(BINARY)} {other} * {self.constant()};"
            case 1:
                return f"const float t{index} = {self.random.choice(FUNCTIONS)}({value}); {value} += SQUARE(t{index});"
            case 2:
                return f"{value} = CLAMP({value}, -{self.constant()}, {self.constant()});  // keep it in range"
            case 3:
                return f"{other} = fmaf({value}, {self.constant()}, {other});"
            case _:
                return f"{value} {self.random.choice(BINARY)}= {self.constant()};"


def elementwise(draw: Draw) -> str:
    name = draw.name()
    return f"""\
// Element by element, with the usual bounds check.
__global__ void {name}(const float* __restrict__ in, float* __restrict__ out, int n) {{
  const int i = GLOBAL_INDEX;
  if (i >= n) return;
  float value = in[i], other = {draw.constant()};
{draw.statements("value", "other")}\
  out[i] = value + other;
}}

void run_{name}(const float* in, float* out, int n) {{
  {name}<<<DIV_UP(n, BLOCK_SIZE), BLOCK_SIZE>>>(in, out, n);
}}
"""


def data_dependent(draw: Draw) -> str:
    name = draw.name()
    return f"""\
__device__ float cost_{draw.number}(float value, float other) {{
{draw.statements("value", "other")}\
  return value - other;
}}

// The branch depends on what each thread loads.
__global__ void {name}(const int* __restrict__ kind, float* state, float limit, int n) {{
  for (int i = GLOBAL_INDEX; i < n; i += blockDim.x * gridDim.x) {{
    float value = state[i], other = limit;
    if (kind[i] == {draw.random.randint(0, 9)}) {{
{draw.statements("value", "other", indent="      ")}\
    }} else if (kind[i] > 0 && value > limit) {{
      value = cost_{draw.number}(value, other);
    }}
    int steps = 0;
    while (value > {draw.constant()} && steps < 64) {{
      value *= 0.5f;
      ++steps;
    }}
    state[i] = value;
  }}
}}
"""


def block_reduction(draw: Draw) -> str:
    name = draw.name()
    return f"""\
__global__ void {name}(const real* in, real* out, int n) {{
  __shared__ real partial[BLOCK_SIZE];
  real sum = 0;
  for (int i = GLOBAL_INDEX; i < n; i += blockDim.x * gridDim.x) {{
    sum += SQUARE(in[i]);
  }}
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int stride = blockDim.x / 2; stride >= WARP_SIZE; stride >>= 1) {{
    if (threadIdx.x < stride) {{
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    }}
    __syncthreads();
  }}
  if (threadIdx.x < WARP_SIZE) {{
    sum = warp_sum(partial[threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = sum * {draw.constant()};
  }}
}}
"""


def tiled_product(draw: Draw) -> str:
    name = draw.name()
    return f"""\
template <typename T, int TILE>
__global__ void __launch_bounds__(TILE* TILE) {name}(const T* a, const T* b, T* c, int width, int height, int depth) {{
  __shared__ T left[TILE][TILE];
  __shared__ T right[TILE][TILE + 1];
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  T sum = T(0);
  for (int tile = 0; tile < DIV_UP(depth, TILE); ++tile) {{
    const int k = tile * TILE + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = row < height && k < depth ? a[row * depth + k] : T(0);
    right[threadIdx.y][threadIdx.x] = column < width && tile * TILE + threadIdx.y < depth
                                          ? b[(tile * TILE + threadIdx.y) * width + column]
                                          : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) {{
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    }}
    __syncthreads();
  }}
  if (row < height && column < width) {{
    c[row * width + column] = sum * static_cast<T>({draw.constant()});
  }}
}}

void run_{name}(const float* a, const float* b, float* c, int n) {{
  dim3 block(TILE_DIM, TILE_DIM);
  dim3 grid(DIV_UP(n, TILE_DIM), DIV_UP(n, TILE_DIM));
  {name}<float, TILE_DIM><<<grid, block>>>(a, b, c, n, n, n);
}}
"""


def stencil(draw: Draw) -> str:
    name = draw.name()
    radius = draw.random.randint(1, 4)
    return f"""\
#define RADIUS_{draw.number} {radius}

__constant__ float weights_{draw.number}[2 * RADIUS_{draw.number} + 1];

__global__ void {name}(const float* in, float* out, int width, int height) {{
  __shared__ float row[BLOCK_SIZE + 2 * RADIUS_{draw.number}];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  const int slot = threadIdx.x + RADIUS_{draw.number};
  row[slot] = x < width ? in[y * width + x] : 0.0f;
  if (threadIdx.x < RADIUS_{draw.number}) {{
    row[threadIdx.x] = x >= RADIUS_{draw.number} ? in[y * width + x - RADIUS_{draw.number}] : 0.0f;
    row[slot + blockDim.x] = x + blockDim.x < width ? in[y * width + x + blockDim.x] : 0.0f;
  }}
  __syncthreads();
  float value = 0.0f, other = {draw.constant()};
  for (int k = -RADIUS_{draw.number}; k <= RADIUS_{draw.number}; ++k) {{
    value += weights_{draw.number}[k + RADIUS_{draw.number}] * row[slot + k];
  }}
{draw.statements("value", "other")}\
  if (x < width) out[y * width + x] = value;
}}
"""


def particles(draw: Draw) -> str:
    name = draw.name()
    return f"""\
__device__ float3 attraction_{draw.number}(const Particle& a, const Particle& b) {{
  const float3 delta = b.position + a.position * -1.0f;
  const float distance = dot(delta, delta) + {draw.constant()};
  return delta * (b.mass * rsqrtf(distance) / distance);
}}

__global__ void {name}(Particle* particles, const int* neighbours, const int* first, int count, float step) {{
  const int i = GLOBAL_INDEX;
  if (i < count) {{
    Particle self = particles[i];
    float3 force = make_float3(0.0f, 0.0f, 0.0f);
    for (int k = first[i]; k < first[i + 1]; ++k) {{
      const int j = neighbours[k];
      if (j == i || particles[j].cell < 0) continue;
      force = force + attraction_{draw.number}(self, particles[j]);
    }}
    float value = force.x, other = self.mass;
{draw.statements("value", "other", indent="    ")}\
    self.velocity = self.velocity + force * (step * value);
    self.position = self.position + self.velocity * step;
    particles[i] = self;
  }}
}}
"""


def histogram(draw: Draw) -> str:
    name = draw.name()
    bins = draw.random.choice((64, 128, 256))
    return f"""\
__global__ void {name}(const unsigned char* data, uint32* bins, int n) {{
  __shared__ uint32 local[{bins}];
  for (int bin = threadIdx.x; bin < {bins}; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = GLOBAL_INDEX; i < n; i += gridDim.x * blockDim.x) {{
    const uint32 bin = data[i] * {draw.random.randint(2, 99)}u % {bins}u;
    switch (bin & 3) {{
      case 0:
        atomicAdd(&local[bin], 1u);
        break;
      case 1:
        atomicMax(&local[bin], bin);
        break;
      default:
        local[bin] = bin;
    }}
  }}
  __syncthreads();
  for (int bin = threadIdx.x; bin < {bins}; bin += blockDim.x) {{
    if (local[bin] != 0) atomicAdd(&bins[bin], local[bin]);
  }}
}}
"""


def host_code(draw: Draw) -> str:
    name = draw.name()
    return f"""\
/* Host code, which the analysis only skips. */
static int {name}(int argc, char** argv) {{
  int total = 0;
  for (int i = 1; i < argc; ++i) {{
    const char* text = argv[i];
    while (*text != '\\0') {{
      if (*text == '{{' || *text == '"') ++total;  // braces in literals
      ++text;
    }}
  }}
  float* buffer = nullptr;
  if (cudaMalloc(&buffer, total * sizeof(float)) != cudaSuccess) {{
    fprintf(stderr, "cannot allocate %d floats\\n", total);
    return -{draw.random.randint(1, 9)};
  }}
  cudaFree(buffer);
  return total;
}}
"""


def host_driver(draw: Draw) -> str:
    name = draw.name()
    bytes_of = draw.random.choice(("float", "int", "double"))
    return f"""\
/**
 * Runs one experiment: allocate, copy, launch, time, compare, print.
 *
 * @param count how many elements
 * @param rounds how often
 * @return the largest error that was seen
 */
double {name}_experiment(size_t count, int rounds, const char* label) {{
  {bytes_of} *host_in = nullptr, *host_out = nullptr, *device_in = nullptr, *device_out = nullptr;
  const size_t size = count * sizeof({bytes_of});

  host_in = static_cast<{bytes_of}*>(malloc(size));
  host_out = static_cast<{bytes_of}*>(malloc(size));
  if (host_in == nullptr || host_out == nullptr) {{
    fprintf(stderr, "%s: out of memory (%zu bytes)\\n", label, size);
    exit(EXIT_FAILURE);
  }}
  for (size_t i = 0; i < count; ++i) {{
    host_in[i] = static_cast<{bytes_of}>(rand() % {draw.random.randint(10, 999)});
  }}

  checkCudaErrors(cudaMalloc(&device_in, size));
  checkCudaErrors(cudaMalloc(&device_out, size));
  checkCudaErrors(cudaMemcpy(device_in, host_in, size, cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  checkCudaErrors(cudaEventCreate(&start));
  checkCudaErrors(cudaEventCreate(&stop));
  checkCudaErrors(cudaEventRecord(start));
  for (int round = 0; round < rounds; ++round) {{
    checkCudaErrors(cudaMemcpyAsync(device_out, device_in, size, cudaMemcpyDeviceToDevice));
  }}
  checkCudaErrors(cudaEventRecord(stop));
  checkCudaErrors(cudaEventSynchronize(stop));

  float milliseconds = 0.0f;
  checkCudaErrors(cudaEventElapsedTime(&milliseconds, start, stop));
  checkCudaErrors(cudaMemcpy(host_out, device_out, size, cudaMemcpyDeviceToHost));

  double error = 0.0;
  for (size_t i = 0; i < count; ++i) {{
    const double difference = fabs(static_cast<double>(host_in[i]) - static_cast<double>(host_out[i]));
    if (difference > error) error = difference;
  }}
  printf("%s: %.3f ms per round, largest error %g\\n", label, milliseconds / rounds, error);

  checkCudaErrors(cudaEventDestroy(start));
  checkCudaErrors(cudaEventDestroy(stop));
  checkCudaErrors(cudaFree(device_in));
  checkCudaErrors(cudaFree(device_out));
  free(host_in);
  free(host_out);
  return error;
}}
"""


SHAPES: tuple[Callable[[Draw], str], ...] = (
    elementwise,
    data_dependent,
    block_reduction,
    tiled_product,
    stencil,
    particles,
    histogram,
    host_code,
    host_driver,
    host_driver,
    host_driver,
)
"""Public code has one device function in 60 to 150 lines; the host code here makes it one in about 45."""
