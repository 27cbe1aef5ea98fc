"""Which pairs of lines are left after intervals and linear forms; `open` ones are not ruled out."""

from __future__ import annotations

from collections.abc import Set
from typing import TypeAlias

import pytest

from analysis.divergence.launch_shape import BlockShape
from tests.races.referee import claims

KERNEL = """__global__ void k(float *out, const float *in, int n) {
  __shared__ float s[1024]; __shared__ float r[32][33];
  int t = threadIdx.x, y = threadIdx.y;
  STATEMENTS
}
"""
FIRST = 4
Pairs: TypeAlias = Set[tuple[int, ...]]
NONE: Pairs = set[tuple[int, ...]]()
LINE, SQUARE = BlockShape(64), BlockShape(16, 16)


def open_pairs(statements: str, shape: BlockShape | None = LINE) -> Pairs:
    """Numbers of statements, from 0, that are not ruled out."""
    found = claims(KERNEL.replace("STATEMENTS", statements.replace("; ", ";\n")), shape).open
    return {tuple(sorted(line - FIRST for line in lines)) for lines in found}


@pytest.mark.parametrize(
    ("statements", "pairs"),
    [
        ("s[t] = 1; s[t] += 2;", NONE),
        ("s[t] = 1; out[t] = s[t + 1];", {(0, 1)}),
        ("s[t] = 1; __syncthreads(); out[t] = s[t + 1];", NONE),
        ("s[t] = 1; out[t] = s[t + 64];", NONE),
        ("s[t] = 1; out[t] = s[t + 63];", {(0, 1)}),
        ("s[2 * t] = 1; s[2 * t + 1] = 2;", NONE),
        ("s[2 * t] = 1; s[2 * t + 2] = 2;", {(0, 1)}),
        ("s[t & 31] = 1;", {(0,)}),
        ("for (int i = 0; i < n; i++) { s[t] = i; __syncthreads(); out[t] = s[t ^ 1]; }", {(2, 4)}),
        ("for (int i = 0; i < n; i++) { s[t] = i; __syncthreads(); out[t] = s[t ^ 1]; __syncthreads(); }", NONE),
        ("if (n) __syncthreads(); s[t] = 1; if (n) __syncthreads(); out[t] = s[t ^ 1];", {(1, 3)}),
        ("if (t < 32) s[t] = 1; else s[t ^ 1] = 2;", {(1,), (0, 1)}),
        ("s[t] = 1; if (t < n) __syncthreads(); out[t] = s[t ^ 1];", {(0, 2)}),
    ],
)
def test_intervals_and_forms(statements: str, pairs: Pairs) -> None:
    assert open_pairs(statements) == pairs


@pytest.mark.parametrize(
    ("statements", "shape", "pairs"),
    [
        ("r[y][t] = 1;", SQUARE, NONE),
        ("r[y][t] = 1;", None, NONE),
        ("r[y][t] = 1; out[t] = r[t][y];", SQUARE, {(0, 1)}),
        ("r[y][t] = 1; out[t] = r[y][t + 1];", SQUARE, {(0, 1)}),
        ("r[y][t] = 1; out[t] = r[y][t + 16];", SQUARE, NONE),
        ("s[16 * y + t] = 1;", SQUARE, NONE),
        ("s[15 * y + t] = 1;", SQUARE, {(0,)}),
        ("s[y * blockDim.x + t] = 1;", None, {(0,)}),
        ("s[t] = 1; s[t] = 2;", SQUARE, {(0,), (1,), (0, 1)}),
    ],
)
def test_rows(statements: str, shape: BlockShape | None, pairs: Pairs) -> None:
    assert open_pairs(statements, shape) == pairs
