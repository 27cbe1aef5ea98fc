"""Calls through tables of function pointers: known where the table is constant, else any function of the type."""

from __future__ import annotations

import pytest

from tests.lower.check import constructs, lower_one

_TABLE = """
typedef int (*F)(int); __device__ int a(int x) { return x; } __device__ int b(int x) { return -x; }
__device__ F table[2] = {a, b};
__global__ void k(int* o, int w) { o[0] = table[w](3); }
"""


def test_a_table_that_nobody_writes_is_a_switch() -> None:
    assert constructs(lower_one(_TABLE, "k")) == []
    assert len(lower_one(_TABLE, "k").callees) == 2


@pytest.mark.parametrize(
    "other",
    [
        "void go(F* f) { cudaMemcpyToSymbol(table, f, sizeof(f) * 2); }",
        "__global__ void w(int i) { table[i] = b; }",
        "__device__ F* where() { return &table[1]; }",
        "__device__ F* where() { return table; }",
    ],
)
def test_a_table_that_may_be_written_may_hold_any_function_of_its_type(other: str) -> None:
    third = "__device__ int c(int x) { return 2 * x; } __device__ F taken = c;"
    lowered = lower_one(_TABLE + other + third, "k")
    assert constructs(lowered) == []
    assert sorted(str(callee) for callee in lowered.callees) == ["a(int x)", "b(int x)", "c(int x)"]


def test_reading_it_elsewhere_changes_nothing() -> None:
    other = "__global__ void r(int* o, int i) { if (table[i + 1] == table[0]) o[1] = 2; } // table = 0"
    assert constructs(lower_one(_TABLE + other, "k")) == []
