"""Oracle convergence: alignments beside a referee that tries every subsequence, and kernels solved by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.observers.common_subsequence import Alignment, align
from sim.observers.oracle_convergence import OracleAnswer, OracleObserver
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.round_robin import RoundRobin
from sim.result import TruncationReason
from sim.state.ending import OutOfBudget
from tests.sim.running import run

WEIGHTS = {0: 1, 1: 5, 2: 3, 3: 0}


def slow_alignment(sequences: list[tuple[int, ...]]) -> int:
    shortest = min(sequences, key=len)
    return max(
        sum(WEIGHTS[shortest[at]] for at in chosen)
        for size in range(len(shortest) + 1)
        for chosen in combinations(range(len(shortest)), size)
        if all(is_subsequence([shortest[at] for at in chosen], sequence) for sequence in sequences)
    )


def is_subsequence(wanted: list[int], sequence: tuple[int, ...]) -> bool:
    items = iter(sequence)
    return all(symbol in items for symbol in wanted)


sequences = st.lists(st.lists(st.integers(0, 3), max_size=7).map(tuple), min_size=1, max_size=4)


@given(sequences)
def test_small_alignments_are_exact(drawn: list[tuple[int, ...]]) -> None:
    best = slow_alignment(drawn)
    assert align(drawn, WEIGHTS, 1 << 16) == Alignment(best, best)


@given(sequences, st.sampled_from([1, 20, 60]))
def test_bounds_enclose_the_answer(drawn: list[tuple[int, ...]], max_cells: int) -> None:
    found = align(drawn, WEIGHTS, max_cells)
    assert found.low <= slow_alignment(drawn) <= found.high


def oracle(
    text: str, policy: PolicyFactory = Ipdom, *, block: int = 4, max_trace: int = 512, max_cells: int = 1 << 16
) -> OracleAnswer:
    observer = OracleObserver(max_trace=max_trace, max_cells=max_cells)
    data = np.zeros(64, np.int32)
    result = run(text, {"p": data, "n": 3}, block=block, warp_size=4, policy=policy, observers=[observer])
    answer = observer.answer()
    assert answer.total == result.thread_instructions
    return answer


class TimeIsOver(Exception):
    """As the deadline of a study raises its own."""


def test_who_waits_is_asked_before_each_alignment() -> None:
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            raise TimeIsOver

    traces = [(1, 2, 3), (2, 1, 3, 1), (3, 2, 1, 2)]
    with pytest.raises(TimeIsOver):
        align(traces, WEIGHTS, 20, check)
    assert asked == 3


def test_a_study_ends_while_it_aligns() -> None:
    over = OutOfBudget(TruncationReason.TIME, 0)

    def check() -> None:
        raise over

    observer = OracleObserver(check=check)
    result = run(LATER, {"p": np.zeros(64, np.int32), "n": 3}, block=4, warp_size=4, observers=[observer])
    if result.truncated is None:  # what is left open at the end is aligned for the answer
        with pytest.raises(OutOfBudget):
            observer.answer()
    else:
        assert result.truncated.reason is TruncationReason.TIME


LATER = """
__global__ void k(int *p, int n) {
  int i = threadIdx.x;
  int x = 0;
  while (i < 2) {
    if (i == 0) x += p[7]; else x ^= p[9] * 5;
    i++;
  }
  p[threadIdx.x] = x;
}"""


def test_work_that_lanes_do_in_different_iterations_can_be_aligned() -> None:
    # Lane 0 runs both ways, lane 1 the second only: its trace is a part of lane 0's, so all of it can be shared.
    answer = oracle(LATER, block=2)
    assert answer.is_exact
    assert answer.unsolved == 0
    assert answer.regions == 1
    # Lane 1, by instructions: `i < 2` 2, `i == 0` 2, `p[9]` 2, `* 5` 1, `^=` 1, `i++` 1, `i < 2` 2; twice.
    assert answer.low == 2 * 11
    assert answer.low < answer.total - answer.proven


def test_the_answer_does_not_depend_on_the_schedule() -> None:
    assert oracle(LATER, Ipdom) == oracle(LATER, RoundRobin)
    assert oracle(LATER, Ipdom, block=2) == oracle(LATER, RoundRobin, block=2)


def test_lanes_that_leave_a_loop_apart_share_the_first_round_only() -> None:
    text = """
__global__ void k(int *p, int n) {
  int i = 0;
  while (i < threadIdx.x) i++;
  p[threadIdx.x] = i;
}"""
    answer = oracle(text)
    # `i < threadIdx.x` once by all four lanes: conversion, comparison, branch, perhaps the read of the index.
    assert answer.is_exact
    assert answer.low in (4 * 3, 4 * 4)
    assert answer.low < answer.total - answer.proven


def test_without_divergence_everything_can_be_converged() -> None:
    text = "__global__ void k(int *p, int n) { if (p[threadIdx.x] == 0) p[threadIdx.x] = n; p[9] = 1; }"
    answer = oracle(text)
    assert answer.low == answer.high == answer.total - answer.proven > 0
    assert answer.shares == (1.0, 1.0)


def test_what_is_too_long_is_said_to_be_bounded() -> None:
    answer = oracle(LATER, block=2, max_trace=3)
    assert answer.unsolved == 1
    assert (answer.low, answer.high) == (0, answer.total - answer.proven)
    assert not answer.is_exact
    few_cells = oracle(LATER, max_cells=2)
    exact = oracle(LATER)
    assert few_cells.low <= exact.low <= exact.high <= few_cells.high
