"""`object.Base::method(…)` calls the method of the class that is named."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import constructs, lower_one
from tests.sim.running import run

CODE = """
struct Left { int a; __device__ int get() const { return a; } };
struct Base { int x; __device__ int get() const { return x; } __device__ void set(int v) { x = v; } };
struct T : Left, Base {
  using Parent = Base; int y;
  __device__ int get() const { return y; } __device__ void set(int v) { y = v; }
};
"""


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("t.get()", [30] * 4),
        ("t.Base::get()", [20] * 4),
        ("t.Left::get()", [10] * 4),
        ("t.T::get()", [30] * 4),
        ("p->Base::get()", [20] * 4),
        ("t.Parent::get()", [20] * 4),
        ("(t.Base::set(threadIdx.x), t.Base::get() + t.get())", [30, 31, 32, 33]),
        ("(t.set(threadIdx.x), t.Base::get() + t.get())", [20, 21, 22, 23]),
    ],
)
def test_the_class_that_is_named(call: str, wanted: list[int]) -> None:
    body = "{ T t; T *p = &t; t.a = 10; t.x = 20; t.y = 30;"
    text = f"{CODE} __global__ void k(int *out) {body} out[threadIdx.x] = {call}; }}"
    found = run(text, {"out": np.zeros(4, np.int32)}, block=4)
    assert found.arrays["out"].tolist() == wanted
    assert found.faults == ()


@pytest.mark.parametrize("name", ["Hidden", "Other"])
def test_a_class_that_is_no_base_or_not_visible_is_not_guessed(name: str) -> None:
    text = f"{CODE} struct Other {{ __device__ int get(); }};"
    text += f" __global__ void k(int *out) {{ T t; out[0] = t.{name}::get(); }}"
    assert constructs(lower_one(text, "k"))[0] == f"call of {name}::get"
