"""Who gets a lock for which the lanes of one warp spin, and how long that takes."""

from __future__ import annotations

import numpy as np
import pytest

from sim.policies.min_pc import MinPc
from sim.policies.path_list_breadth import PathListBreadth
from sim.policies.protocol import EXIT, NOTHING, PolicyFactory
from sim.policies.registry import POLICIES
from tests.sim.policies.steps import ROW, runs, started
from tests.sim.policies.walk import Step, Walk, Walker, graph_of, members

# while (!acquire(lock)) {}  critical section; release(lock)
ACQUIRE, CRITICAL, RELEASE = range(3)
SPIN = graph_of([ACQUIRE, CRITICAL], [RELEASE], [], polling=frozenset({ACQUIRE}))


def spin(policy: PolicyFactory, width: int, limit: int) -> tuple[list[int], int]:
    """The lanes in the order in which they held the lock, and the steps it took; stops at the limit."""
    made = started(policy, SPIN, width)
    holders: list[int] = []
    is_free = True
    for step in range(limit):
        segment, lanes = runs(made)
        if segment == NOTHING:
            return holders, step
        if segment == ACQUIRE:
            first = members(lanes)[0] if is_free else -1
            if is_free:
                holders.append(first)
                is_free = False
            got = 1 << first if first >= 0 else 0
            ways = [(ACQUIRE, lanes & ~got), (CRITICAL, got)]
        elif segment == CRITICAL:
            ways = [(RELEASE, lanes)]
        else:
            is_free = True
            ways = [(EXIT, lanes)]
        made.advance(ROW, segment, [(target, np.array([some], np.uint64)) for target, some in ways])
    return holders, limit


@pytest.mark.parametrize("name", ["ipdom", "counters", "path-list-depth"])
def test_a_spin_lock_livelocks_where_paths_nest(name: str) -> None:
    """ "Thread 0 acquires the lock, keeps looping with other threads of the warp waiting for the lock." """
    assert spin(POLICIES[name], 4, 5_000) == ([0], 5_000)


@pytest.mark.parametrize("name", ["round-robin", "path-list-breadth", "min-pc"])
@pytest.mark.parametrize("width", [4, 32])
def test_a_spin_lock_finishes_where_every_path_progresses(name: str, width: int) -> None:
    holders, steps = spin(POLICIES[name], width, 5_000)
    assert sorted(holders) == list(range(width))
    assert steps < 50 * width


@pytest.mark.parametrize("policy", [MinPc, PathListBreadth])
def test_without_polling_nobody_is_impatient(policy: PolicyFactory) -> None:
    """A loop that only computes may keep the lanes that left it waiting for as long as it takes."""
    test, increment, print_ = 1, 2, 3
    loop = graph_of([test], [increment, print_], [test], [])
    walk = Walk(loop, 4, (15,), lambda row, lane, segment, visit: int(segment == test and visit > lane * 400))
    steps = Walker(policy, walk).run()
    assert [step for step in steps if step.segment == print_] == [Step(0, print_, 15)]
