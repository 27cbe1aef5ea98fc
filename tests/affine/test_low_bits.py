"""What agrees in a warp because the bits in which its lanes differ are lost."""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

UNKNOWN = "// nothing is known of the block\n"
ROW = "// simt: block=256\n"
NO_WARPS = "// simt: block=24,8\n"


def levels(comment: str, body: str) -> list[Level]:
    """Of the branches of a kernel with `t`, `i`, the thread's rank in its block, and the numbers `m` and `k`."""
    text = f"""{comment}__global__ void kernel(int *out, int m, int k) {{
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned plane = threadIdx.y * blockDim.x + threadIdx.x;
  {body}
}}
"""
    document = Document.open(text.encode())
    facts = Analyzer().analyze("a.cu", document, DictLoader(), AnalysisSettings()).facts
    return [branch.level for function in facts.functions for branch in function.branches]


def level(comment: str, condition: str) -> Level:
    return levels(comment, f"if ({condition}) out[t] = i;")[0]


@pytest.mark.parametrize(
    "condition",
    [
        "(t & m) >> 5",
        "(t & m) / 32 == k",
        "((i | m) >> 5) & 1",
        "(i ^ m) >> 6",
        "~i >> 5 == m",
        "i >> (5 + (k & 3))",
        "i / (32 * m)",
        "i / 96 == m",
        "i % (64 * m) >> 5",
        "i & (32 * m)",
        "i + 64 * m >> 5",
        "i < 32 * m",
        "64 * m <= i",
        "i <= 95",
        "rank / 32 == m",
    ],
)
def test_what_loses_the_bits_of_a_lane_agrees_in_the_warp(condition: str) -> None:
    assert level(ROW, condition) <= Level.WARP


@pytest.mark.parametrize(
    "condition",
    [
        "(t & m) >> 4",
        "t & m",
        "i >> (5 + k)",
        "i >> (4 + (k & 3))",
        "i / (16 * m)",
        "i / m",
        "(i - 1000) / (32 * m)",
        "i & (32 * m + 16)",
        "i + m >> 5",
        "i < 32 * m + 1",
        "i <= 32 * m",
        "i > 32 * m",
        "i == 32 * m",
        "99 - t >= 0",
        "t - 40 < 0",
        "t * m < 0",
        "(t & m) >> 5 | t & k",
        "(i + out[t] & m) >> 5",
    ],
)
def test_what_keeps_one_of_them_varies(condition: str) -> None:
    assert level(ROW, condition) is Level.VARYING


@pytest.mark.parametrize("condition", ["(t & m) >> 5", "i / (32 * m)", "i < 32 * m", "i & (32 * m)"])
def test_rows_that_are_no_warps_and_unknown_blocks_vary(condition: str) -> None:
    assert level(NO_WARPS, condition) is Level.VARYING
    assert level(UNKNOWN, condition) is Level.VARYING


@pytest.mark.parametrize("condition", ["rank / 32 == m", "rank >> 5", "(rank & m) >> 5", "rank / 96", "rank < 64"])
def test_the_rank_in_the_block_is_cut_into_warps_whatever_the_shape(condition: str) -> None:
    assert level(UNKNOWN, condition) <= Level.WARP


@pytest.mark.parametrize("condition", ["rank / 16", "rank < 63", "plane / 32 == m", "plane < 32", "(rank + t) / 32"])
def test_other_parts_of_it_and_ranks_in_a_plane_are_not(condition: str) -> None:
    assert level(UNKNOWN, condition) is Level.VARYING


LOOP = "for (int s = {start}; s < 256; {step}) if ({condition}) out[t] = s;"


@pytest.mark.parametrize(
    ("start", "step", "condition", "expected"),
    [
        ("32", "s <<= 1", "i & s", Level.WARP),
        ("32", "s *= 2", "i / s & 1", Level.WARP),
        ("96", "s += 32", "i & s", Level.WARP),
        ("16", "s <<= 1", "i & s", Level.VARYING),
        ("64", "s += 16", "i & s", Level.VARYING),
        ("64", "s = s / 2 + 64", "i & s", Level.VARYING),
    ],
)
def test_the_zeros_of_a_step_are_followed_through_a_loop(
    start: str, step: str, condition: str, expected: Level
) -> None:
    found = levels(ROW, LOOP.format(start=start, step=step, condition=condition))
    assert max(found) is expected


def test_a_value_from_the_rounds_of_a_loop_that_lanes_leave_apart_varies() -> None:
    """`last` agrees in each round, and the lanes bring it from different ones."""
    body = "int last = 0; for (int r = 0; r < out[t]; ++r) last = (i + 32 * r & m) >> 5; if (last >> 5) out[t] = 1;"
    assert max(levels(ROW, body)) is Level.VARYING


def test_rows_of_a_square_block_are_no_warps_and_ranks_are() -> None:
    assert level("// simt: block=16,16\n", "rank / 32 == m") <= Level.WARP
    assert level("// simt: block=16,16\n", "(t & m) >> 5") is Level.VARYING


def test_a_long_chain_of_joins_is_followed_once() -> None:
    """Each way through them alone would be a million."""
    joins = " ".join(f"if (k & {1 << number}) y = y + 64 * m;" for number in range(20))
    assert levels(ROW, f"int y = 32 * m; {joins} if (i / y) out[t] = i;")[-1] <= Level.WARP
    assert levels(ROW, f"int y = 32 * m; {joins} y = y + m; if (i / y) out[t] = i;")[-1] > Level.WARP
