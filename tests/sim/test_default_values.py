"""What elements and members of classes hold where nothing is given for them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import constructs, lower_one
from tests.sim.running import run

CODE = """
struct E {{ int v; __device__ E() : v(threadIdx.x) {{}} }};
struct D {{ int v = 7; int w; }};
struct M {{ E e[2]; D d[2][2]; }};
struct A {{ float v[4]; int w; }};
__global__ void k(int *out, int n) {{ int t = threadIdx.x; {body}; }}"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("E e[3]; out[t] = e[n & 1].v", [0, 1, 2, 3]),
        ("E e[2][2]; out[t] = e[1][n & 1].v", [0, 1, 2, 3]),
        ("D d[3]; out[t] = d[2].v", [7] * 4),
        ("M m; out[t] = m.e[1].v + m.d[1][0].v", [7, 8, 9, 10]),
        ("A a{}; a.v[n & 3] += t; out[t] = a.v[n & 3] + a.v[(n + 1) & 3] + a.w", [0, 1, 2, 3]),
        ("A a = A(); out[t] = a.v[n & 3] + t", [0, 1, 2, 3]),
        ("A a[2] = {}; out[t] = a[1].v[n & 3] + t", [0, 1, 2, 3]),
    ],
)
def test_defaults(body: str, wanted: list[int]) -> None:
    text = CODE.format(body=body)
    found = run(text, {"out": np.zeros(4, np.int32), "n": 5}, block=4)
    assert found.faults == ()
    assert found.arrays["out"].tolist() == wanted
    assert constructs(lower_one(text, "k")) == []


def test_a_large_array_of_a_class_is_opaque() -> None:
    text = CODE.format(body="E e[1000]; out[t] = e[n].v")
    assert constructs(lower_one(text, "k")) == ["initialisation of a large E[1000]"]
