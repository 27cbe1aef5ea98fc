"""How the result is written: the author's style, names, macros and comments.

Each kernel is melded at the branch in the given line; the text that takes its place stands beside it.
"""

from __future__ import annotations

from analysis.refactor.meld.guards import condition_name
from analysis.refactor.meld.terms import term
from tests.refactor.melding import assert_compiles, assert_same_memory, melded, region


def test_tabs_and_braces_on_lines_of_their_own() -> None:
    before = """\
__global__ void k(const float *x, const float *y, float *a) {
	int i = threadIdx.x;
	if (i % 2)
	{
		// the first
		float v = x[i];
		a[i] = v * 2; /* doubled */
	}
	else
	{
		// the second
		float w = y[i];
		a[i] = w * 2;
	}
}
"""
    assert (
        region(before, 3)
        == """\
	// the first
	// the second
	float v = (i % 2 ? x : y)[i];
	a[i] = v * 2; /* doubled */
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_arms_without_braces() -> None:
    before = """\
__global__ void k(const float *x, const float *y, float *a, int n) {
  int i = threadIdx.x;
  for (int r = 0; r < n; r++)
    if (i & 1)
      a[i] += x[r];
    else
      a[i] += y[r];
}
"""
    assert (
        region(before, 4)
        == """\
    a[i] += (i & 1 ? x : y)[r];
"""
    )
    after = melded(before, 4)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_else_on_a_line_of_its_own() -> None:
    before = """\
__global__ void k(const int *x, int *a, int n) {
  int i = threadIdx.x;
  if (x[i] > n) {
    a[i] = x[i + 1] / n;
    a[i + 64] = n;
  }
  else {
    a[i + 64] = x[i + 1] / n;
    a[i] = 3;
    a[i + 128] = 4;
  }
}
"""
    assert (
        region(before, 3)
        == """\
  const bool x_is_above_n = x[i] > n;
  a[x_is_above_n ? i : i + 64] = x[i + 1] / n;
  a[x_is_above_n ? i + 64 : i] = x_is_above_n ? n : 3;
  if (!x_is_above_n) {
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_object_and_function_macros_keep_their_spelling() -> None:
    before = """\
#define WIDTH 32
#define AT(r, c) ((r) * WIDTH + (c))
__global__ void k(const float *x, float *a, int r) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    int p = i + 1;
    a[AT(p, r)] = x[AT(p, 0)] * WIDTH;
  } else {
    int q = i + 2;
    a[AT(q, r)] = x[AT(q, 0)] * WIDTH;
  }
}
"""
    assert (
        region(before, 5)
        == """\
  int p = i + (i % 2 == 0 ? 1 : 2);
  a[AT(p, r)] = x[AT(p, 0)] * WIDTH;
"""
    )
    after = melded(before, 5)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_templates_are_melded_as_they_are_written() -> None:
    before = """\
template <typename T, int N>
__global__ void k(const T *x, const T *y, T *a) {
  int i = threadIdx.x;
  if (i % N == 0) {
    T v = x[i] * T(2);
    a[i] = v + T(1);
  } else {
    T v = y[i] * T(2);
    a[i] = v + T(1);
  }
}
template __global__ void k<float, 4>(const float *, const float *, float *);
"""
    assert (
        region(before, 4)
        == """\
  T v = (i % N == 0 ? x : y)[i] * T(2);
  a[i] = v + T(1);
"""
    )
    after = melded(before, 4)
    assert_compiles(after)


def test_a_name_of_the_function_is_not_captured() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a) {
  int i = threadIdx.x;
  int v = i + 1;
  int left = 3;
  if (i % 2 == 0) {
    int v = x[i];
    a[i] = v + left;
  } else {
    int w = y[i];
    a[i] = w + left;
  }
  a[i + 64] = v;
}
"""
    assert (
        region(before, 5)
        == """\
  {
    int v = (i % 2 == 0 ? x : y)[i];
    a[i] = v + left;
"""
    )
    after = melded(before, 5)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_an_outer_variable_is_not_captured() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a) {
  int i = threadIdx.x;
  int w = i * 3;
  if (i % 2 == 0) {
    int w = x[i];
    a[i] = w * w;
  } else {
    int v = y[i];
    a[i] = v * v;
    a[i + 64] = w;
  }
}
"""
    assert (
        region(before, 4)
        == """\
  const bool is_even = i % 2 == 0;
  int w_2 = (is_even ? x : y)[i];
  a[i] = w_2 * w_2;
  if (!is_even) {
"""
    )
    after = melded(before, 4)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_a_declaration_under_a_guard_is_declared_before() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  if (x[i] > n) {
    const int v = x[i + 64];
    a[i] = y[i] * v;
    a[i + 128] = v;
  } else {
    a[i] = y[i] * n;
    a[i + 128] = y[i + 2];
  }
}
"""
    assert (
        region(before, 3)
        == """\
  const bool x_is_above_n = x[i] > n;
  int v;
  if (x_is_above_n) {
    v = x[i + 64];
  }
  a[i] = y[i] * (x_is_above_n ? v : n);
  a[i + 128] = x_is_above_n ? v : y[i + 2];
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9, "r": 1})
    assert_compiles(after)


def test_other_blocks_may_declare_the_same_name() -> None:
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
  for (int v = 0; v < 4; v++) {
    a[i + 64 * v] += v;
  }
  if (i < 9) {
    int v = a[i];
    a[i + 512] = v;
  }
}
"""
    assert (
        region(before, 3)
        == """\
  int v = (i % 2 == 0 ? x : y)[i];
  a[i] = v * v;
"""
    )
    after = melded(before, 3)
    assert_same_memory(before, after, "k")
    assert_compiles(after)


def test_a_later_declaration_in_the_same_block_needs_braces() -> None:
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
  int v = a[i];
  a[i + 64] = v;
}
"""
    after = melded(before, 3)
    assert "  {\n    int v = (i % 2 == 0 ? x : y)[i];\n" in after
    assert_same_memory(before, after, "k")
    assert_compiles(after)


def test_names_of_other_functions_are_free_but_not_those_of_macros() -> None:
    before = """\
#define x_is_above_n 3
__global__ void other(int *a, int way_is_1) {
  a[way_is_1] = 1;
}
__global__ void k(const int *x, const int *y, int *a, int n, int way) {
  int i = threadIdx.x;
  if (x[i] > n) {
    a[i] = x[i + 1] / n;
    a[i + 64] = n * 7;
  } else {
    a[i] = x[i + 2] / n;
    a[i + 64] = i * 7;
  }
  if (way == 1) {
    a[i + 128] += x[i + 1] / n;
    n = 2;
  } else {
    a[i + 128] += x[i + 2] / n;
    n = 3;
  }
  a[i + 192] = n;
}
"""
    assert "const bool x_is_above_n_2 = x[i] > n;" in melded(before, 7)


def test_two_accesses_of_an_operator_are_its_sides() -> None:
    before = """\
__global__ void k(const float *rows, const float *columns, const float *weights, float *a, int n) {
  int i = threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++) {
    if (i % 2 == 0) {
      sum += rows[i * n + j] * weights[j];
    } else {
      sum += columns[j * n + i] * rows[j + i];
    }
  }
  a[i] = sum;
}
"""
    found = region(before, 5)
    assert "const float *left = " in found
    assert "const float *right = " in found
    assert "sum += *left * *right;" in found or "sum += left[" in found
    after = melded(before, 5)
    assert_same_memory(before, after, "k", {"n": 3})
    assert_compiles(after)


def test_variables_that_are_paired_across_blocks_stay_apart_where_they_meet() -> None:
    """The second arm's `r` is paired with the first `r` of the first arm, and meets the second one."""
    before = """\
__global__ void k(const short *h, int *a, int n) {
  int i = threadIdx.x;
  if (i & 2) {
    if (a[i] == n) {
      int r = 0;
      do { a[i + 64] = n; } while (++r < h[47 - r] % 3);
    } else {
      int r = 0;
      do { a[i + 64] = n; } while (++r < h[47 - r] % 3);
    }
    a[i + 128] = n * n + 3;
  } else {
    if (a[i] == n)
      a[i + 192] = 7;
    else {
      int r = 0;
      do { a[i + 64] = n; } while (++r < h[47 - r] % 3);
    }
    a[i + 128] = n * n + 4;
  }
}
"""
    after = melded(before, 3)
    assert_same_memory(before, after, "k", {"n": 9})
    assert_compiles(after)


def test_lines_of_a_statement_keep_their_distance() -> None:
    before = """\
__device__ int sum(int first, int second, int third, int fourth, int fifth) {
  return first * second + third * fourth + fifth;
}
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    if (n > 3) {
      // the sum

      /* of all
         numbers */
      a[i] = x[i] *
             n;
      a[i + 64] = sum(x[i] * n, x[i + 1] * n, i,
                      n, 3);
    }
  } else {
    if (n > 3) {
      a[i] = y[i] *
             n;
      a[i + 64] = sum(x[i + 2] * n, x[i + 3] * n, n,
                      i, 5);
    }
  }
}
"""
    assert (
        region(before, 6)
        == """\
  const bool is_even = i % 2 == 0;
  if (n > 3) {
    // the sum

    /* of all
       numbers */
    a[i] = (is_even ? x : y)[i] *
           n;
    a[i + 64] = sum(x[is_even ? i : i + 2] * n, x[i + (is_even ? 1 : 3)] * n, is_even ? i : n,
                    is_even ? n : i, is_even ? 3 : 5);
"""
    )
    after = melded(before, 6)
    assert_same_memory(before, after, "k")
    assert_compiles(after)


def test_a_name_never_begins_with_a_digit() -> None:
    def less_than_zero(operand: str) -> str | None:
        operands = (term("identifier", (operand,)), " ", term("<", ("<",)), " ", term("number_literal", ("0",)))
        return condition_name(term("binary_expression", operands))

    assert (less_than_zero("n"), less_than_zero("0")) == ("n_is_negative", None)


def test_a_name_in_a_switch_that_stays_as_written_is_forgotten_behind_its_block() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  if (i % 2) {
    int r = x[i] % 7;
    switch (n) {
      case 1: { int r = 3; a[i + 200] = r; break; }
      case 2: a[i + 128] = r; break;
    }
    a[i] = y[i] / 3;
    a[i + 64] = y[i + 1] / 5;
  } else {
    a[i] = x[i] / 3;
    a[i + 64] = x[i + 1] / 5;
    int r = x[i + 2] % 9;
    switch (n) {
      case 1: { int r = 3; a[i + 200] = r; break; }
      case 2: a[i + 128] = r; break;
    }
  }
}
"""
    after = melded(before, 3)
    assert after.count("case 1: { int r = 3; a[i + 200] = r; break; }") == 2
    assert after.count("case 2: a[i + 128] = r_2; break;") == 2
    assert_same_memory(before, after, "k", {"n": 2})
