"""Calls through tables of function pointers: known where the table is constant, else admitted as unknown."""

from __future__ import annotations

import pytest

from tests.lower.check import constructs, lower_one

_TABLE = """
typedef int (*F)(int); __device__ int a(int x) { return x; } __device__ int b(int x) { return -x; }
__device__ F table[2] = {a, b};
__global__ void k(int* o, int w) { o[0] = table[w](3); }
"""
_UNKNOWN = ["call through function pointer table[w]"]


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
def test_a_table_that_may_be_written_is_not_known(other: str) -> None:
    assert constructs(lower_one(_TABLE + other, "k")) == _UNKNOWN


def test_reading_it_elsewhere_changes_nothing() -> None:
    other = "__global__ void r(int* o, int i) { if (table[i + 1] == table[0]) o[1] = 2; } // table = 0"
    assert constructs(lower_one(_TABLE + other, "k")) == []
