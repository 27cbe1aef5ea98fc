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
        ("E e[1000]; e[3].v = 9; out[t] = e[n * 190].v + e[n - 2].v", [9, 10, 11, 12]),
        ("short v[300] = {4, 5}; v[n] += t; out[t] = v[0] + v[1] + v[299] + v[n]", [9, 10, 11, 12]),
        ("int v[90][70] = {{1}}; v[n][n] += t; out[t] = v[0][0] + v[89][69] + v[n][n]", [1, 2, 3, 4]),
        ("D d[70][2]; out[t] = d[69][1].v", [7] * 4),
    ],
)
def test_defaults(body: str, wanted: list[int]) -> None:
    text = CODE.format(body=body)
    found = run(text, {"out": np.zeros(4, np.int32), "n": 5}, block=4)
    assert found.faults == ()
    assert found.arrays["out"].tolist() == wanted
    assert constructs(lower_one(text, "k")) == []


@pytest.mark.parametrize("length", [3, 64, 65, 100])
def test_elements_end_last_to_first(length: int) -> None:
    text = """
    struct S { int* log; int own; __device__ ~S() { log[log[0]] = own; log[0] += 1; } };
    __global__ void k(int *out) {
      out[0] = 1;
      { S s[LENGTH]; for (int i = 0; i < LENGTH; ++i) { s[i].log = out; s[i].own = i; } }
    }""".replace("LENGTH", str(length))
    found = run(text, {"out": np.zeros(length + 1, np.int32)}, block=1)
    assert found.faults == ()
    assert found.arrays["out"].tolist() == [length + 1, *reversed(range(length))]
