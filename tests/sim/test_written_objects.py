"""What is written through an expression arrives at the object: `(a = 3) += t`, `(c ? a : b) = t`, `++(++a)`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import constructs, lower_one
from tests.sim.running import run

THREADS = 8

CODE = """
struct S {{ int x; int y; }};
struct B {{ int low : 3; int high : 5; }};
__device__ void set(int &r, int v) {{ r = v; }}
__device__ int &same(int &r) {{ return r; }}
__global__ void k(int *out, int n) {{
  int t = threadIdx.x, a = n, b = 10; S s = {{1, 2}}; volatile int v = 5; int m[2] = {{7, 8}}; B f = {{1, 1}};
  {body};
  out[t] = a + 100 * b + 10000 * (s.x + s.y + m[0] + m[1] + v + f.low);
}}"""
REST = 10000 * (1 + 2 + 7 + 8 + 5 + 1)


def result(body: str, n: int = 4) -> list[int]:
    found = run(CODE.format(body=body), {"out": np.zeros(THREADS, np.int32), "n": n}, block=THREADS)
    assert found.faults == ()
    return (found.arrays["out"] - REST).tolist()


def expected(a: int, b: int, t: int = 0) -> list[int]:
    return [a + 100 * b + t * thread for thread in range(THREADS)]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("(a = 3) += t", expected(3, 10, 1)),
        ("(a += 3) = t", expected(0, 10, 1)),
        ("++(++a)", expected(6, 10)),
        ("(++a) = t", expected(0, 10, 1)),
        ("(--a)++", expected(4, 10)),
        ("int &r = (a = 2); r += t", expected(2, 10, 1)),
        ("set(a = 3, t)", expected(0, 10, 1)),
        ("set(++a, t)", expected(0, 10, 1)),
        ("*&(a = 3) = t", expected(0, 10, 1)),
        ("(a = b) = t", expected(0, 10, 1)),
        ("a = b = t", [101 * thread for thread in range(THREADS)]),
        ("(n > 3 ? a : b) = t", expected(0, 10, 1)),
        ("(n > 4 ? a : b) = t", expected(4, 0, 100)),
        ("(n > 3 ? a : b) += t", expected(4, 10, 1)),
        ("(n > 4 ? a : b)++", expected(4, 11)),
        ("*&(n > 3 ? a : b) = t", expected(0, 10, 1)),
        ("int &r = n > 3 ? a : b; r = t", expected(0, 10, 1)),
        ("auto &r = (n > 3 ? a : b); r = t", expected(0, 10, 1)),
        ("(n > 3 ? (n > 9 ? b : a) : b) = t", expected(0, 10, 1)),
        ("(n > 3 ? same(a) : b) = t", expected(0, 10, 1)),
        ("set(n > 3 ? a : b, t)", expected(0, 10, 1)),
        ("set(n > 4 ? a : b, t)", expected(4, 0, 100)),
    ],
)
def test_the_object_is_written(body: str, wanted: list[int]) -> None:
    assert result(body) == wanted
    assert constructs(lower_one(CODE.format(body=body), "k")) == []


def test_members_and_elements_are_objects_too() -> None:
    assert result("(n > 3 ? s.x : s.y) = 1 + t") == [4 + 1000 + 10000 * thread for thread in range(THREADS)]
    assert result("(n > 3 ? m[n & 1] : m[1]) = 7 + t") == [4 + 1000 + 10000 * thread for thread in range(THREADS)]


def test_a_bit_field_keeps_what_fits() -> None:
    assert result("a = f.low = 9") == expected(1, 10)


def test_an_assignment_to_a_volatile_object_does_not_read_it() -> None:
    lowered = lower_one("__global__ void k(volatile int *p) { *p = 3; }", "k")
    assert "load volatile" not in str(lowered.function)
