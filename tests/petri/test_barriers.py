"""Who waits for ever at a barrier."""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.petri.barriers import OtherThread, Safe, Stuck, barrier_outcome, waiting_states
from analysis.petri.flow_graph import FlowGraph, flow_graph
from tests.support.textual import analyze

SETUP = """entry:
  %t: u32 = special thread.x
  %one: u32 = const 1
  %u: u32 = convert %n
  %varies: bool = lt %t, %one
  %uniform: bool = lt %u, %one
"""


def graph_of(body: str) -> tuple[FlowGraph, dict[str, int]]:
    facts = analyze(SETUP + body)
    return flow_graph(facts.result, Level.BLOCK, barriers_wait=True), dict(facts.named.labels)


def outcome(body: str, label: str) -> tuple[OtherThread, list[str], list[str]] | None:
    """Where the other thread is and both paths in words; None: safe."""
    graph, labels = graph_of(body)
    found = barrier_outcome(
        graph, waiting_states(graph), next(block for block in graph.order if block == labels[label])
    )
    if isinstance(found, Safe):
        return None
    assert isinstance(found, Stuck)
    names = {block: name for name, block in labels.items()}
    first, second = ([names[block] for block in path] for path in (found.witness.first, found.witness.second))
    return found.other, first, second


def test_all_threads_reach_a_barrier_on_the_way() -> None:
    assert outcome("  branch %varies, then, join\nthen:\n  jump join\njoin:\n  barrier\n  return", "join") is None


def test_a_barrier_in_one_arm() -> None:
    body = "  branch %varies, then, join\nthen:\n  barrier\n  jump join\njoin:\n  return"
    assert outcome(body, "then") == (OtherThread.ENDED, ["entry", "then"], ["entry", "join"])


def test_a_barrier_in_one_arm_of_a_uniform_branch() -> None:
    assert outcome("  branch %uniform, then, join\nthen:\n  barrier\n  jump join\njoin:\n  return", "then") is None


@pytest.mark.parametrize("label", ["left", "right"])
def test_a_barrier_in_each_arm(label: str) -> None:
    """The threads wait for each other at two barriers."""
    body = """  branch %varies, left, right
left:
  barrier
  jump join
right:
  barrier
  jump join
join:
  return"""
    other = "right" if label == "left" else "left"
    assert outcome(body, label) == (OtherThread.WAITS, ["entry", label], ["entry", other])


def test_a_barrier_behind_an_early_return() -> None:
    body = "  branch %varies, gone, stay\ngone:\n  return\nstay:\n  barrier\n  return"
    assert outcome(body, "stay") == (OtherThread.ENDED, ["entry", "stay"], ["entry", "gone"])


def test_a_barrier_in_a_loop_that_threads_leave_at_different_times() -> None:
    body = "  jump loop\nloop:\n  barrier\n  branch %varies, loop, done\ndone:\n  return"
    assert outcome(body, "loop") == (OtherThread.ENDED, ["entry", "loop", "loop"], ["entry", "loop", "done"])


def test_a_barrier_that_some_threads_skip_in_an_iteration() -> None:
    """They would meet it in the next iteration, which is another instance."""
    body = """  jump head
head:
  branch %varies, sync, skip
sync:
  barrier
  jump next
skip:
  jump next
next:
  branch %uniform, head, done
done:
  return"""
    found = outcome(body, "sync")
    assert found is not None
    assert found[1:] == (["entry", "head", "sync"], ["entry", "head", "skip", "next"])
    assert found[0] is OtherThread.PAST


def test_a_second_barrier_is_not_blamed_where_the_first_is_safe() -> None:
    body = """  barrier
  branch %varies, then, join
then:
  barrier
  jump join
join:
  return"""
    assert outcome(body, "entry") is None
    assert outcome(body, "then") is not None
