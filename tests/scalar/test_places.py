"""Scalar registers are written in converged blocks only, also where a barrier is all that says a block is converged."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.scalar.scalarize import scalarize
from tests.scalar.referee import misplaced
from tests.support.textual import read

HEADER = "kernel @k(%n: s32, %x: ptr<global s32>)"

BASE_IN_A_DIVERGENT_BLOCK = """
entry:
  %tid: s32 = special thread.x
  %five: s32 = const 5
  %low: bool = lt %tid, %five
  branch %low, then, end
then:
  %i: s32 = add %tid, %n
  %place: ptr<global s32> = element %x, %i
  jump meet
meet:
  barrier
  store %place, %n
  jump end
end:
  return
"""

PHI_WRITTEN_IN_A_DIVERGENT_BLOCK = """
entry:
  %tid: s32 = special thread.x
  %zero: s32 = const 0
  %one: s32 = const 1
  jump loop
loop:
  %i: s32 = phi entry: %zero, again: %next
  barrier
  %next: s32 = add %i, %one
  %place: ptr<global s32> = element %x, %i
  store %place, %next
  %more: bool = lt %next, %tid
  branch %more, again, end
again:
  %other: ptr<global s32> = element %x, %next
  store %other, %i
  jump loop
end:
  return
"""

BASE_PHI_WRITTEN_IN_A_DIVERGENT_BLOCK = """
entry:
  %tid: s32 = special thread.x
  %one: s32 = const 1
  %first: ptr<global s32> = element %x, %tid
  jump loop
loop:
  %p: ptr<global s32> = phi entry: %first, again: %q
  barrier
  %q: ptr<global s32> = element %p, %one
  store %p, %n
  store %q, %n
  %v: s32 = load %q
  %more: bool = lt %v, %tid
  branch %more, again, end
again:
  %w: s32 = load %p
  store %x, %w
  jump loop
end:
  return
"""


@pytest.mark.parametrize(
    "body",
    [BASE_IN_A_DIVERGENT_BLOCK, PHI_WRITTEN_IN_A_DIVERGENT_BLOCK, BASE_PHI_WRITTEN_IN_A_DIVERGENT_BLOCK],
    ids=["base", "phi", "phi of bases"],
)
def test_divergent_blocks_write_no_scalar_register(body: str) -> None:
    function = read(body, HEADER).function
    result = scalarize(function, ControlFlow.of(function), LaunchKnowledge())
    assert any(block.divergent for block in result.scalarized.blocks)
    assert list(misplaced(result)) == []
