"""Pointers that lie in memory lead to memory of their own, and lists that they make come to an end."""

from __future__ import annotations

import numpy as np

from sim.faults import OutOfBounds
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan
from sim.launch.request import Request
from sim.policies.registry import POLICIES
from sim.result import Result
from sim.simulate import simulate
from tests.sim.launch.support import chosen, given, plan, planner

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_ITEM = "struct Item { int value; Item *next; };"


def ran(text: str, *requests: Request) -> Result:
    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES["ipdom"])

    _, result = run_adapted(planner(text, *requests), run)
    return result


def test_each_row_is_an_array_of_its_own() -> None:
    text = "__global__ void k(float **rows) { rows[blockIdx.x][threadIdx.x] = blockIdx.x; }"
    result = ran(text)
    assert result.faults == ()
    rows = result.arrays["rows[]"].reshape(64, -1)
    np.testing.assert_array_equal(rows[:8, :256], np.repeat(np.arange(8, dtype=np.float32), 256).reshape(8, 256))
    assert chosen(text)["rows"] == "pointers[2048]"


def test_each_thread_has_a_row_where_threads_index_rows() -> None:
    result = ran(f"__global__ void k(int **rows, int n) {{ {_I} for (int j = 0; j < n; j++) rows[i][j] = i; }}")
    assert result.faults == ()
    np.testing.assert_array_equal(result.arrays["rows[]"].reshape(2048, -1)[:, 15], np.arange(2048))


def test_rows_hold_what_the_kernel_does_with_them() -> None:
    text = f"__global__ void k(int **rows, float *x) {{ {_I} x[i] = x[rows[blockIdx.x][threadIdx.x]]; }}"
    assert chosen(text)["rows[]"] == "random(0,2048)[2048]"
    assert ran(text).faults == ()


def test_an_access_before_a_row_is_a_fault() -> None:
    (fault,) = ran("__global__ void k(float **rows) { rows[blockIdx.x][-1 - (int)threadIdx.x] = 1; }").faults
    assert isinstance(fault, OutOfBounds)


def test_rows_grow_as_far_as_accesses_reach() -> None:
    text = "__global__ void k(float **rows) { if (blockIdx.x == 0) rows[63][threadIdx.x * 16] = 1; }"
    assert ran(text).faults == ()


def test_members_point_to_arrays() -> None:
    text = (
        "struct Layer { float *weights; float *sums; };"
        "__global__ void k(Layer *layers) { Layer l = layers[blockIdx.x];"
        "l.sums[threadIdx.x] = l.weights[threadIdx.x]; }"
    )
    result = ran(text)
    assert result.faults == ()
    weights, sums = (result.arrays[f"layers[].{name}"].reshape(64, -1)[:8, :256] for name in ("weights", "sums"))
    np.testing.assert_array_equal(weights, sums)
    assert len(np.unique(weights)) > 1000


def test_members_of_members_point_to_arrays() -> None:
    text = (
        "struct Inner { int mark; float *weights; }; struct Outer { int mark; Inner inner; float *rows[3]; };"
        f"__global__ void k(Outer *outer, float *x) {{ {_I} Outer o = outer[blockIdx.x];"
        "x[i] = o.inner.weights[threadIdx.x] + o.rows[2][threadIdx.x] + outer[blockIdx.x].rows[i % 3][threadIdx.x]; }"
    )
    result = ran(text)
    assert result.faults == ()
    assert {"outer[].inner.weights", "outer[].rows[]"} <= result.arrays.keys()


def test_variables_point_to_arrays() -> None:
    text = (
        "__device__ int *tables[4]; __global__ void k(int *x) { x[threadIdx.x] = tables[blockIdx.x % 4][threadIdx.x]; }"
    )
    assert ran(text).faults == ()
    assert chosen(text)["tables[]"] == "random(0,100)[2048]"


def test_lists_end() -> None:
    text = (
        f"{_ITEM} __global__ void k(Item **heads, int *x) {{ {_I}"
        "int n = 0; for (Item *p = heads[i]; p; p = p->next) n++; x[i] = n; }"
    )
    result = ran(text)
    assert result.faults == ()
    assert result.truncated is None
    lengths = result.arrays["x"]
    assert lengths.min() >= 1
    assert 8 < lengths.max() < 64


def test_links_that_are_not_compared_are_never_null() -> None:
    text = f"{_ITEM} __global__ void k(Item *items, int *x) {{ {_I} x[i] = items[i].next->next->value; }}"
    assert ran(text).faults == ()


def test_two_kinds_of_nodes_end_too() -> None:
    text = (
        "struct Edge; struct Vertex { Edge *first; int mark; }; struct Edge { Vertex *to; Edge *next; };"
        f"__global__ void k(Vertex *v, int *x) {{ {_I} int n = 0;"
        "for (Vertex *p = v + i; p && p->first; p = p->first->to) n += p->mark; x[i] = n; }"
    )
    result = ran(text)
    assert (result.faults, result.truncated) == ((), None)


def test_pointers_that_were_given_as_zeros_are_null() -> None:
    (fault,) = ran("__global__ void k(float **rows) { rows[blockIdx.x][threadIdx.x] = 1; }", given(rows="zeros")).faults
    assert isinstance(fault, OutOfBounds)
    assert fault.is_null


def test_pointers_that_nobody_follows_are_null() -> None:
    text = f"{_ITEM} __global__ void k(Item *items, int *x) {{ {_I} x[i] = items[i].value; }}"
    assert not plan(text).specification.pointers
