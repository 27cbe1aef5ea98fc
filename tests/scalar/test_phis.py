"""The classic traps of replacing phis by copies, run as machine code against the reference evaluator."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.scalar.scalarize import scalarize
from tests.scalar.referee import refute
from tests.support.evaluator import Grid, run
from tests.support.textual import read

HEADER = "kernel @k(%n: s32, %x: ptr<global s32>)"
STEPS = 60

LOST_COPY = """
entry:
  %start: {origin}
  %one: s32 = const 1
  jump loop
loop:
  %i: s32 = phi entry: %start, loop: %next
  %next: s32 = add %i, %one
  %more: bool = lt %next, %n
  branch %more, loop, end
end:
  %place: ptr<global s32> = element %x, %one
  store %x, %i
  store %place, %next
  return
"""

SWAP = """
entry:
  %a0: {origin}
  %one: s32 = const 1
  %b0: s32 = add %a0, %one
  jump loop
loop:
  %a: s32 = phi entry: %a0, loop: %b
  %b: s32 = phi entry: %b0, loop: %a
  %i: s32 = phi entry: %one, loop: %next
  %next: s32 = add %i, %one
  %more: bool = le %next, %n
  branch %more, loop, end
end:
  %place: ptr<global s32> = element %x, %one
  store %x, %a
  store %place, %b
  return
"""

ONE_VALUE_FOR_TWO_PHIS = """
entry:
  %a: {origin}
  %one: s32 = const 1
  %two: s32 = const 2
  %b: s32 = add %a, %one
  %side: bool = lt %n, %one
  branch %side, quick, choose
quick:
  jump first
choose:
  %which: bool = lt %n, %two
  branch %which, first, other
other:
  %c: s32 = mul %b, %b
  %last: bool = eq %n, %two
  branch %last, second, first
first:
  %p: s32 = phi quick: %b, choose: %a, other: %c
  store %x, %p
  return
second:
  %q: s32 = phi other: %b
  %place: ptr<global s32> = element %x, %one
  store %x, %q
  store %place, %c
  return
"""

TWO_VALUES_CROSSED = """
entry:
  %a: {origin}
  %one: s32 = const 1
  %b: s32 = add %a, %one
  %side: bool = lt %n, %one
  branch %side, early, split
early:
  jump left
split:
  %odd: s32 = and %n, %one
  %is_odd: bool = eq %odd, %one
  branch %is_odd, left, right
left:
  %p: s32 = phi early: %b, split: %a
  store %x, %p
  return
right:
  %q: s32 = phi split: %b, again: %p2
  %p2: s32 = add %q, %one
  %more: bool = lt %p2, %n
  branch %more, again, done
again:
  jump right
done:
  store %x, %q
  return
"""


@pytest.mark.parametrize("origin", ["s32 = const 5", "s32 = special thread.x"], ids=["scalar", "thread"])
@pytest.mark.parametrize(
    "body",
    [LOST_COPY, SWAP, ONE_VALUE_FOR_TWO_PHIS, TWO_VALUES_CROSSED],
    ids=["lost copy", "swap", "one value for two phis", "two values crossed"],
)
def test_machine_code_does_what_the_phis_say(body: str, origin: str) -> None:
    function = read(body.format(origin=origin), HEADER).function
    result = scalarize(function, ControlFlow.of(function), LaunchKnowledge(warp_size=4))
    number, pointer = (parameter.value for parameter in function.parameters)
    for n in range(6):
        grid = Grid((8, 1, 1), 1, 4)
        arguments = {number: n, pointer: ("x", 0)}
        traces = run(function, grid, arguments, STEPS)
        assert all(trace.finished for trace in traces)
        assert list(refute(result, grid, traces, arguments, STEPS)) == []
