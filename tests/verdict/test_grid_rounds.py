"""Loops whose rounds follow the index of the thread in the grid: lanes wait for few rounds of many."""

from __future__ import annotations

import pytest

from analysis.ir.function import SourceBranchKind
from analysis.verdict.shares import NOTHING, Share
from tests.rules.fixture import analyze


def waited(loop: str, launch: str = "") -> Share:
    """What lanes wait at the last loop of a kernel that does little else."""
    text = f"""{launch}__global__ void k(const int *p, float *out, int n) {{
  int t = threadIdx.x, first = blockIdx.x * blockDim.x, x = first + t;
  float s = 0.0f, step = 1.0f / n;
  {loop} s += sinf(s);
  out[x] = s;
}}"""
    branches = analyze(text).facts.functions[-1].branches
    part = [branch for branch in branches if branch.kind is SourceBranchKind.LOOP][-1].cost_part
    return NOTHING if part is None else part.share


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < x; i++)",
        "for (int i = x; i < n; i++)",
        "for (int i = 7; i <= 3 * x + n; i += 3)",
        "for (float at = step; at < float(x) * step + step * 0.5; at += step)",
        "for (float at = 0.0f; at < x / (float)n; at = step + at)",
        "for (int i = 0; i < (int)(x * step); i++)",
        "if (x < n) for (int i = 0; i < x; i++)",
    ],
)
def test_rounds_that_follow_the_index_in_the_grid(loop: str) -> None:
    share = waited(loop)
    assert 0 < share.low <= share.expected < 0.03
    assert waited(loop, "// simt: block=1024\n").expected < share.expected


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < t + n; i++)",
        "for (float at = 0.0f; at < t * step; at += step)",
        "for (int i = first; i < x + n; i++)",
        "for (int i = 0; i < x - p[first]; i++)",
        "for (int i = 0; i < p[x]; i++)",
        "for (float at = 0.0f; at < x * (float)p[t]; at += step)",
        "for (float at = 0.0f; at < (unsigned char)x * step; at += step)",
        "for (float at = 0.0f; at < x * step; at += s)",
        "for (float at = 0.0f; at < x * step; at += step) if (p[x] == s) break; else",
        "for (int i = 0; i < blockIdx.x + 32 * t; i++)",
        "if (x < 64) for (float at = 0.0f; at < x * step; at += step)",
    ],
)
def test_rounds_that_follow_something_else_too(loop: str) -> None:
    assert waited(loop).expected > 0.1


def test_a_grid_of_one_block_is_no_grid() -> None:
    loop = "for (int i = 0; i < x + n; i++)"
    assert waited(loop).expected < 0.03
    text = "void host(float *out, int n) { k<<<1, 256>>>(nullptr, out, n); }"
    assert waited(loop, f"__global__ void k(const int *p, float *out, int n);\n{text}\n").expected > 0.1
