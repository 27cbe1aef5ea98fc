"""Loops of both arms that are left early meld with what leaves them."""

from __future__ import annotations

import pytest

from tests.refactor.melding import assert_same_memory, melded

KERNEL = """\
__global__ void k(const int *x, const int *y, int *a, int n) {{
  int i = threadIdx.x;
  int s = 0;
  if (i % 2) {{
    {left}
  }} else {{
    {right}
  }}
  a[i] = s;
}}
"""

LOOP = """\
  const bool is_odd = i % 2;
  const int *x_or_y = is_odd ? x : y;
  for (int j = 0; j < n; j++) {
    int v = x_or_y[j + i] / 3;
    if (v > 7) {
      LEAVE;
    }
    s += v % (is_odd ? 5 : 9);
  }
  a[i] = s;
"""


def _kernel(arm: str) -> str:
    return KERNEL.format(left=arm.format(array="x", divisor=5), right=arm.format(array="y", divisor=9))


@pytest.mark.parametrize("leave", ["break", "continue", "return"])
def test_a_loop_that_is_left_early(leave: str) -> None:
    body = f"int v = {{array}}[j + i] / 3; if (v > 7) {leave}; s += v % {{divisor}};"
    before = _kernel(f"for (int j = 0; j < n; j++) {{{{ {body} }}}}")
    after = melded(before, 4)
    assert LOOP.replace("LEAVE", leave) in after
    assert_same_memory(before, after, "k")


def test_a_loop_that_ends_nowhere_else() -> None:
    before = _kernel("int j = 0; while (true) {{ if (j >= n) break; s += {array}[j + i] / {divisor}; j++; }}")
    after = melded(before, 4)
    assert "    s += x_or_y[j + i] / (is_odd ? 5 : 9);\n    j++;\n  }\n  a[i] = s;\n" in after
    assert_same_memory(before, after, "k")


def test_arms_that_return_at_their_end() -> None:
    before = _kernel("s += {array}[i] / {divisor}; if (s > 30) return;")
    after = melded(before, 4)
    assert "  s += (is_odd ? x : y)[i] / (is_odd ? 5 : 9);\n  if (s > 30) {\n    return;\n  }\n  a[i] = s;\n" in after
    assert_same_memory(before, after, "k")
