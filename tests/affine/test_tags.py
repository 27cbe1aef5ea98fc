"""Collange's tags, alignments, and the levels that follow from forms."""

from __future__ import annotations

import pytest

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.affine.support import PRELUDE, ROW, SQUARE, affine

INDICES = """  %c4: s32 = const 4
  %u4: u32 = const 4
  %u16: u32 = const 16
  %tz: u32 = special thread.z
  %rows: u32 = mul %ty, %u4
  %planes: u32 = mul %tz, %u16
  %cube: u32 = add %tx, %rows
"""


@pytest.mark.parametrize(
    ("text", "launch", "expected"),
    [
        ("s32 = const 7", ROW, "C(7)"),
        ("s32 = mul %n, %c4", ROW, "U, multiple of 4"),
        ("s32 = mul %t, %c4", ROW, "A(4), base a multiple of 4"),
        ("s32 = mul %t, %n", ROW, "K"),
        ("s32 = mul %t, %t", ROW, "K"),
        ("s32 = mul %t, %c4", LaunchKnowledge(), "K"),
        ("s32 = mul %t, %c4", LaunchKnowledge(one_dimensional=True), "A(4), base a multiple of 4"),
        ("u32 = mul %ty, %dx", ROW, "C(0)"),
        ("u32 = sub %tx, %ty", LaunchKnowledge((BlockShape(64, 4),)), "A(1)"),
        ("u32 = sub %tx, %ty", SQUARE, "K"),
        ("u32 = add %tx, %rows", SQUARE, "K"),
        ("u32 = add %cube, %tz", LaunchKnowledge((BlockShape(4, 4, 4),)), "K"),
        ("u32 = add %cube, %planes", LaunchKnowledge((BlockShape(4, 4, 4),)), "A(1)"),
        ("ptr<global s32> = element %p, %t", ROW, "A(4), base a multiple of 4"),
    ],
)
def test_tags(text: str, launch: LaunchKnowledge, expected: str) -> None:
    facts = affine(PRELUDE + INDICES + f"  %x: {text}\n  return", launch)
    assert str(facts.result.collange(facts.value("x"))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u32 = mul %bx, %dx", 256),
        ("u32 = and %unsigned, %high", 32),
        ("s32 = mul %n, %c12", 4),
        ("s32 = add %t, %c12", 1),
    ],
)
def test_alignments(text: str, expected: int) -> None:
    body = f"  %high: u32 = not %c31\n  %c12: s32 = const 12\n  %x: {text}\n  return"
    facts = affine(PRELUDE + body, ROW)
    assert facts.result.alignment(facts.value("x")) == expected


WARPS = (
    PRELUDE
    + """  %s32: s32 = const 32
  %w: s32 = div %i, %s32
  %c: bool = lt %w, %n
  branch %c, then, join
then:
  jump join
join:
  %x: s32 = phi entry: %c0, then: %c1
  return"""
)


def test_levels_of_warps_reach_what_depends_on_them() -> None:
    facts = affine(WARPS, ROW)
    levels = facts.result.warp_levels()
    assert levels == {facts.value("w"): Level.WARP}
    result = facts.facts.result
    assert result.level(facts.value("x")) is Level.VARYING
    informed = analyze_divergence(result.function, result.control, ROW, DivergenceOptions(), levels)
    assert informed.level(facts.value("x")) is Level.WARP
    assert informed.convergence(facts.facts.named.labels["then"]) is Level.WARP


def test_an_unknown_block_has_no_levels_of_warps() -> None:
    assert affine(WARPS).result.warp_levels() == {}


KERNEL = """\
// simt: block=256
__global__ void k(int* out, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (warp < n) out[warp] = n;
}
"""


@pytest.mark.parametrize(("block", "expected"), [(256, Level.WARP), (48, Level.VARYING)])
def test_the_branch_of_a_warp_is_uniform_in_it(block: int, expected: Level) -> None:
    document = Document.open(KERNEL.replace("256", str(block)).encode())
    facts = Analyzer().analyze("a.cu", document, DictLoader(), AnalysisSettings()).facts
    ((branch,),) = [function.branches for function in facts.functions]
    assert branch.level is expected
