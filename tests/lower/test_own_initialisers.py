"""A variable is in scope in its own initialiser (C++17 6.3.2): it hides what had its name before."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.lower.check import body, clean, lower_one
from tests.sim.running import run

CODE = """
struct Node { Node *next; int value; };
__global__ void k(int *out, int n) {
  int l = 7 + threadIdx.x;
  %s
}
"""


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("{ long long l = sizeof(l); out[0] = (int)l; }", 8),
        ("{ char l[3] = {sizeof(l)}; out[0] = l[0]; }", 3),
        ("{ Node l = {&l, 5}; out[0] = l.next->value; }", 5),
        ("{ Node *p = (Node *)&p; out[0] = (void *)p == (void *)&p; }", 1),
        ("{ const int l = sizeof(l) + 1; out[0] = l; }", 5),
        ("int m = l; { int l = m + 1; out[0] = l; }", 8),
        ("{ int *p = &l; out[0] = *p; }", 7),
    ],
)
def test_the_name_means_the_new_variable(statement: str, expected: int) -> None:
    text = CODE % statement
    clean(text)
    found = run(text, {"out": np.zeros(1, np.int32), "n": 1}, block=1)
    assert found.arrays["out"].tolist() == [expected]
    assert found.faults == ()


def test_the_new_variable_has_no_value_yet() -> None:
    text = body(lower_one(CODE % "{ int l = l > 3; out[0] = l; }", "k"))
    assert re.search(r"(%\d+): s32 = undef\n(.*\n)*.*bool = gt \1, ", text), text
