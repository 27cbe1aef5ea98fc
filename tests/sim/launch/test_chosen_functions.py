"""Pointers to functions that nobody gave, and objects with virtual ones: each may be any of those that fit."""

from __future__ import annotations

from tests.sim.launch.support import chosen
from tests.sim.launch.test_pointees import ran

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_FUNCTIONS = """
typedef int (*F)(int); typedef int (*G)(float);
__device__ int one(int x) { return x + 1; } __device__ int two(int x) { return x + 2; }
__device__ int other(float x) { return -1; }
__device__ F first = one; __device__ F second = &two; __device__ G third = other;
"""
_CLASSES = """
struct Shape { int w; virtual __device__ int area(int s) const = 0; virtual __device__ ~Shape() {} };
struct Square : Shape { __device__ int area(int s) const override { return 1; } };
struct Holder : Shape { int *data; __device__ int area(int s) const override { return data ? 2 : 0; } };
struct Named : Shape { float *name; __device__ int area(int s) const override { return 3; } };
"""


def test_tables_hold_the_functions_that_are_called_through_them() -> None:
    body = f"{_I} o[i] = table[i % 4](10) * 100 + p[i](3);"
    text = f"{_FUNCTIONS} __device__ F table[4]; __global__ void k(int *o, F *p) {{ {body} }}"
    assert chosen(text)["table"] == "functions[4]"
    result = ran(text)
    assert result.faults == ()
    assert sorted(set(result.arrays["o"].tolist())) == [1104, 1205]


def test_members_and_variables_that_are_copied_lead_to_functions() -> None:
    text = f"""{_FUNCTIONS} struct Step {{ int x; F run; }}; __device__ F kept; __device__ F table[2];
    __global__ void k(int *o, Step *steps) {{
      {_I} kept = table[0]; Step s = steps[i]; o[i] = s.run(10) + kept(100);
    }}"""
    assert sorted(set(ran(text).arrays["o"].tolist())) in ([112, 113], [113, 114])


def test_objects_behind_pointers_are_of_the_classes_that_fit() -> None:
    text = f"{_CLASSES} __global__ void k(int *o, Shape **shapes) {{ {_I} o[i] = shapes[i]->area(4); }}"
    result = ran(text)
    assert result.faults == ()
    assert set(result.arrays["o"].tolist()) <= {0, 1, 2, 3}
    assert len(set(result.arrays["o"].tolist())) > 1


def test_what_calls_nothing_asks_for_no_functions() -> None:
    text = f"{_FUNCTIONS} __global__ void k(int *o, F *p) {{ {_I} o[i] = p[i] == first; }}"
    assert chosen(text)["p"] == "zeros[2048]"
