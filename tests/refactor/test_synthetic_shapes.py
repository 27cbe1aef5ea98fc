"""The published synthetic shapes, with equal and with different instructions in the arms.

Source    Saumya et al., CGO 2022, section VI-A: SB1 to SB4 and their -R variants.
"""

from __future__ import annotations

from tests.refactor.melding import assert_compiles, assert_same_memory, melded, region

SB = """\
__global__ void sb1(const int *x, const int *y, int *a, int *b) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    a[i] = x[i] * x[i] + 3;
  } else {
    b[i] = y[i] * y[i] + 3;
  }
}
__global__ void sb1_r(const int *x, const int *y, int *a, int *b, int n) {
  int i = threadIdx.x;
  if (i & 1)
    a[i] = x[i] * n - 3;
  else
    b[i] = (y[i] + n) * 5;
}
__global__ void sb2(const int *x, const int *y, int *a, int *b, int n) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    int v = x[i];
    if (v > n) {
      v = v * n + 7;
    }
    a[i] = v;
  } else {
    int w = y[i];
    if (w > n) {
      w = w * n + 7;
    }
    b[i] = w;
  }
}
__global__ void sb3(const int *x, const int *y, int *a, int *b, int n) {
  int i = threadIdx.x;
  if (i < blockDim.x / 2) {
    int v = x[i];
    if (v > n) {
      v = v * n + 7;
    }
    a[i] = v;
    v = x[i + n];
    if (v < n) {
      v = v * v + 1;
    }
    a[i + n] = v;
  } else {
    int w = y[i];
    if (w > n) {
      w = w * n + 7;
    }
    b[i] = w;
    w = y[i + n];
    if (w < n) {
      w = w * w + 1;
    }
    b[i + n] = w;
  }
}
__global__ void sb4(const int *x, const int *y, const int *z, int *a, int *b, int *c, int n) {
  int i = threadIdx.x;
  if (i % 3 == 0) {
    a[i] = x[i] * n + 7;
  } else if (i % 3 == 1) {
    b[i] = y[i] * n + 7;
  } else {
    c[i] = z[i] * n + 7;
  }
}
"""


def test_one_block_per_arm_becomes_one_statement() -> None:
    assert (
        region(SB, 3)
        == """\
  const bool is_even = i % 2 == 0;
  const int value = (is_even ? x : y)[i];
  (is_even ? a : b)[i] = value * value + 3;
"""
    )
    after = melded(SB, 3)
    assert_same_memory(SB, after, "sb1")
    assert_compiles(after)


def test_one_block_per_arm_with_other_operations_loads_once() -> None:
    assert (
        region(SB, 11)
        == """\
  const bool is_odd = i & 1;
  const int value = (is_odd ? x : y)[i];
  (is_odd ? a : b)[i] = is_odd ? value * n - 3 : (value + n) * 5;
"""
    )
    after = melded(SB, 11)
    assert_same_memory(SB, after, "sb1_r")
    assert_compiles(after)


def test_one_if_per_arm_becomes_one() -> None:
    assert (
        region(SB, 18)
        == """\
  const bool is_even = i % 2 == 0;
  int v = (is_even ? x : y)[i];
  if (v > n) {
    v = v * n + 7;
  }
  (is_even ? a : b)[i] = v;
"""
    )
    after = melded(SB, 18)
    assert_same_memory(SB, after, "sb2", {"n": 20})
    assert_compiles(after)


def test_two_ifs_per_arm_become_two() -> None:
    assert (
        region(SB, 34)
        == """\
  const bool in_first_half = i < blockDim.x / 2;
  const int *x_or_y = in_first_half ? x : y;
  int v = x_or_y[i];
  if (v > n) {
    v = v * n + 7;
  }
  int *a_or_b = in_first_half ? a : b;
  a_or_b[i] = v;
  v = x_or_y[i + n];
  if (v < n) {
    v = v * v + 1;
  }
  a_or_b[i + n] = v;
"""
    )
    after = melded(SB, 34)
    assert_same_memory(SB, after, "sb3", {"n": 20}, block=(32, 1, 1))
    assert_compiles(after)


def test_three_ways_become_one() -> None:
    assert (
        region(SB, 60)
        == """\
  const bool i_mod_3_is_0 = i % 3 == 0;
  const bool i_mod_3_is_1 = i % 3 == 1;
  int *a_or_b_or_c = i_mod_3_is_0 ? a : i_mod_3_is_1 ? b : c;
  const int *x_or_y_or_z = i_mod_3_is_0 ? x : i_mod_3_is_1 ? y : z;
  a_or_b_or_c[i] = x_or_y_or_z[i] * n + 7;
"""
    )
    after = melded(SB, 60)
    assert_same_memory(SB, after, "sb4")
    assert_compiles(after)


SHARED = """\
__global__ void k(const int *bits, int *a, int *b, int *c, int *d, int n) {
  int t = threadIdx.x;
  if (bits[t] & 1) {
    int x = a[t];
    int y = b[t];
    x = x * 5 + y;
    y = y ^ x >> 3;
    a[t] = x - y;
    x = x * 7 & y;
    b[t] = x;
  } else {
    int x = c[t];
    x = (x | n) * 9;
    int y = d[t];
    c[t] = x ^ y;
    y = y + x * 3;
    d[t] = y >> 1;
  }
}
"""


def test_arms_that_compute_different_things_share_their_loads_and_stores() -> None:
    assert (
        region(SHARED, 3)
        == """\
  const bool is_odd = bits[t] & 1;
  int *a_or_c = is_odd ? a : c;
  int x = a_or_c[t];
  int *b_or_d = is_odd ? b : d;
  int y = b_or_d[t];
  int result;
  int result_2;
  if (is_odd) {
    x = x * 5 + y;
    y = y ^ x >> 3;
    result = x - y;
    x = x * 7 & y;
    result_2 = x;
  } else {
    x = (x | n) * 9;
    result = x ^ y;
    y = y + x * 3;
    result_2 = y >> 1;
  }
  a_or_c[t] = result;
  b_or_d[t] = result_2;
"""
    )
    after = melded(SHARED, 3)
    assert_same_memory(SHARED, after, "k", {"n": 9})
    assert_compiles(after)


def test_a_load_behind_a_store_stays_behind_it() -> None:
    # The store may be to the element that is loaded then.
    before = SHARED.replace("    int y = d[t];\n    c[t] = x ^ y;\n", "    c[t] = x;\n    int y = d[t];\n")
    after = melded(before, 3)
    assert after.index("c[t] = x;") < after.index("y = d[t];")
    assert_same_memory(before, after, "k", {"n": 9})


def test_a_store_does_not_wait_where_its_index_changes() -> None:
    before = SHARED.replace("    x = x * 7 & y;\n    b[t]", "    t = t ^ 1;\n    b[t]").replace(
        "const int *bits", "int *bits"
    )
    after = melded(before, 3)
    assert "result" not in after
    assert_same_memory(before, after, "k", {"n": 9})
