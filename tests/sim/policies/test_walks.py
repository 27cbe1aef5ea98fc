"""What every policy owes: each lane takes exactly its own path, none is lost or runs twice, all leave."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from sim.policies.protocol import EXIT, PolicyFactory
from sim.policies.registry import POLICIES
from tests.sim.policies.graphs import arbitrary_graphs, statements, structured_graph, walks
from tests.sim.policies.walk import Step, Walk, Walker, members, own_path

ALL = pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
STRUCTURED = statements().map(structured_graph)


@ALL
@settings(max_examples=40, deadline=None)
@given(walk=walks(arbitrary_graphs(), meetings=False))
def test_lanes_take_their_own_paths_through_any_graph(policy: PolicyFactory, walk: Walk) -> None:
    assert_own_paths(policy, walk)


@ALL
@settings(max_examples=40, deadline=None)
@given(walk=walks(arbitrary_graphs(), meetings=True))
def test_lanes_that_wait_go_on_where_they_were_sent(policy: PolicyFactory, walk: Walk) -> None:
    assert_own_paths(policy, walk)


@ALL
@settings(max_examples=28, deadline=None)
@given(walk=walks(STRUCTURED, meetings=True))
def test_lanes_take_their_own_paths_through_statements(policy: PolicyFactory, walk: Walk) -> None:
    assert_own_paths(policy, walk)


def assert_own_paths(policy: PolicyFactory, walk: Walk) -> None:
    steps = Walker(policy, walk).run()
    taken: dict[tuple[int, int], list[int]] = {}
    for step in steps:
        for lane in members(step.lanes):
            taken.setdefault((step.row, lane), []).append(step.segment)
    expected = {
        (row, lane): own_path(walk, row, lane) for row, lanes in enumerate(walk.start) for lane in members(lanes)
    }
    assert taken == expected


@pytest.mark.parametrize("name", ["counters", "min-pc", "path-list-depth", "path-list-breadth"])
@settings(max_examples=50, deadline=None)
@given(walk=walks(STRUCTURED, meetings=False))
def test_structured_code_reconverges_as_under_the_stack(name: str, walk: Walk) -> None:
    stack, other = (Walker(POLICIES[policy], walk).run() for policy in ("ipdom", name))
    assert Counter(stack) == Counter(other)


@pytest.mark.parametrize("name", ["ipdom", "counters"])
@settings(max_examples=80, deadline=None)
@given(walk=walks(arbitrary_graphs(), meetings=False))
def test_stacks_and_counters_reconverge_at_immediate_post_dominators(name: str, walk: Walk) -> None:
    """The lanes that part at a branch come to its join as one."""
    assert_together_at_joins(walk, Walker(POLICIES[name], walk).run())


def assert_together_at_joins(walk: Walk, steps: list[Step]) -> None:
    visits: Counter[tuple[int, int, int]] = Counter()
    owed: dict[tuple[int, int, int], list[int]] = {}
    for step in steps:
        lanes = members(step.lanes)
        ways: set[int] = set()
        for lane in lanes:
            for expected in owed.pop((step.row, step.segment, lane), []):
                assert expected & step.lanes == expected, "lanes that parted are not together at the join"
            visits[step.row, lane, step.segment] += 1
            if targets := walk.graph.successors[step.segment]:
                ways.add(targets[walk.decide(step.row, lane, step.segment, visits[step.row, lane, step.segment])])
        join = walk.graph.reconvergence[step.segment]
        if len(ways) > 1 and join != EXIT:
            for lane in lanes:
                owed.setdefault((step.row, join, lane), []).append(step.lanes)


@settings(max_examples=80, deadline=None)
@given(walk=walks(arbitrary_graphs(), meetings=False))
def test_under_round_robin_every_lane_gets_its_turn(walk: Walk) -> None:
    """No lane waits for more turns of its warp than the warp has lanes."""
    turns: Counter[int] = Counter()
    last: dict[tuple[int, int], int] = {}
    for step in Walker(POLICIES["round-robin"], walk).run():
        turns[step.row] += 1
        for lane in members(step.lanes):
            assert turns[step.row] - last.get((step.row, lane), 0) <= walk.width
            last[step.row, lane] = turns[step.row]
