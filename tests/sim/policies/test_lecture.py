"""The examples of Collange's lecture "SIMT control flow management" (2020), with the states that its slides show.

Lane 0 is the first (leftmost) column of a slide.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sim.policies.counters import GONE, Counters
from sim.policies.ipdom import Ipdom
from sim.policies.min_pc import MinPc
from sim.policies.path_list_breadth import PathListBreadth
from sim.policies.path_list_depth import PathListDepth
from sim.policies.paths import PathPolicy
from sim.policies.protocol import EXIT, NOTHING, SegmentGraph
from sim.policies.registry import POLICIES
from tests.sim.policies.steps import ROW, advance, bits, runs, started
from tests.sim.policies.walk import Step, Walk, Walker, graph_of, members

# x = 0;  if (tid > 17) x = 1;  if (tid < 2) { if (tid == 0) x = 2; else x = 3; }
X0, X1, OUTER, INNER, X2, X3, END_INNER, END = range(8)
NESTED = graph_of([X1, OUTER], [OUTER], [INNER, END], [X2, X3], [END_INNER], [END_INNER], [END], [])


# i = 0;  while (i < tid) i++;  print(i);
INIT, TEST, INCREMENT, PRINT = range(4)
LOOP = graph_of([TEST], [INCREMENT, PRINT], [TEST], [])


# -- the mask stack of Pixar ------------------------------------------------------------------------------------------


def masks(policy: Ipdom) -> list[int]:
    """The slide's stack: one mask per open level.  Sides that have not run yet lie on ours as well; Pixar's stack gets
    them only at `else`."""
    *below, (_, _, active) = policy.stack(0)
    joins = set(NESTED.reconvergence) | {EXIT}
    return [lanes for _, segment, lanes in below if segment in joins] + [active]


def test_the_mask_stack() -> None:
    policy = Ipdom(1, 4, NESTED)
    policy.start(ROW, np.array([15], np.uint64), X0)
    seen = [(runs(policy)[0], masks(policy))]
    for split in (
        [(OUTER, "1 1 1 1")],
        [(INNER, "1 1 0 0"), (END, "0 0 1 1")],
        [(X2, "1 0 0 0"), (X3, "0 1 0 0")],
        [(END_INNER, "1 0 0 0")],
        [(END_INNER, "0 1 0 0")],
        [(END, "1 1 0 0")],
    ):
        advance(policy, split)
        seen.append((runs(policy)[0], masks(policy)))
    one, two, first, second = bits("1 1 1 1"), bits("1 1 0 0"), bits("1 0 0 0"), bits("0 1 0 0")
    assert seen == [
        (X0, [one]),
        (OUTER, [one]),  # tid > 17 is false for all: nothing is pushed
        (INNER, [one, two]),  # push
        (X2, [one, two, first]),  # push
        (X3, [one, two, second]),  # pop, push
        (END_INNER, [one, two]),  # pop
        (END, [one]),  # pop
    ]


def test_the_stack_in_full() -> None:
    policy = Ipdom(1, 4, NESTED)
    policy.start(ROW, np.array([15], np.uint64), OUTER)
    advance(policy, [(INNER, "1 1 0 0"), (END, "0 0 1 1")])
    advance(policy, [(X2, "1 0 0 0"), (X3, "0 1 0 0")])
    assert policy.stack(0) == [
        (EXIT, END, bits("1 1 1 1")),
        (END, END_INNER, bits("1 1 0 0")),
        (END_INNER, X3, bits("0 1 0 0")),
        (END_INNER, X2, bits("1 0 0 0")),
    ]


def test_the_rounds_of_a_loop_share_one_level() -> None:
    policy = Ipdom(1, 4, LOOP)
    policy.start(ROW, np.array([15], np.uint64), TEST)
    for stays, leaves in (("0 1 1 1", "1 0 0 0"), ("0 0 1 1", "0 1 0 0"), ("0 0 0 1", "0 0 1 0")):
        advance(policy, [(INCREMENT, stays), (PRINT, leaves)])
        assert len(policy.stack(0)) == 2
        advance(policy, [(TEST, stays)])


# -- activity counters ------------------------------------------------------------------------------------------------


def test_activity_counters() -> None:
    policy = Counters(1, 4, NESTED)
    policy.start(ROW, np.array([15], np.uint64), X0)
    seen = [policy.counters[0].tolist()]
    for split in (
        [(OUTER, "1 1 1 1")],
        [(INNER, "1 1 0 0"), (END, "0 0 1 1")],
        [(X2, "1 0 0 0"), (X3, "0 1 0 0")],
        [(END_INNER, "1 0 0 0")],
        [(END_INNER, "0 1 0 0")],
        [(END, "1 1 0 0")],
    ):
        advance(policy, split)
        seen.append(policy.counters[0].tolist())
    assert seen == [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 1, 1],  # inc
        [0, 1, 2, 2],  # inc
        [1, 0, 2, 2],  # else
        [0, 0, 1, 1],  # dec
        [0, 0, 0, 0],  # dec
    ]


def test_counters_are_the_heights_of_the_columns_of_the_stack() -> None:
    """ "The height of each column of 1s is enough": with L levels open, a lane in h of them counts L - h."""
    stack, counters = started(Ipdom, NESTED), started(Counters, NESTED)
    assert isinstance(stack, Ipdom)
    assert isinstance(counters, Counters)
    for split in (
        [(OUTER, "1 1 1 1")],
        [(INNER, "1 1 0 0"), (END, "0 0 1 1")],
        [(X2, "1 0 0 0"), (X3, "0 1 0 0")],
        [(END_INNER, "1 0 0 0")],
        [(END_INNER, "0 1 0 0")],
    ):
        advance(stack, split)
        advance(counters, split)
        levels = masks(stack)
        heights = [sum(mask >> lane & 1 for mask in levels) for lane in range(4)]
        assert counters.counters[0].tolist() == [len(levels) - height for height in heights]


def test_lanes_that_never_were_do_not_count() -> None:
    policy = Counters(1, 4, NESTED)
    policy.start(ROW, np.array([bits("1 1 1 0")], np.uint64), OUTER)
    advance(policy, [(INNER, "1 1 0 0"), (END, "0 0 1 0")])
    assert policy.counters[0, :3].tolist() == [0, 0, 1]
    assert policy.counters[0, 3] >= GONE


# -- the trace of while (i < tid) -------------------------------------------------------------------------------------

TRACE = [
    (INIT, "1 1 1 1"),
    (TEST, "1 1 1 1"),  # i < tid?  0 1 1 1
    (INCREMENT, "0 1 1 1"),
    (TEST, "0 1 1 1"),  # i < tid?  0 0 1 1
    (INCREMENT, "0 0 1 1"),
    (TEST, "0 0 1 1"),  # i < tid?  0 0 0 1
    (INCREMENT, "0 0 0 1"),
    (TEST, "0 0 0 1"),  # i < tid?  0 0 0 0
    (PRINT, "1 1 1 1"),  # no active thread left: restore mask and exit loop
]


@pytest.mark.parametrize("name", ["ipdom", "counters", "min-pc", "path-list-depth", "path-list-breadth"])
def test_the_trace_of_the_loop(name: str) -> None:
    walk = Walk(LOOP, 4, (15,), lambda row, lane, segment, visit: int(segment == TEST and visit > lane))
    assert Walker(POLICIES[name], walk).run() == [Step(0, segment, bits(lanes)) for segment, lanes in TRACE]


# -- program counters and path lists ----------------------------------------------------------------------------------


def program_counters(policy: PathPolicy, width: int) -> list[int]:
    found = dict.fromkeys(range(width), NOTHING)
    for segment, lanes in policy.paths(0):
        found |= dict.fromkeys(members(lanes), segment)
    return [found[lane] for lane in range(width)]


def test_one_program_counter_per_lane() -> None:
    """The slide "With 1 PC / thread": lane 0 matches the master PC at x = 2, lane 1 stands at x = 3, 2 and 3 behind."""
    policy = MinPc(1, 4, NESTED)
    policy.start(ROW, np.array([15], np.uint64), OUTER)
    advance(policy, [(INNER, "1 1 0 0"), (END, "0 0 1 1")])
    advance(policy, [(X2, "1 0 0 0"), (X3, "0 1 0 0")])
    assert program_counters(policy, 4) == [X2, X3, END, END]
    assert runs(policy) == (X2, bits("1 0 0 0"))
    advance(policy, [(END_INNER, "1 0 0 0")])
    assert program_counters(policy, 4) == [END_INNER, X3, END, END]
    assert runs(policy) == (X3, bits("0 1 0 0"))
    advance(policy, [(END_INNER, "0 1 0 0")])
    assert program_counters(policy, 4) == [END_INNER, END_INNER, END, END]
    assert runs(policy) == (END_INNER, bits("1 1 0 0"))
    advance(policy, [(END, "1 1 0 0")])
    assert runs(policy) == (END, bits("1 1 1 1"))


SWITCH = graph_of([4, 12, 16, 17], *([node + 1] for node in range(1, 18)), [])
"""Straight code, entered at four places."""

PATHS = [(4, "0 0 1 0 0 0 1 0"), (12, "1 0 0 0 0 0 0 0"), (16, "0 0 0 0 0 1 0 0"), (17, "0 1 0 1 1 0 0 1")]


@pytest.mark.parametrize("policy", [MinPc, PathListDepth, PathListBreadth, POLICIES["round-robin"]])
def test_a_list_of_paths_is_a_vector_of_program_counters(
    policy: Callable[[int, int, SegmentGraph], PathPolicy],
) -> None:
    """The slide with 8 threads: {1, 3, 4, 7} have PC 17; a fourth path with that PC is fused with it."""
    made = policy(1, 8, SWITCH)
    made.start(ROW, np.array([255], np.uint64), 0)
    advance(made, PATHS)
    assert program_counters(made, 8) == [12, 17, 4, 17, 17, 16, 4, 17]
    assert {(segment, lanes) for segment, lanes in made.paths(0)} == {(at, bits(lanes)) for at, lanes in PATHS}


def test_paths_with_one_program_counter_are_fused() -> None:
    policy = MinPc(1, 8, SWITCH)
    policy.start(ROW, np.array([255], np.uint64), 0)
    advance(policy, PATHS)
    # The path at 16 is alone in the machine with those behind it waiting: bring them there.
    for target, lanes in ((17, "0 0 1 0 0 0 1 0"), (17, "1 0 0 0 0 0 0 0")):
        advance(policy, [(target, lanes)])
    assert sorted(policy.paths(0)) == [(16, bits("0 0 0 0 0 1 0 0")), (17, bits("1 1 1 1 1 0 1 1"))]
    assert runs(policy) == (16, bits("0 0 0 0 0 1 0 0"))
    advance(policy, [(17, "0 0 0 0 0 1 0 0")])
    assert policy.paths(0) == [(17, 255)]


def test_depth_first_runs_the_most_deeply_nested_path() -> None:
    policy = PathListDepth(1, 4, NESTED)
    policy.start(ROW, np.array([15], np.uint64), OUTER)
    advance(policy, [(INNER, "1 1 0 0"), (END, "0 0 1 1")])
    assert policy.paths(0) == [(INNER, bits("1 1 0 0")), (END, bits("0 0 1 1"))]
    advance(policy, [(X2, "1 0 0 0"), (X3, "0 1 0 0")])
    assert policy.paths(0) == [(X2, bits("1 0 0 0")), (X3, bits("0 1 0 0")), (END, bits("0 0 1 1"))]
    advance(policy, [(END_INNER, "1 0 0 0")])
    assert runs(policy) == (X3, bits("0 1 0 0"))
    advance(policy, [(END_INNER, "0 1 0 0")])
    assert policy.paths(0) == [(END_INNER, bits("1 1 0 0")), (END, bits("0 0 1 1"))]
