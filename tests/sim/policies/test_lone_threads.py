"""Warps without a stack (Lee et al., CGO 2013, sections 3.4, 4.1 and 5.2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sim.policies.preserve import Preserve
from sim.policies.protocol import EXIT, NOTHING, PolicyFactory, SegmentGraph
from sim.policies.stackless import Stackless
from tests.sim.policies.steps import ROW, advance, bits, runs, started
from tests.sim.policies.walk import Walk, Walker, members

DIAMOND = SegmentGraph(
    ((1, 2), (3,), (3,), (4, 5), (5,), ()),
    (3, 3, 3, 5, 5, EXIT),
    convergent=frozenset({0, 3, 5}),
    returning=frozenset({5}),
)
"""if (c) 1 else 2; 3; if (d) 4; 5"""


def lone_trace(policy: PolicyFactory, decide: Callable[[int, int], int]) -> list[tuple[int, list[int]]]:
    walk = Walk(DIAMOND, 4, (15,), lambda row, lane, segment, visit: decide(lane, segment))
    return [(step.segment, members(step.lanes)) for step in Walker(policy, walk).run()]


def test_threads_that_part_run_alone_up_to_the_syncwarp() -> None:
    steps = lone_trace(Preserve, lambda lane, segment: int(lane >= 2) if segment == 0 else 0)
    everybody = [0, 1, 2, 3]
    assert steps[0] == (0, everybody)
    assert sorted(steps[1:5]) == [(1, [0]), (1, [1]), (2, [2]), (2, [3])]
    # The second branch goes one way for all: nobody parts.
    assert steps[5:] == [(3, everybody), (4, everybody), (5, everybody)]


def test_without_preservation_divergent_code_is_for_single_threads() -> None:
    steps = lone_trace(Stackless, lambda lane, segment: 0)
    everybody = [0, 1, 2, 3]
    assert steps[0] == (0, everybody)
    assert sorted(steps[1:5]) == [(1, [0]), (1, [1]), (1, [2]), (1, [3])]
    assert steps[5] == (3, everybody)
    assert sorted(steps[6:10]) == [(4, [0]), (4, [1]), (4, [2]), (4, [3])]
    assert steps[10:] == [(5, everybody)]


@pytest.mark.parametrize("policy", [Stackless, Preserve])
def test_those_with_work_left_go_on_as_one(policy: PolicyFactory) -> None:
    """Section 3.4: if (tid < 2) { S1 } where the others have nothing left to do but return."""
    graph = SegmentGraph(((1, 2), (2,), ()), (2, 2, EXIT), convergent=frozenset({0, 1, 2}), returning=frozenset({2}))
    walk = Walk(graph, 4, (15,), lambda row, lane, segment, visit: int(lane >= 2) if segment == 0 else 0)
    steps = [(step.segment, members(step.lanes)) for step in Walker(policy, walk).run()]
    assert steps == [(0, [0, 1, 2, 3]), (1, [0, 1]), (2, [0, 1, 2, 3])]


@pytest.mark.parametrize("policy", [Stackless, Preserve])
def test_lanes_that_only_return_do_not_hold_up_a_barrier(policy: PolicyFactory) -> None:
    graph = SegmentGraph(((1, 2), (2,), ()), (2, 2, EXIT), convergent=frozenset({0, 1, 2}), returning=frozenset({2}))
    made = started(policy, graph)
    advance(made, [(1, "1 1 0 0"), (2, "0 0 1 1")])
    assert runs(made) == (1, bits("1 1 0 0"))
    made.block(ROW)
    assert runs(made) == (2, bits("0 0 1 1"))
    advance(made, [(EXIT, "0 0 1 1")])
    assert runs(made) == (NOTHING, 0)
    made.release(ROW, np.array([bits("1 1 0 0")], np.uint64), 2)
    assert runs(made) == (2, bits("1 1 0 0"))
