"""What `new T[n]` makes and `delete[]` ends."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean
from tests.sim.running import run

CODE = """
struct Traced {
  int *trace, id;
  __device__ Traced(int *t, int n) : trace(t), id(n) { *t = *t * 10 + id; }
  __device__ ~Traced() { *trace = *trace * 10 + id + 1; }
};
struct Plain { int a, b = 3; };
struct Made { int v = 4; __device__ Made() {} __device__ ~Made() { v = 0; } };
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("int t = 0; Traced *p = new Traced[2]{{&t, 1}, {&t, n}}; delete[] p; out[0] = t;", 1342),
        ("Made *p = new Made[n]; out[0] = p[n - 1].v; delete[] p;", 4),
        ("Made *p = nullptr; delete[] p; out[0] = 1;", 1),
        ("Plain *p = new Plain[n]; p[2].a = 5; out[0] = p[2].a * 10 + p[1].b; delete[] p;", 53),
        ("Plain *p = new Plain[n]{{n}}; out[0] = p[0].a * 100 + p[2].a * 10 + p[2].b;", 303),
        ("int *p = new int[4]{1, n}; out[0] = p[0] * 100 + p[1] * 10 + p[3];", 130),
        ("int *p = new int[n](); out[0] = p[2];", 0),
        ("int(*p)[3] = new int[2][3]; p[1][2] = 4; p[1][0] = 6; out[0] = p[1][2] * 10 + p[1][0];", 46),
        ("alignas(8) char at[40]; Plain *p = new (at) Plain[n]; out[0] = p[2].b;", 3),
    ],
)
def test_elements_begin_and_end(body: str, wanted: int) -> None:
    text = f"{CODE} __global__ void k(int *out, int n) {{ {body} }}"
    clean(text)
    found = run(text, {"out": np.zeros(1, np.int32), "n": 3}, block=1)
    assert found.arrays["out"].tolist() == [wanted]
    assert found.faults == ()
