"""Barriers behind an early return or under a condition: the text before and after."""

from __future__ import annotations

import pytest

from analysis.refactor.block_barriers.model import CannotMeet, Met, RepairStep, WhyNotMet
from analysis.refactor.edit import apply_replacements
from tests.refactor.meeting import TILE, check, kernel, met

# -- early exits -------------------------------------------------------------------------------------------------------


def test_work_is_guarded_instead_of_returning() -> None:
    check(
        TILE + "  if (i >= n) return;\n  s[t] = x[i];\n  __syncthreads();\n  y[i] = s[0] + s[t];\n",
        TILE + "  if (i < n) s[t] = x[i];\n  __syncthreads();\n  if (i < n) y[i] = s[0] + s[t];\n",
        RepairStep.EXIT,
    )


def test_comments_stay_where_they_explain_something() -> None:
    check(
        TILE
        + """  // outside of the image
  if (i >= n) return;  // nothing to do
  s[t] = x[i];  // the tile

  // all of it is there
  __syncthreads();  // wait
  /* the result */
  y[i] = s[0];
""",
        TILE
        + """  // outside of the image
  // nothing to do
  if (i < n) s[t] = x[i];  // the tile

  // all of it is there
  __syncthreads();  // wait
  if (i < n) {
    /* the result */
    y[i] = s[0];
  }
""",
        RepairStep.EXIT,
    )


def test_several_barriers_after_one_return_and_a_loop_that_all_threads_run() -> None:
    check(
        TILE
        + """  if (i >= n) return;
  s[t] = x[i];
  __syncthreads();
  for (int k = 1; k < 4; k *= 2) {
    float v = s[(t + k) % 64];
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  y[i] = s[t];
""",
        TILE
        + """  if (i < n) s[t] = x[i];
  __syncthreads();
  for (int k = 1; k < 4; k *= 2) {
    float v;
    if (i < n) v = s[(t + k) % 64];
    __syncthreads();
    if (i < n) s[t] += v;
    __syncthreads();
  }
  if (i < n) y[i] = s[t];
""",
        RepairStep.EXIT,
        above="",
    )


def test_what_reads_memory_is_declared_before_and_read_under_the_guard() -> None:
    check(
        TILE
        + """  if (i >= n) return;
  const float v = x[i], w = 2 * v;
  int left = t ? t - 1 : 0;
  s[t] = v;
  __syncthreads();
  y[i] = s[left] + w;
""",
        TILE
        + """  float v, w;
  int left = t ? t - 1 : 0;
  if (i < n) {
    v = x[i];
    w = 2 * v;
    s[t] = v;
  }
  __syncthreads();
  if (i < n) y[i] = s[left] + w;
""",
        RepairStep.EXIT,
    )


def test_a_condition_whose_variables_change_is_kept_in_a_variable() -> None:
    check(
        TILE
        + "  if (i >= n) return;\n  s[t] = x[i];\n  i = i / 2;\n  __syncthreads();\n  y[blockIdx.x * 64 + t] = s[0];\n",
        TILE
        + """  const bool active = i < n;
  if (active) {
    s[t] = x[i];
    i = i / 2;
  }
  __syncthreads();
  if (active) y[blockIdx.x * 64 + t] = s[0];
""",
        RepairStep.EXIT,
    )


def test_two_returns_with_work_before_one_of_them() -> None:
    check(
        TILE
        + """  if (i >= n) return;
  if (x[i] < 0.5f) {
    y[i] = 0;
    return;
  }
  s[t] = x[i];
  __syncthreads();
  y[i] = s[t];
""",
        TILE
        + """  const bool active = i < n && !(x[i] < 0.5f);
  if (i < n && !active) y[i] = 0;
  if (active) s[t] = x[i];
  __syncthreads();
  if (active) y[i] = s[t];
""",
        RepairStep.EXIT,
    )


def test_braces_stand_where_the_author_puts_them() -> None:
    check(
        TILE
        + """  for (int k = 0; k < 2; k++)
  {
    s[t] = k;
  }
  if (i >= n)
    return;
  s[t] = x[i];
  s[t] += 1;
  __syncthreads();
  y[i] = s[0];
""",
        TILE
        + """  for (int k = 0; k < 2; k++)
  {
    s[t] = k;
  }
  if (i < n)
  {
    s[t] = x[i];
    s[t] += 1;
  }
  __syncthreads();
  if (i < n) y[i] = s[0];
""",
        RepairStep.EXIT,
    )


@pytest.mark.parametrize(
    ("written", "guard"),
    [
        ("t > 40", "t <= 40"),
        ("!(t < 40)", "t < 40"),
        ("t == 3", "t != 3"),
        ("n < t", "n >= t"),
        ("x[i] > 0.5f", None),
        ("t > 40 || i >= n", None),
    ],
)
def test_a_condition_is_negated_by_its_operator(written: str, guard: str | None) -> None:
    found = met(kernel(TILE + f"  if ({written}) return;\n  s[t] = 1;\n  __syncthreads();\n  y[i] = s[t];\n"))
    assert isinstance(found, Met)
    text = "".join(one.text for one in found.edit)
    if guard is not None:
        assert f"if ({guard}) s[t] = 1;" in text
    elif "||" in written:
        assert "const bool active = t <= 40 && i < n;" in text
    else:
        assert "const bool active = !(x[i] > 0.5f);" in text  # not `<=`: of a NaN neither holds


# -- barriers under a condition ----------------------------------------------------------------------------------------


def test_a_barrier_is_taken_out_of_a_branch() -> None:
    check(
        TILE + "  if (t < 16) {\n    s[t] = x[t];\n    __syncthreads();\n    y[t] = s[15 - t];\n  }\n",
        TILE + "  if (t < 16) s[t] = x[t];\n  __syncthreads();\n  if (t < 16) y[t] = s[15 - t];\n",
        RepairStep.HOIST,
    )


def test_barriers_at_both_ends_of_an_arm_and_an_else_arm_with_none() -> None:
    check(
        TILE
        + """  s[t] = x[t];
  if (t < 40) {
    __syncthreads();
    y[t] = s[t + 1];
    __syncthreads();
  } else {
    y[t] = 0;
  }
""",
        TILE
        + """  s[t] = x[t];
  if (t >= 40) y[t] = 0;
  __syncthreads();
  if (t < 40) y[t] = s[t + 1];
  __syncthreads();
""",
        RepairStep.HOIST,
    )


def test_branches_inside_of_each_other() -> None:
    check(
        TILE
        + """  if (t < 40) {
    s[t] = x[t];
    if (t > 2) {
      s[t] += 1;
      __syncthreads();
      y[t] = s[t - 1];
    }
    y[t] += 1;
  }
""",
        TILE
        + """  if (t < 40) s[t] = x[t];
  if (t < 40 && t > 2) s[t] += 1;
  __syncthreads();
  if (t < 40 && t > 2) y[t] = s[t - 1];
  if (t < 40) y[t] += 1;
""",
        RepairStep.HOIST,
    )


def test_variables_of_a_branch_that_would_meet_others_stay_in_braces() -> None:
    check(
        TILE
        + """  if (t < 16) {
    float v = x[t];
    s[t] = v;
    __syncthreads();
    y[t] = s[15 - t] + v;
  }
  float v = 3;
  y[t] += v;
""",
        TILE
        + """  {
    float v;
    if (t < 16) {
      v = x[t];
      s[t] = v;
    }
    __syncthreads();
    if (t < 16) y[t] = s[15 - t] + v;
  }
  float v = 3;
  y[t] += v;
""",
        RepairStep.HOIST,
    )


def test_a_call_that_only_waits_is_a_barrier() -> None:
    check(
        TILE + "  if (t < 16) {\n    s[t] = x[t];\n    wait();\n    y[t] = s[15 - t];\n  }\n",
        TILE + "  if (t < 16) s[t] = x[t];\n  wait();\n  if (t < 16) y[t] = s[15 - t];\n",
        RepairStep.HOIST,
        above="__device__ void wait() { __syncthreads(); }\n",
    )


def test_the_barriers_of_two_arms_become_one() -> None:
    check(
        TILE
        + """  if (t % 2) {
    s[t] = x[t];
    __syncthreads();
    y[t] = s[t];
  } else {
    s[t] = 2 * x[t];
    __syncthreads();
    y[t] = 3 * s[t];
  }
""",
        TILE
        + """  if (t % 2) {
    s[t] = x[t];
  } else {
    s[t] = 2 * x[t];
  }
  __syncthreads();
  if (t % 2) {
    y[t] = s[t];
  } else {
    y[t] = 3 * s[t];
  }
""",
        RepairStep.MERGE,
    )


def test_a_condition_that_other_threads_may_change_is_read_once() -> None:
    check(
        """  __shared__ int count;
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) count = 40;
  __syncthreads();
  if (t >= count) return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    s[t] = k;
  __syncthreads();
  y[t] = s[0];
""",
        """  __shared__ int count;
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) count = 40;
  __syncthreads();
  const bool active = t < count;
  if (active) {
    #pragma unroll
    for (int k = 0; k < 4; k++)
      s[t] = k;
  }
  __syncthreads();
  if (active) y[t] = s[0];
""",
        RepairStep.EXIT,
    )


def test_statements_that_share_a_line_and_a_ladder_of_branches() -> None:
    check(
        TILE
        + """  if (t < 16) { s[t] = x[t]; __syncthreads(); y[t] = s[15 - t]; }
  if (t == 5)
    y[0] = 1;
  else if (t < 9) {
    s[t] = 2;
    __syncthreads();
  } else {
    y[t] = 2;
  };
""",
        TILE
        + """  if (t < 16) s[t] = x[t];
  __syncthreads();
  if (t < 16) y[t] = s[15 - t];
  if (t == 5) y[0] = 1;
  if (t != 5 && t >= 9) y[t] = 2;
  if (t != 5 && t < 9) s[t] = 2;
  __syncthreads();
""",
        RepairStep.HOIST,
    )


def test_a_kernel_template_in_another_style() -> None:
    before = """template <typename T, int N> __global__ void k(T *x, T *y)
{
\t__shared__ T s[N];
\tint t = threadIdx.x;
\tif (t >= N) { return; }
\ts[t] = x[t];
\t__syncthreads();
\tfor (int k = N / 2; k > 0; k >>= 1)
\t{
\t\tif (t < k)
\t\t{
\t\t\ts[t] += s[t + k];
\t\t}
\t\t__syncthreads();
\t}
}
void host(float *x, float *y) { k<float, 32><<<1, 64>>>(x, y); }
""".replace("\n", "\r\n")
    after = (
        before.replace("\tif (t >= N) { return; }\r\n\ts[t]", "\tif (t < N) s[t]")
        .replace(
            "\t\tif (t < k)\r\n\t\t{\r\n\t\t\ts[t]",
            "\t\tif (t < N)\r\n\t\t{\r\n\t\t\tif (t < k)\r\n\t\t\t{\r\n\t\t\t\ts[t]",
        )
        .replace("s[t + k];\r\n\t\t}", "s[t + k];\r\n\t\t\t}\r\n\t\t}")
    )
    found = met(before)
    assert isinstance(found, Met), found
    assert apply_replacements(before.encode(), found.edit).decode() == after


def test_macros_that_spell_operands_stay() -> None:
    check(
        TILE + "  if (i >= WIDTH) return;\n  AT(t) = x[i];\n  __syncthreads();\n  y[i] = AT(WIDTH - 1 - t);\n",
        TILE + "  if (i < WIDTH) AT(t) = x[i];\n  __syncthreads();\n  if (i < WIDTH) y[i] = AT(WIDTH - 1 - t);\n",
        RepairStep.EXIT,
        above="#define WIDTH 16\n#define AT(i) s[(i) * 2]\n",
    )


def test_references_may_change_what_they_name() -> None:
    body = "  if (t < 9) {\n    r = 40;\n    __syncthreads();\n    y[i] = 1;\n  }\n"
    found = met(kernel(f"{TILE}  int &r = t;\n{body}"))
    assert isinstance(found, Met)
    assert "const bool active = t < 9;" in "".join(one.text for one in found.edit)
    assert met(kernel(f"{TILE}  int (&r) = t;\n{body}")) == CannotMeet(WhyNotMet.MACRO, 0)
