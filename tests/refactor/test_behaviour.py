"""What stays as it was: the order of effects, early exits, declarations, loops and atomics.

Each kernel is melded at the branch in the given line; the text that takes its place stands beside it.
"""

from __future__ import annotations

from tests.refactor.melding import assert_compiles, assert_same_memory, melded, region


def test_signs_meld() -> None:
    before = """\
__global__ void k(const float *x, const float *y, float *a) {
  int i = threadIdx.x;
  float sum = 0;
  if (i % 2 == 0)
    sum += x[i] * y[i];
  else
    sum -= x[i + 1] * y[i];
  a[i] = sum;
}
"""
    assert (
        region(before, 4)
        == """\
  const bool is_even = i % 2 == 0;
  const float change = x[is_even ? i : i + 1] * y[i];
  sum += is_even ? change : -change;
"""
    )
    after = melded(before, 4)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_conditions_with_effects_are_evaluated_once() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a) {
  int i = threadIdx.x;
  int n = i;
  if (n++ % 3 == 1) {
    a[n] = x[n] * 5;
  } else {
    a[n] = y[n] * 5;
  }
}
"""
    assert (
        region(before, 4)
        == """\
  const bool takes_x = n++ % 3 == 1;
  a[n] = (takes_x ? x : y)[n] * 5;
"""
    )
    after = melded(before, 4)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_a_condition_that_the_arms_change_is_kept() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  int j = x[i];
  if (j > n) {
    j = x[j & 63];
    a[i] = j * 3;
  } else {
    j = y[j & 63];
    a[i] = j * 3;
  }
}
"""
    assert (
        region(before, 4)
        == """\
  j = (j > n ? x : y)[j & 63];
  a[i] = j * 3;
"""
    )
    after = melded(before, 4)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_both_arms_return() -> None:
    before = """\
__device__ float pick(const float *x, const float *y, int i) {
  float s = 1;
  if (x[i] > y[i]) {
    s *= x[i + 1];
    return s * 2;
  } else {
    s *= y[i + 1];
    return s * 2;
  }
}
__global__ void k(const float *x, const float *y, float *a) {
  a[threadIdx.x] = pick(x, y, threadIdx.x);
}
"""
    assert (
        region(before, 3)
        == """\
  const bool x_is_above_y = x[i] > y[i];
  s *= (x_is_above_y ? x : y)[i + 1];
  return s * 2;
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_one_arm_leaves_the_loop() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  for (int r = 0; r < n; r++) {
    if (x[i] > r) {
      a[i + 64 * r] = x[i + r] * n;
    } else {
      a[i + 64 * r] = y[i + r] * n;
      break;
    }
  }
}
"""
    assert (
        region(before, 4)
        == """\
    const bool x_is_above_r = x[i] > r;
    a[i + 64 * r] = (x_is_above_r ? x : y)[i + r] * n;
    if (!x_is_above_r) {
"""
    )
    after = melded(before, 4)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_atomics_of_one_operation_meld() -> None:
    before = """\
__global__ void k(const int *x, int *up, int *down, int n) {
  int i = threadIdx.x;
  if (x[i] > n) {
    atomicAdd(&up[x[i] & 7], 1);
  } else {
    atomicAdd(&down[x[i] & 7], 1);
  }
}
"""
    assert (
        region(before, 3)
        == """\
  const bool x_is_above_n = x[i] > n;
  atomicAdd(&(x_is_above_n ? up : down)[x[i] & 7], 1);
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_while_loops_meld_their_conditions() -> None:
    before = """\
__global__ void k(const int *x, int *a, int n) {
  int i = threadIdx.x;
  int j = i;
  int s = 0;
  if (i & 1) {
    while (j < n) {
      s += x[j] * x[j + 64] / x[j + 1];
      j += 2;
    }
  } else {
    while (j < n + 6) {
      s += x[j] * x[j + 64] / x[j + 1];
      j += 3;
    }
  }
  a[i] = s;
}
"""
    assert (
        region(before, 5)
        == """\
  const bool is_odd = i & 1;
  const int bound = is_odd ? n : n + 6;
  while (j < bound) {
    s += x[j] * x[j + 64] / x[j + 1];
    j += is_odd ? 2 : 3;
"""
    )
    after = melded(before, 5)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_a_statement_beside_an_if_runs_under_either_condition() -> None:
    before = """\
__global__ void k(const float *x, const float *y, float *a, int n) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    a[i] = x[i] * x[i + 1] / y[i] + sqrtf(x[i + 2]) - x[i + 3] * x[i + 4] / y[i + 5];
  } else {
    if (y[i] > 0.5f) {
      a[i] = y[i] * x[i + 1] / y[i] + sqrtf(x[i + 2]) - x[i + 3] * x[i + 4] / y[i + 5];
    }
  }
}
"""
    assert (
        region(before, 3)
        == """\
  const bool is_even = i % 2 == 0;
  const bool active = is_even || y[i] > 0.5f;
  if (active) {
    const float *x_or_y = is_even ? x : y;
    a[i] = x_or_y[i] * x[i + 1] / y[i] + sqrtf(x[i + 2]) - x[i + 3] * x[i + 4] / y[i + 5];
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_line_endings_stay() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    int v = x[i];
    a[i] = v * v;
  } else {
    int v = y[i];
    a[i] = v * v;
  }
}
""".replace("\n", "\r\n")
    after = melded(before, 3)
    assert after.count("\n") == after.count("\r\n")
    assert "\r\r" not in after
    assert "  int v = (i % 2 == 0 ? x : y)[i];\r\n  a[i] = v * v;\r\n" in after


def test_pragmas_stay_above_their_loop() -> None:
    before = """\
__global__ void k(const float *x, const float *y, float *a) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    float s = 0;
#pragma unroll
    for (int r = 0; r < 4; r++)
      s += x[i + r];
    a[i] = s;
  } else {
    float t = 0;
#pragma unroll
    for (int c = 0; c < 4; c++)
      t += y[i + c];
    a[i] = t;
  }
}
"""
    assert (
        region(before, 3)
        == """\
  float s = 0;
  const float *x_or_y = i % 2 == 0 ? x : y;
  #pragma unroll
  for (int r = 0; r < 4; r++) {
    s += x_or_y[i + r];
  }
  a[i] = s;
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_an_if_that_is_left_does_not_take_the_else_of_another() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  if (n > 3)
    if (i % 2) {
      if (x[i] > n) { a[i] = x[i] * x[i + 1] + x[i + 2] * 5; }
    } else {
      if (y[i] > n) { a[i] = y[i] * y[i + 1] + y[i + 2] * 5; }
    }
  else
    a[i] = 7;
}
"""
    after = melded(before, 4)
    assert "    {\n" in after
    assert_same_memory(before, after, "k", {"n": 9})


def test_a_reference_may_be_another_name_of_what_an_arm_assigns() -> None:
    before = """\
__device__ void f(int &s, int &t, const int *x) {
  if (t % 2) {
    s = x[s + 1] * x[2];
    s += x[3] / 3;
  } else {
    s = x[s + 2] * x[2];
    s += x[4] / 3;
  }
}
__global__ void k(const int *x, int *a, int n) {
  int v = threadIdx.x;
  f(v, v, x);
  a[threadIdx.x] = v;
}
"""
    after = melded(before, 2)
    assert after.count("t % 2") == 1
    assert_same_memory(before, after, "k", {"n": 9})


def test_what_a_reference_may_rename_is_decided_in_front() -> None:
    before = """\
__global__ void k(int *a, const int *b) {
  int i = threadIdx.x;
  int x = b[i];
  int &r = x;
  if (x > 3) {
    r = b[i + 1] * 7;
    a[i] = b[i] * 2 + 1;
  } else {
    r = b[i + 1] * 7;
    a[i] = b[i + 5] * 2 + 1;
  }
  a[i + 256] = x;
}
"""
    assert (
        region(before, 5)
        == """\
  const bool x_is_above_3 = x > 3;
  r = b[i + 1] * 7;
  a[i] = b[x_is_above_3 ? i : i + 5] * 2 + 1;
"""
    )
    assert_same_memory(before, melded(before, 5), "k")


def test_a_condition_stays_where_only_what_its_pointers_lead_to_changes() -> None:
    before = """\
__global__ void k(int *a, const int *b) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  if (i < 9) {
    tile[i] = b[i] * 7;
    a[i] = b[i] * 2 + 1;
  } else {
    tile[i] = b[i] * 7;
    a[i] = b[i + 5] * 2 + 1;
  }
  a[i + 256] = tile[i];
}
"""
    assert (
        region(before, 4)
        == """\
  tile[i] = b[i] * 7;
  a[i] = b[i < 9 ? i : i + 5] * 2 + 1;
"""
    )
    assert_same_memory(before, melded(before, 4), "k")


def test_a_selected_shared_array_keeps_its_address_while_its_elements_change() -> None:
    before = """\
__global__ void k(int *a, const int *b, int n) {
  __shared__ int rows[64];
  __shared__ int columns[64];
  int i = threadIdx.x;
  rows[i] = columns[i] = 0;
  if (i % 2) {
    for (int j = 0; j < n; ++j) {
      rows[i] += b[i + j] * 7;
    }
  } else {
    for (int j = 0; j < n; ++j) {
      columns[i] += b[i + j] * 7;
    }
  }
  a[i] = rows[i] + columns[i];
}
"""
    assert "rows : columns;\n  for (" in region(before, 6)
    assert_same_memory(before, melded(before, 6), "k")


def test_long_arms_are_aligned_near_the_diagonal() -> None:
    """Forty statements in each arm: 1,600 pairs are not all tried, and each statement still finds its partner."""
    first = "\n".join(f"    a[i + {at} * n] = x[i * {at + 1}] * y[i + {at}];" for at in range(40))
    second = "\n".join(f"    a[i + {at} * n] = y[i * {at + 1}] * x[i + {at}];" for at in range(40))
    before = f"""\
__global__ void k(const float *x, const float *y, float *a, int n) {{
  int i = threadIdx.x;
  if (x[i] > 0.5f) {{
{first}
  }} else {{
{second}
  }}
}}
"""
    after = melded(before, 3)
    assert after.count("a[i + ") == 40
