"""The examples of the paper end in the forms of the paper: Figures 5, 6 and 7, Table 3, and j0/x1/j1."""

from __future__ import annotations

import pytest

from analysis.straightline.listing import code_lines
from analysis.straightline.optimise import Step
from tests.straightline.running import lines_after, optimised

FIGURE_6 = """
__global__ void k(const float *a, long b, long c, long n, float *out) {
  float s = 0;
  #pragma unroll
  for (long x = 0; x < 3; ++x) {
    #pragma unroll
    for (long y = 0; y < 3; ++y) {
      const float *p = &a[(c + y) + (b + x) * n];
      s += *p;
    }
  }
  *out = s;
}
"""
FIGURE_5A = """
__global__ void k(const float *a, {type} b, {type} c, {type} n, float *out) {{
  const float *p0 = &a[c     + b       * n];
  const float *p1 = &a[c + 1 + b       * n];
  const float *p2 = &a[c + 2 + b       * n];
  const float *p3 = &a[c     + (b + 1) * n];
  const float *p4 = &a[c + 1 + (b + 1) * n];
  const float *p5 = &a[c + 2 + (b + 1) * n];
  const float *p6 = &a[c     + (b + 2) * n];
  const float *p7 = &a[c + 1 + (b + 2) * n];
  const float *p8 = &a[c + 2 + (b + 2) * n];
  *out = *p0 + *p1 + *p2 + *p3 + *p4 + *p5 + *p6 + *p7 + *p8;
}}
"""
FIGURE_7 = """
__global__ void k(const int *a, long i, long j, bool b, bool c, int *out) {
  int u = 0, v = 0;
  if (b) u = a[i];
  if (c) v = a[i + j];
  *out = u + v;
}
"""
AFTER_5B = """
p0 = &a[c + (b * n)]
p1 = &p0[1]
p2 = &p0[2]
p3 = &a[c + ((b + 1) * n)]
p4 = &p3[1]
p5 = &p3[2]
p6 = &a[c + ((b + 2) * n)]
p7 = &p6[1]
p8 = &p6[2]
"""
AFTER_5C = """
x0 = b * n
p0 = &a[c + x0]
p1 = &p0[1]
p2 = &p0[2]
x1 = x0 + n
p3 = &a[c + x1]
p4 = &p3[1]
p5 = &p3[2]
p6 = &a[c + (x1 + n)]
p7 = &p6[1]
p8 = &p6[2]
"""
AFTER_5D = """
p0 = &a[c + (b * n)]
p1 = &p0[1]
p2 = &p0[2]
p3 = &p0[n]
p4 = &p3[1]
p5 = &p3[2]
p6 = &p3[n]
p7 = &p6[1]
p8 = &p6[2]
"""


@pytest.mark.parametrize("text", [FIGURE_6, FIGURE_5A.format(type="long"), FIGURE_5A.format(type="int")])
def test_figures_5_and_6(text: str) -> None:
    result = optimised(text)
    assert lines_after(result, Step.POINTERS) == AFTER_5B.split("\n")[1:-1]
    assert lines_after(result, Step.STRENGTH) == AFTER_5C.split("\n")[1:-1]
    assert lines_after(result, Step.REASSOCIATION) == AFTER_5D.split("\n")[1:-1]


def test_figure_6_is_unrolled_to_figure_5a() -> None:
    unrolled, written = optimised(FIGURE_6), optimised(FIGURE_5A.format(type="long"))
    assert lines_after(unrolled) == lines_after(written)
    assert unrolled.after.of_thread == written.after.of_thread + 1  # the first addition to 0


def test_figure_7() -> None:
    result = optimised(FIGURE_7)
    assert [stage.step for stage in result.stages] == [Step.SPECULATION, Step.REASSOCIATION]
    (hoisted,) = (stage.code for stage in result.stages if stage.step is Step.SPECULATION)
    assert [line.strip() for line in code_lines(hoisted)][:3] == ["L0:", "p0 = &a[i]", "if (b) goto L1; else goto L2"]
    code = [line.strip() for line in code_lines(result.code)]
    assert code[code.index("L2:") :][2:4] == ["p1 = &p0[j]", "if (c) goto L3; else goto L4"]
    assert result.after.of_thread < result.before.of_thread


def test_speculation_is_kept_only_where_something_gains_by_it() -> None:
    result = optimised("__global__ void k(float *a, long i, bool b) { if (b) a[i] = 1; }")
    assert Step.SPECULATION not in [stage.step for stage in result.stages]


def test_what_was_added_before_is_added_first() -> None:
    result = optimised(
        """
__global__ void k(int c, int b, int n, int *out) {
  int x0 = b * n;
  int j0 = c + x0;
  int x1 = x0 + n;
  int j1 = c + x1;
  out[0] = j0;
  out[1] = j1;
}
"""
    )
    code = [line.strip() for line in code_lines(result.code)]
    assert code == ["x0 = c + (b * n)", "*out = x0", "p0 = &out[1]", "*p0 = x0 + n", "return"]
    assert result.before.of_thread - result.after.of_thread == 1


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (("(b + 2) * s", "(b + 3) * s"), "x0 + s"),
        (("(b + 5) * s", "(b + 4) * s"), "x0 - s"),
        (("(b - 1) * s", "s * b"), "x0 + s"),
        (("b + 2 * s", "b + 3 * s"), "x0 + s"),
    ],
)
def test_table_3(values: tuple[str, str], wanted: str) -> None:
    first, second = values
    text = f"__global__ void k(int b, int s, int *out) {{ out[0] = {first}; out[1] = {second}; }}"
    code = [line.strip() for line in code_lines(optimised(text).code)]
    assert code[0].startswith("x0 = ")
    assert code[-2] == f"*p0 = {wanted}"


def test_table_3_of_addresses() -> None:
    text = "__global__ void k(int *b, long s) { b[2 * s] = 1; b[3 * s] = 2; b[4 * s] = 3; }"
    assert lines_after(optimised(text)) == ["p0 = &b[2 * s]", "p1 = &p0[s]", "p2 = &p1[s]"]


def test_a_step_of_several_pays_where_the_product_is_there() -> None:
    kernel = "__global__ void k(int b, int s, int *out) {{ out[0] = b * s; out[1] = (b + 4) * s; {more} }}"
    alone = [line.strip() for line in code_lines(optimised(kernel.format(more="")).code)]
    assert alone[-2] == "*p0 = x0 + (s * 4)"  # one multiplication and one addition, as before
    more = [line.strip() for line in code_lines(optimised(kernel.format(more="out[2] = (b + 8) * s;")).code)]
    assert more[-2] == "*p1 = x2 + x1"
