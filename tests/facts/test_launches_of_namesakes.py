"""A launch says nothing about another kernel of the same name."""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

BODY = "{ if (threadIdx.x / 32 & 1) p[0] = 1; }\n"


def levels(text: str) -> list[Level]:
    """Of the branches of all kernels, in text order; blocks of 32 threads make it one value in the grid."""
    document = Document.open(text.replace("BODY", BODY).encode())
    analysis = Analyzer().analyze("a.cu", document, DictLoader(), AnalysisSettings())
    return [branch.level for function in analysis.facts.functions for branch in function.branches]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Which of the two is launched is not told by the number of arguments.
        (
            "namespace a { __global__ void k(int *p) BODY } namespace b { __global__ void k(int *p) BODY }\n"
            "void go(int *p) { a::k<<<4, 32>>>(p); }",
            [Level.VARYING, Level.VARYING],
        ),
        (
            "__global__ void k(int *p) BODY __global__ void k(float *p) BODY void go(int *p) { k<<<4, 32>>>(p); }",
            [Level.VARYING, Level.VARYING],
        ),
        # The number of arguments tells.
        (
            "__global__ void k(int *p) BODY __global__ void k(int *p, int n) BODY void go(int *p) { k<<<4, 32>>>(p); }",
            [Level.GRID, Level.VARYING],
        ),
        (
            "__global__ void k(int *p) BODY __global__ void k(int *p, int n) BODY\n"
            "void go(int *p) { k<<<4, 32>>>(p); k<<<4, 64>>>(p, 1); }",
            [Level.GRID, Level.WARP],
        ),
        (
            "__global__ void k(int *p) BODY __global__ void k(int *p, int n, int m = 0) BODY\n"
            "void go(int *p) { k<<<4, 32>>>(p, 1); }",
            [Level.VARYING, Level.GRID],
        ),
        # No other kernel has the name.
        (
            "__global__ void k(int *p);\n__global__ void k(int *p) BODY void go(int *p) { k<<<4, 32>>>(p); }",
            [Level.GRID],
        ),
        (
            "__global__ void k(int *p) BODY\n#if 0\n__global__ void k(float *p) BODY\n#endif\n"
            "void go(int *p) { k<<<4, 32>>>(p); }",
            [Level.GRID, Level.VARYING],
        ),
        # The arguments are not seen.
        (
            "__global__ void k(int *p) BODY __global__ void k(int *p, int n) BODY\n"
            "void go(int *p, void **a) { cudaLaunchKernel((void *)k, 4, 32, a); }",
            [Level.VARYING, Level.VARYING],
        ),
    ],
)
def test_a_launch_counts_for_the_kernel_that_it_surely_runs(text: str, expected: list[Level]) -> None:
    assert levels(text) == expected
