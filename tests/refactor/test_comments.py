"""Each comment of the arms stands exactly once in the result, beside or above what it speaks of."""

from __future__ import annotations

import re

from analysis.meld.settings import MeldMethod, MeldSettings
from tests.refactor.melding import assert_same_memory, melded, region

COMMENTED = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  if (i % 2) { // odd lanes
    // A first
    a[i] = x[/*A index*/ i] * n; // A beside
    for (int j = 0; j < n; j++) // A head
    {
      // A inside
      a[i] += x[j] / 3;
    }
    if (n > 3) { // A big
      a[i] *= 2; // A twice
    }
    // A else
    else
      a[i] *= 3; // A thrice
    if (n > 5) { /* A nothing */ }
    // A last
  } // after odd
  else { // even lanes
    // B first
    a[i] = y[/*B index*/ i + 1] * n; // B beside
    // B above
    for (int j = 0; j < n; j++) {
      a[i] += y[j] / 3; // B inside
    }
    if (n > 4) { // B big
      a[i] *= 2; /* B twice */
    } else { // B else
      a[i] *= 4; // B four
    } // B end
    a[i + 64] = 7; /* B only */
    // B last
  }
}
"""
_COMMENT = re.compile(r"//\s*(.*)|/\*\s*(.*?)\s*\*/")


def _comments(text: str) -> list[str]:
    return sorted(found[1] or found[2] for found in _COMMENT.finditer(text))


def test_each_comment_stands_once() -> None:
    after = melded(COMMENTED, 3)
    assert _comments(after) == _comments(COMMENTED)
    assert_same_memory(COMMENTED, after, "k", {"n": 4})


def test_each_comment_stands_once_where_arms_are_flattened() -> None:
    after = melded(COMMENTED, 3, MeldSettings(MeldMethod.LINEAR))
    assert _comments(after) == _comments(COMMENTED)
    assert_same_memory(COMMENTED, after, "k", {"n": 4})


def test_an_if_that_was_left_keeps_the_comment_behind_its_brace() -> None:
    assert "  if (n > (is_odd_lanes ? 3 : 4)) { // A big\n" in region(COMMENTED, 3)


def test_an_arm_that_is_empty_goes() -> None:
    assert """\
  // after odd
  if (!is_odd_lanes) {
    a[i + 64] = 7; /* B only */
""" in melded(COMMENTED, 3)


def test_a_declaration_that_moves_in_front_keeps_its_comments() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  if (i % 2) {
    // what is left
    int rest;  // in parts
    rest = x[i] % 7;
    a[i + 64] = x[i + 1] * n;
    a[i] = rest / 3 + y[i] / 5;
  } else {
    int rest /* for later */;
    a[i] = x[i + 3] * n + i;
    a[i + 64] = x[i + 1] * n;
    rest = x[i + 2] % 7;
    a[i + 32] = rest / 3 + y[i] / 5;
  }
}
"""
    after = melded(before, 3)
    above = "  // what is left\n  /* for later */\n"
    assert f"{above}  int rest; // in parts\n  if (is_odd) {{\n    rest = x[i] % 7;\n" in after
    assert_same_memory(before, after, "k", {"n": 4})


def test_a_pragma_of_one_arm_leaves_its_comment() -> None:
    before = """\
__global__ void k(const int *x, const int *y, int *a, int n) {
  int i = threadIdx.x;
  if (i % 2) {
    #pragma unroll 2
    for (int j = 0; j < n; j++) a[i] += x[j] / 3;
  } else {
    #pragma unroll 2  // as on the other side
    for (int j = 0; j < n; j++) a[i] += y[j] / 3;
  }
}
"""
    after = melded(before, 3)
    assert "  // as on the other side\n  #pragma unroll 2\n" in after
    assert_same_memory(before, after, "k", {"n": 4})


def test_a_comment_inside_a_statement_that_meets_one_under_an_if_stands_once() -> None:
    before = """\
__device__ void moved(int *p, int by) { p[threadIdx.x] += by / 3; }
__global__ void k(const int *x, int *a, int n) {
  int i = threadIdx.x;
  if (x[i] > 3) {
    if (n % 2 == 1)
      moved(a + 1, x[i] / 7);
  } else
    moved(a + 1, x[i] / 7) /* otherwise */;
}
"""
    after = melded(before, 4)
    assert _comments(after) == ["otherwise"]
    assert_same_memory(before, after, "k", {"n": 5})
