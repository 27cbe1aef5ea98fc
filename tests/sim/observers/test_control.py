"""Branches, work, active lanes and timelines: numbers counted by hand, warps of four lanes."""

from __future__ import annotations

import numpy as np

from sim.observers.branches import BranchActivity, BranchObserver
from sim.observers.lane_histogram import LaneHistogramObserver
from sim.observers.places import by_line
from sim.observers.timeline import TimelineObserver, drawn
from sim.observers.work import Work, WorkObserver
from tests.sim.observers.claims import check, line_of, told
from tests.sim.running import run

LOOP = """
__global__ void k(int *out) {
  int i = 0;
  while (i < threadIdx.x)      //@ 4 times, 3 divergent: 6 (6) + 4 (3), meets at 6
    i++;
  out[threadIdx.x] = i;
}"""


def branches(text: str, *, block: int = 4, grid: int = 1) -> dict[int, str]:
    observer = BranchObserver()
    run(text, {"out": np.zeros(256, np.int32)}, grid=grid, block=block, warp_size=4, observers=[observer])
    return told(text, ((activity.place, described(text, activity)) for activity in observer.answer()))


def described(text: str, activity: BranchActivity) -> str:
    sides = " + ".join(f"{side.lanes} ({side.divergent_lanes})" for side in activity.sides)
    met = activity.reconvergence
    meets = "" if met is None else f", meets at {line_of(text, met)}"
    return f"{activity.executed} times, {activity.diverged} divergent: {sides}{meets}"


def test_a_loop_that_threads_leave_one_after_the_other() -> None:
    check(LOOP, branches(LOOP))


def test_uniform_and_divergent_branches_of_several_warps() -> None:
    text = """
__global__ void k(int *out) {
  int x = 0;
  if (threadIdx.x > 17)        //@ 4 times, 0 divergent: 0 (0) + 16 (0), meets at 6
    x = 1;
  if (threadIdx.x < 2) {       //@ 4 times, 2 divergent: 4 (4) + 12 (4), meets at 12
    if (threadIdx.x == 0)      //@ 2 times, 2 divergent: 2 (2) + 2 (2), meets at 12
      out[64] = 2;
    else
      out[65] = 3;
  }
  out[blockIdx.x * 8 + threadIdx.x] = x;
}"""
    check(text, branches(text, block=8, grid=2))


def test_a_switch_has_a_side_per_target() -> None:
    text = """
__global__ void k(int *out) {
  int x = 9;
  switch (threadIdx.x) {       //@ 1 times, 1 divergent: 1 (1) + 2 (2) + 1 (1), meets at 10
    case 0: out[8] = 1; break;
    case 2:
    case 3: out[9] = 2; break;
    default: out[10] = 3;
  }
  out[threadIdx.x] = x;
}"""
    check(text, branches(text))


def test_a_branch_that_was_never_reached_is_listed() -> None:
    text = """
__global__ void k(int *out) {
  if (threadIdx.x > 100)       //@ 1 times, 0 divergent: 0 (0) + 4 (0), meets at 6
    if (threadIdx.x > 200)     //@ 0 times, 0 divergent: 0 (0) + 0 (0), meets at 6
      out[0] = 1;
}"""
    check(text, branches(text))


def test_work_by_line_and_the_lines_that_never_ran() -> None:
    text = """
__global__ void k(int *out) {
  if (threadIdx.x < 1)
    out[0] = 5;
  if (threadIdx.x > 9)
    out[1] = 6;
}"""
    observer = WorkObserver()
    result = run(text, {"out": np.zeros(4, np.int32)}, block=8, warp_size=4, observers=[observer])
    answer = observer.answer()
    lines = by_line(answer, lambda place: line_of(text, place))
    # Line 4: an address and a store, by one lane of one warp.
    assert lines[4] == Work(2, 2, 8)
    assert lines[4].simd_efficiency == 0.25
    assert lines[6] == Work(0, 0, 0)
    assert lines[3].simd_efficiency == 1.0
    total = sum(answer.values(), Work(0, 0, 0))
    assert (total.warp_instructions, total.thread_instructions) == (
        result.warp_instructions,
        result.thread_instructions,
    )


def test_the_histogram_counts_instructions_by_active_lanes() -> None:
    observer = LaneHistogramObserver()
    result = run(LOOP, {"out": np.zeros(4, np.int32)}, block=4, warp_size=4, observers=[observer])
    answer = observer.answer()
    assert answer.warp_instructions[0] == 0
    # Three lanes run `i++` (1) and the condition (read of the thread index, conversion, comparison, branch: 4).
    assert answer.warp_instructions[1:4] == (5, 5, 5)
    assert sum(answer.warp_instructions) == result.warp_instructions
    assert sum(n * count for n, count in enumerate(answer.warp_instructions)) == result.thread_instructions


def test_the_timeline_shows_the_masks_of_one_warp() -> None:
    observer = TimelineObserver(block=1, warp=0, max_steps=7)
    run(LOOP, {"out": np.zeros(4, np.int32)}, grid=2, block=4, warp_size=4, observers=[observer])
    answer = observer.answer()
    assert [drawn(step.active, 4) for step in answer.steps] == ["1111", "1111", ".111", ".111", "..11", "..11", "...1"]
    assert {step.running for step in answer.steps} == {0b1111}
    assert answer.omitted == 2


def test_the_timeline_knows_who_has_left() -> None:
    text = """
__global__ void k(int *out) {
  if (threadIdx.x < 2) return;
  out[threadIdx.x] = 1;
}"""
    observer = TimelineObserver()
    run(text, {"out": np.zeros(4, np.int32)}, block=3, warp_size=4, observers=[observer])
    steps = observer.answer().steps
    assert (drawn(steps[0].active, 4), drawn(steps[0].running, 4)) == ("111.", "111.")
    assert (drawn(steps[-1].active, 4), drawn(steps[-1].running, 4)) in {("..1.", "..1."), ("11..", "11..")}
