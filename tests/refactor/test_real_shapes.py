"""Kernels with the shapes of the published real programs: the text after melding, and what it does.

Source    Saumya et al., CGO 2022, section VI-A: bitonic sort, odd-even merge, merge sort, LU decomposition, SRAD, DCT.
"""

from __future__ import annotations

from tests.refactor.melding import assert_compiles, assert_same_memory, melded, region

PCM = """\
__global__ void merge_pass(const int *in, int *out, int n) {
  int tid = threadIdx.x;
  int begin = tid * 8;
  if (tid % 2 == 0) {
    int i = begin;
    int j = begin + 4;
    for (int k = 0; k < 8; k++) {
      if (j >= begin + 8 || (i < begin + 4 && in[i] <= in[j])) {
        out[begin + k] = in[i];
        i++;
      } else {
        out[begin + k] = in[j];
        j++;
      }
    }
  } else {
    int p = begin + 1;
    int q = begin + 5;
    if (q < n) {
      for (int k = 1; k < 7; k++) {
        if (q >= begin + 7 || (p < begin + 3 && in[p] <= in[q])) {
          out[begin + k] = in[p];
          p++;
        } else {
          out[begin + k] = in[q];
          q++;
        }
      }
    }
  }
}
"""


def test_an_odd_even_merge_runs_one_loop_for_both_parities() -> None:
    assert (
        region(PCM, 4)
        == """\
  const bool is_even = tid % 2 == 0;
  int i = is_even ? begin : begin + 1;
  int j = begin + (is_even ? 4 : 5);
  const bool active = is_even || j < n;
  if (active) {
    for (int k = is_even ? 0 : 1; k < (is_even ? 8 : 7); k++) {
      const bool holds = j >= begin + (is_even ? 8 : 7) || (i < begin + (is_even ? 4 : 3) && in[i] <= in[j]);
      if (holds) {
        out[begin + k] = in[i];
        i++;
      } else {
        out[begin + k] = in[j];
        j++;
"""
    )
    after = melded(PCM, 4)
    assert_same_memory(PCM, after, "merge_pass", {"n": 500})
    assert_compiles(after)


BIT = """\
__global__ void bitonic(int *values, int k, int j) {
  unsigned int tid = threadIdx.x;
  unsigned int ixj = tid ^ j;
  if (ixj > tid) {
    if ((tid & k) == 0) {
      if (values[tid] > values[ixj]) {
        int t = values[tid];
        values[tid] = values[ixj];
        values[ixj] = t;
      }
    } else {
      if (values[tid] < values[ixj]) {
        int t = values[tid];
        values[tid] = values[ixj];
        values[ixj] = t;
      }
    }
  }
}
"""


def test_bitonic_sort_loads_once_selects_the_predicate_and_swaps_once() -> None:
    assert (
        region(BIT, 5)
        == """\
    const int left = values[tid];
    const int right = values[ixj];
    if ((tid & k) == 0 ? left > right : left < right) {
      values[tid] = right;
      values[ixj] = left;
"""
    )
    after = melded(BIT, 5)
    assert_same_memory(BIT, after, "bitonic", {"k": 4, "j": 2})
    assert_compiles(after)


def test_an_odd_even_merge_selects_the_index_of_one_load() -> None:
    assert (
        region(PCM, 8)
        == """\
      const bool takes_i = j >= begin + 8 || (i < begin + 4 && in[i] <= in[j]);
      out[begin + k] = in[takes_i ? i : j];
      if (takes_i) {
        i++;
      } else {
"""
    )
    after = melded(PCM, 8)
    assert_same_memory(PCM, after, "merge_pass", {"n": 500})
    assert_compiles(after)


MS = """\
__global__ void merge(const int *source, int *dest, int width, int n) {
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * width;
  int middle = min(start + width / 2, n);
  int end = min(start + width, n);
  int i = start;
  int j = middle;
  for (int k = start; k < end; k++) {
    if (i < middle && (j >= end || source[i] < source[j])) {
      dest[k] = source[i];
      i++;
    } else {
      dest[k] = source[j];
      j++;
    }
  }
}
"""


def test_a_merge_sort_selects_the_index_and_leaves_the_counters() -> None:
    assert (
        region(MS, 8)
        == """\
    const bool takes_i = i < middle && (j >= end || source[i] < source[j]);
    dest[k] = source[takes_i ? i : j];
    if (takes_i) {
      i++;
    } else {
"""
    )
    after = melded(MS, 8)
    assert_same_memory(MS, after, "merge", {"width": 8, "n": 1024})
    assert_compiles(after)


LUD = """\
#define B 16
__global__ void lud_perimeter(float *m, int matrix_dim, int offset) {
  __shared__ float dia[B][B];
  __shared__ float peri_row[B][B];
  __shared__ float peri_col[B][B];
  int i, j, array_offset;
  int idx;
  if (threadIdx.x < B) {
    idx = threadIdx.x;
    array_offset = offset * matrix_dim + offset;
    for (i = 0; i < B / 2; i++) {
      dia[i][idx] = m[array_offset + idx];
      array_offset += matrix_dim;
    }
    array_offset = offset * matrix_dim + offset;
    for (i = 0; i < B; i++) {
      peri_row[i][idx] = m[array_offset + (blockIdx.x + 1) * B + idx];
      array_offset += matrix_dim;
    }
  } else {
    idx = threadIdx.x - B;
    array_offset = (offset + B / 2) * matrix_dim + offset;
    for (i = B / 2; i < B; i++) {
      dia[i][idx] = m[array_offset + idx];
      array_offset += matrix_dim;
    }
    array_offset = (offset + (blockIdx.x + 1) * B) * matrix_dim + offset;
    for (i = 0; i < B; i++) {
      peri_col[i][idx] = m[array_offset + idx];
      array_offset += matrix_dim;
    }
  }
  __syncthreads();
  if (threadIdx.x < B) { //peri-row
    idx = threadIdx.x;
    for (i = 1; i < B; i++) {
      for (j = 0; j < i; j++)
        peri_row[i][idx] -= dia[i][j] * peri_row[j][idx];
    }
  } else { //peri-col
    idx = threadIdx.x - B;
    for (i = 0; i < B; i++) {
      for (j = 0; j < i; j++)
        peri_col[idx][i] -= peri_col[idx][j] * dia[j][i];
      peri_col[idx][i] /= dia[i][i];
    }
  }
  __syncthreads();
  if (threadIdx.x < B) { //peri-row
    idx = threadIdx.x;
    array_offset = (offset + 1) * matrix_dim + offset;
    for (i = 1; i < B; i++) {
      m[array_offset + (blockIdx.x + 1) * B + idx] = peri_row[i][idx];
      array_offset += matrix_dim;
    }
  } else { //peri-col
    idx = threadIdx.x - B;
    array_offset = (offset + (blockIdx.x + 1) * B) * matrix_dim + offset;
    for (i = 0; i < B; i++) {
      m[array_offset + idx] = peri_col[i][idx];
      array_offset += matrix_dim;
    }
  }
}
"""


def test_the_first_diamond_of_a_decomposition_meets_in_two_loops() -> None:
    assert (
        region(LUD, 8)
        == """\
  const bool thread_x_is_below_b = threadIdx.x < B;
  idx = thread_x_is_below_b ? threadIdx.x : threadIdx.x - B;
  const int value = thread_x_is_below_b ? offset * matrix_dim : (offset + B / 2) * matrix_dim;
  array_offset = value + offset;
  const int bound = thread_x_is_below_b ? B / 2 : B;
  for (i = thread_x_is_below_b ? 0 : B / 2; i < bound; i++) {
    dia[i][idx] = m[array_offset + idx];
    array_offset += matrix_dim;
  }
  if (thread_x_is_below_b) {
    array_offset = offset * matrix_dim + offset;
  } else {
    array_offset = (offset + (blockIdx.x + 1) * B) * matrix_dim + offset;
  }
  auto *peri = thread_x_is_below_b ? peri_row : peri_col;
  for (i = 0; i < B; i++) {
    const float *source = thread_x_is_below_b ? &m[array_offset + (blockIdx.x + 1) * B + idx]
                                              : &m[array_offset + idx];
    peri[i][idx] = *source;
    array_offset += matrix_dim;
"""
    )
    after = melded(LUD, 8)
    assert_same_memory(LUD, after, "lud_perimeter", {"matrix_dim": 48, "offset": 0}, block=(32, 1, 1))
    assert_compiles(after)


def test_the_second_diamond_selects_rows_and_columns() -> None:
    assert (
        region(LUD, 34)
        == """\
  const bool is_peri_row = threadIdx.x < B; //peri-row
  //peri-col
  idx = is_peri_row ? threadIdx.x : threadIdx.x - B;
  for (i = is_peri_row ? 1 : 0; i < B; i++) {
    float *target = is_peri_row ? &peri_row[i][idx] : &peri_col[idx][i];
    for (j = 0; j < i; j++) {
      const float *left = is_peri_row ? &dia[i][j] : &peri_col[idx][j];
      const float *right = is_peri_row ? &peri_row[j][idx] : &dia[j][i];
      *target -= *left * *right;
    }
    if (!is_peri_row) {
"""
    )
    after = melded(LUD, 34)
    assert_same_memory(LUD, after, "lud_perimeter", {"matrix_dim": 48, "offset": 0}, block=(32, 1, 1))
    assert_compiles(after)


def test_the_third_diamond_stores_through_a_selected_address() -> None:
    assert (
        region(LUD, 49)
        == """\
  const bool is_peri_row = threadIdx.x < B; //peri-row
  //peri-col
  if (is_peri_row) {
    idx = threadIdx.x;
    array_offset = (offset + 1) * matrix_dim + offset;
  } else {
    idx = threadIdx.x - B;
    array_offset = (offset + (blockIdx.x + 1) * B) * matrix_dim + offset;
  }
  auto *peri = is_peri_row ? peri_row : peri_col;
  for (i = is_peri_row ? 1 : 0; i < B; i++) {
    float *target = is_peri_row ? &m[array_offset + (blockIdx.x + 1) * B + idx]
                                : &m[array_offset + idx];
    *target = peri[i][idx];
    array_offset += matrix_dim;
"""
    )
    after = melded(LUD, 49)
    assert_same_memory(LUD, after, "lud_perimeter", {"matrix_dim": 48, "offset": 0}, block=(32, 1, 1))
    assert_compiles(after)


SRAD = """\
#define TILE 16
__global__ void srad(const float *image, float *result, int cols, int rows) {
  __shared__ float tile[TILE][TILE];
  __shared__ float north[TILE][TILE];
  __shared__ float south[TILE][TILE];
  __shared__ float east[TILE][TILE];
  __shared__ float west[TILE][TILE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int at = (blockIdx.y * TILE + ty) * cols + blockIdx.x * TILE + tx;
  tile[ty][tx] = image[at];
  north[ty][tx] = image[at] * 2;
  south[ty][tx] = image[at] * 3;
  east[ty][tx] = image[at] * 4;
  west[ty][tx] = image[at] * 5;
  __syncthreads();
  float n, s, e, w;
  float jc = tile[ty][tx];
  if (ty == 0 && tx == 0) { //nw
    n = north[ty][tx] - jc;
    s = tile[ty + 1][tx] - jc;
    w = west[ty][tx] - jc;
    e = tile[ty][tx + 1] - jc;
  } else if (ty == 0 && tx == TILE - 1) { //ne
    n = north[ty][tx] - jc;
    s = tile[ty + 1][tx] - jc;
    w = tile[ty][tx - 1] - jc;
    e = east[ty][tx] - jc;
  } else if (ty == TILE - 1 && tx == TILE - 1) { //se
    n = tile[ty - 1][tx] - jc;
    s = south[ty][tx] - jc;
    w = tile[ty][tx - 1] - jc;
    e = east[ty][tx] - jc;
  } else if (ty == TILE - 1 && tx == 0) { //sw
    n = tile[ty - 1][tx] - jc;
    s = south[ty][tx] - jc;
    w = west[ty][tx] - jc;
    e = tile[ty][tx + 1] - jc;
  } else if (ty == 0) { //n
    n = north[ty][tx] - jc;
    s = tile[ty + 1][tx] - jc;
    w = tile[ty][tx - 1] - jc;
    e = tile[ty][tx + 1] - jc;
  } else if (tx == TILE - 1) { //e
    n = tile[ty - 1][tx] - jc;
    s = tile[ty + 1][tx] - jc;
    w = tile[ty][tx - 1] - jc;
    e = east[ty][tx] - jc;
  } else if (ty == TILE - 1) { //s
    n = tile[ty - 1][tx] - jc;
    s = south[ty][tx] - jc;
    w = tile[ty][tx - 1] - jc;
    e = tile[ty][tx + 1] - jc;
  } else if (tx == 0) { //w
    n = tile[ty - 1][tx] - jc;
    s = tile[ty + 1][tx] - jc;
    w = west[ty][tx] - jc;
    e = tile[ty][tx + 1] - jc;
  } else { // inside
    n = tile[ty - 1][tx] - jc;
    s = tile[ty + 1][tx] - jc;
    w = tile[ty][tx - 1] - jc;
    e = tile[ty][tx + 1] - jc;
  }
  result[at] = n * n + s * s + e * e + w * w;
}
"""


def test_a_chain_of_corner_cases_selects_addresses() -> None:
    assert (
        region(SRAD, 19)
        == """\
  //nw, ne, se, sw, n, e, s, w
  // inside
  n = *(ty == 0 ? &north[ty][tx] : &tile[ty - 1][tx]) - jc;
  s = *(ty == TILE - 1 ? &south[ty][tx] : &tile[ty + 1][tx]) - jc;
  w = *(tx == 0 ? &west[ty][tx] : &tile[ty][tx - 1]) - jc;
  e = *(tx == TILE - 1 ? &east[ty][tx] : &tile[ty][tx + 1]) - jc;
"""
    )
    after = melded(SRAD, 19)
    assert_same_memory(SRAD, after, "srad", {"cols": 16, "rows": 16}, block=(16, 16, 1))
    assert_compiles(after)


DCT = """\
__global__ void quantize(short *plane, const short *table, int stride) {
  int at = blockIdx.x * stride + threadIdx.x;
  short value = plane[at];
  short step = table[threadIdx.x];
  if (value < 0) {
    value = -value;
    value += step >> 1;
    value /= step;
    value = -value;
  } else {
    value += step >> 1;
    value /= step;
  }
  plane[at] = value * step;
}
"""


def test_a_quantisation_restores_the_sign_under_a_guard() -> None:
    assert (
        region(DCT, 5)
        == """\
  const bool value_is_negative = value < 0;
  if (value_is_negative) {
    value = -value;
  }
  value += step >> 1;
  value /= step;
  if (value_is_negative) {
    value = -value;
"""
    )
    after = melded(DCT, 5)
    assert_same_memory(DCT, after, "quantize", {"stride": 64})
    assert_compiles(after)
