"""The cases of a `switch` as arms: which of them become one, what is left of the `switch`, and what is refused.

Each kernel is melded at the branch in the given line; the text that takes its place stands beside it.
"""

from __future__ import annotations

import pytest

from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldMethod, MeldSettings
from analysis.refactor.meld.model import Obstacle, Opportunity, Refusal
from tests.refactor.melding import assert_compiles, assert_same_memory, melded, outcomes

HEAD = """\
__global__ void k(const float *x, const float *y, const float *z, float *a, int n) {
  int i = threadIdx.x;
"""


def kernel(statement: str) -> str:
    """The `switch` stands in line 3."""
    return f"{HEAD}{statement}}}\n"


def check(statement: str, expected: str, settings: MeldSettings = DEFAULT_MELD_SETTINGS) -> None:
    """What takes the place of the `switch`; both versions leave the same memory, the new one issues less."""
    before = kernel(statement)
    after = melded(before, 3, settings)
    assert after == kernel(expected)
    assert_same_memory(before, after, "k")
    assert_compiles(after)


def refused(statement: str) -> Refusal:
    found = outcomes(kernel(statement))[3]
    assert isinstance(found, Refusal), found
    return found


def test_cases_that_differ_in_operands_become_one_statement_behind_a_small_switch() -> None:
    check(
        """\
  switch (i % 3) {
    case 0:
      a[i] = x[i] * 2.0f + 1.0f;
      break;
    case 1:
      a[i] = y[i] * 3.0f + 1.0f;
      break;
    default:
      a[i] = z[i] * 4.0f + 1.0f;
      break;
  }
""",
        """\
  const float *x_or_y_or_z;
  float factor;
  switch (i % 3) {
    case 0:
      x_or_y_or_z = x;
      factor = 2.0f;
      break;
    case 1:
      x_or_y_or_z = y;
      factor = 3.0f;
      break;
    default:
      x_or_y_or_z = z;
      factor = 4.0f;
      break;
  }
  a[i] = x_or_y_or_z[i] * factor + 1.0f;
""",
    )


def test_two_cases_are_a_condition() -> None:
    check(
        """\
  switch (i % 2) {
    case 0: {
      float v = x[i] * 2.0f;
      a[i] = v * v;
      break;
    }
    default: {
      float w = y[i] * 3.0f;
      a[i] = w * w;
    }
  }
""",
        """\
  const bool is_even = i % 2 == 0;
  float v = (is_even ? x : y)[i] * (is_even ? 2.0f : 3.0f);
  a[i] = v * v;
""",
    )


def test_a_value_that_binds_less_than_a_comparison_gets_parentheses() -> None:
    check(
        """\
  switch (i & 1) {
    case 0:
      a[i] = x[i] * 2.0f + 1.0f;
      break;
    default:
      a[i] = y[i] * 2.0f + 1.0f;
  }
""",
        """\
  a[i] = ((i & 1) == 0 ? x : y)[i] * 2.0f + 1.0f;
""",
    )


def test_operations_that_differ_stay_in_the_switch_and_what_they_share_goes_out_of_it() -> None:
    check(
        """\
  switch (i % 4) {
    case 0: a[i] = x[i] + y[i]; break;
    case 1: a[i] = x[i] - y[i]; break;
    case 2: a[i] = x[i] * y[i]; break;
    case 3: a[i] = x[i] / y[i]; break;
  }
""",
        """\
  const float value = x[i];
  const float value_2 = y[i];
  float result;
  switch (i % 4) {
    case 0:
      result = value + value_2;
      break;
    case 1:
      result = value - value_2;
      break;
    case 2:
      result = value * value_2;
      break;
    default:
      result = value / value_2;
      break;
  }
  a[i] = result;
""",
    )


def test_the_end_that_all_cases_share_stands_behind_the_switch() -> None:
    check(
        """\
  switch (i % 3) {
    case 0:  // rows
      for (int j = 0; j < n; j++) a[i + 64] += x[j];
      a[i] = a[i + 64] * 2.0f + y[i];
      break;
    // columns come next
    case 1:
      a[i + 64] = y[i];
      a[i] = a[i + 64] * 2.0f + y[i];
      break;
    default:
      a[i + 64] += z[i] * x[i + 1] / 3.0f;
      a[i] = a[i + 64] * 2.0f + y[i];
  }
""",
        """\
  switch (i % 3) {
    case 0: // rows
      for (int j = 0; j < n; j++) {
        a[i + 64] += x[j];
      }
      break;
    case 1:
      // columns come next
      a[i + 64] = y[i];
      break;
    default:
      a[i + 64] += z[i] * x[i + 1] / 3.0f;
  }
  a[i] = a[i + 64] * 2.0f + y[i];
""",
        MeldSettings(MeldMethod.TAIL),
    )


def test_melded_cases_share_their_labels_where_other_values_run_something_else() -> None:
    check(
        """\
  switch (n + i & 7) {
    case 1:
      a[i] = x[i] * 2.0f + y[i];
      break;
    case 2:
    case 5:
      a[i] = y[i] * 3.0f + y[i];
      break;
  }
""",
        """\
  const int choice = n + i & 7;
  switch (choice) {
    case 1:
    case 2:
    case 5: {
      const bool choice_is_1 = choice == 1;
      a[i] = (choice_is_1 ? x : y)[i] * (choice_is_1 ? 2.0f : 3.0f) + y[i];
      break;
    }
  }
""",
    )


def test_pairs_of_cases_that_are_alike_become_one_each() -> None:
    check(
        """\
  switch (i % 4) {
    case 0:
      for (int j = 0; j < n; j++) a[i] += x[j];
      break;
    case 1:
      a[i] = x[i] * 2.0f + y[i];
      break;
    case 2:
      a[i] = y[i] * 2.0f + z[i];
      break;
    default:
      for (int j = 0; j < n; j++) a[i] += y[j];
      break;
  }
""",
        """\
  const int choice = i % 4;
  switch (choice) {
    case 1:
    case 2: {
      const bool choice_is_1 = choice == 1;
      a[i] = (choice_is_1 ? x : y)[i] * 2.0f + (choice_is_1 ? y : z)[i];
      break;
    }
    default: {
      const float *x_or_y = choice == 0 ? x : y;
      for (int j = 0; j < n; j++) {
        a[i] += x_or_y[j];
      }
      break;
    }
  }
""",
    )


def test_a_value_that_a_case_changes_is_read_once_in_front() -> None:
    before = kernel(
        """\
  n += i % 2;
  switch (n) {
    case 5:
      n += 2;
      a[i] = x[i + n] * 2.0f;
      break;
    default:
      n += 3;
      a[i] = y[i + n] * 2.0f;
      break;
  }
"""
    )
    after = kernel(
        """\
  n += i % 2;
  const int choice = n;
  const bool choice_is_5 = choice == 5;
  n += choice_is_5 ? 2 : 3;
  a[i] = (choice_is_5 ? x : y)[i + n] * 2.0f;
"""
    )
    assert melded(before, 4) == after
    assert_same_memory(before, after, "k")


def test_default_may_stand_anywhere_and_macros_may_be_labels() -> None:
    text = "#define ROWS 1\n" + kernel(
        """\
  switch (i % 3) {
  default:
    a[i] = x[i] * 2.0f + 1.0f;
    break;
  case 0:
    a[i] = y[i] * 2.0f + 1.0f;
    break;
  case ROWS:
    a[i] = z[i] * 2.0f + 1.0f;
  }
"""
    )
    expected = """\
  const float *x_or_y_or_z;
  switch (i % 3) {
  case 0:
    x_or_y_or_z = y;
    break;
  case ROWS:
    x_or_y_or_z = z;
    break;
  default:
    x_or_y_or_z = x;
  }
  a[i] = x_or_y_or_z[i] * 2.0f + 1.0f;
"""
    after = melded(text, 4)
    assert after == "#define ROWS 1\n" + kernel(expected)
    assert_same_memory(text, after, "k")


def test_a_switch_in_a_loop_whose_cases_leave_the_loop() -> None:
    text = kernel(
        """\
  for (int r = 0; r < n; r++) {
    switch (i % 2) {
      case 0:
        if (x[r] > 2.0f) continue;
        a[i] += y[r] * 2.0f;
        break;
      case 1:
        if (y[r] > 2.0f) return;
        a[i] += z[r] * 2.0f;
        break;
    }
  }
"""
    )
    after = melded(text, 4)
    assert after == kernel(
        """\
  for (int r = 0; r < n; r++) {
    const bool is_even = i % 2 == 0;
    if ((is_even ? x : y)[r] > 2.0f) {
      if (is_even)
        continue;
      else
        return;
    }
    a[i] += (is_even ? y : z)[r] * 2.0f;
  }
"""
    )
    assert_same_memory(text, after, "k")


ALIKE = "a[i] = x[i] * 2.0f + y[i];"
REFUSED = {
    "a case runs on into the next one": (
        f"case 0: n++;\n    case 1: {ALIKE} break;\n    default: {ALIKE}",
        Obstacle.FALL_THROUGH,
        "a case runs on into the next one",
    ),
    "a break in the middle": (
        f"case 0: if (n > i) break; {ALIKE} break;\n    default: {ALIKE}",
        Obstacle.LEAVES_ARM,
        "a `break` in the middle of a case leaves the `switch` early",
    ),
    "a label inside a loop": (
        f"case 0: while (n-- > 0) {{ {ALIKE} case 1: n--; }} break;\n    case 2: {ALIKE} break;\n    default: {ALIKE}",
        Obstacle.FALL_THROUGH,
        "a label of the `switch` stands inside a statement of a case",
    ),
    "a variable of an earlier case": (
        f"case 0: float v; v = x[i]; {ALIKE} break;\n    default: v = y[i]; a[i] = v;",
        Obstacle.DECLARATION,
        "a later case names a variable that this case declares",
    ),
    "a range of values": (
        f"case 0 ... 1: {ALIKE} break;\n    default: {ALIKE}",
        Obstacle.UNKNOWN_CODE,
        "a case has a label that is no single value",
    ),
    "more cases than can be compared": (
        "".join(f"case {n}: {ALIKE} break;\n    " for n in range(65)),
        Obstacle.TOO_LARGE,
        "a `switch` of more than 64 cases is not melded",
    ),
    "one case": (
        f"case 0: {ALIKE} break;\n    default: break;",
        Obstacle.NO_GAIN,
        "a warp that splits here loses nothing: one arm costs nothing, or a single lane runs it",
    ),
    "nothing alike": (
        "case 0: a[i] = x[i] / y[i]; break;\n    default: for (int j = 0; j < n; j++) a[j + i] += 2;",
        Obstacle.NOTHING_ALIKE,
        "no statement of one arm is enough like one of the other",
    ),
    "a barrier": (
        f"case 0: __syncthreads(); {ALIKE} break;\n    default: {ALIKE}",
        Obstacle.BARRIER,
        "an arm waits at a barrier",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_and_why(name: str) -> None:
    cases, obstacle, message = REFUSED[name]
    found = refused(f"  switch (i % 3) {{\n    {cases}\n  }}\n")
    assert (found.obstacle, found.message) == (obstacle, message)


def test_a_break_of_a_loop_or_of_a_switch_inside_a_case_is_its_own() -> None:
    loop = "for (int j = 0; j < n; j++) { if (x[j] > 2.0f) break; a[i] += x[j]; }"
    inner = "switch (n) { case 1: a[i] += 2.0f; break; default: a[i] += 3.0f; break; }"
    text = kernel(f"  switch (i % 2) {{\n    case 0: {loop} {inner} break;\n    default: {loop} {inner}\n  }}\n")
    assert isinstance(outcomes(text)[3], Opportunity)


def test_a_switch_on_a_value_that_the_block_shares_is_no_region() -> None:
    assert outcomes(kernel(f"  switch (n) {{\n    case 0: {ALIKE} break;\n    default: {ALIKE}\n  }}\n")) == {}
