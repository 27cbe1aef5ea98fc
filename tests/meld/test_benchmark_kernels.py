"""The kernels that the melding benchmark measures compute what they say, without races, and the same in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.ir.index3 import Index3
from benchmarks.melding.launching import launch_of
from benchmarks.melding.paper import PAPER
from benchmarks.melding.subjects import SUBJECTS, Subject, program_of, subject_named
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.round_robin import RoundRobin
from sim.result import Result
from sim.simulate import simulate


def run(subject: Subject, block: Index3 | None = None, policy: PolicyFactory = Ipdom, warp_size: int = 32) -> Result:
    """With races looked for; none and no other fault may be found."""
    kernel, launch = launch_of(program_of(subject.text, subject.file, warp_size), subject.function, block)
    result = simulate(kernel, launch, policy, [RaceObserver()])
    assert result.truncated is None
    assert not result.faults
    return result


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_no_fault_no_race_and_one_result_for_all_schedules(subject: Subject) -> None:
    block = subject.blocks[0]
    once = run(subject, block)
    assert once.memory_digest == run(subject, block, RoundRobin, warp_size=64).memory_digest


def test_the_paper_has_figures_for_every_kernel() -> None:
    assert {subject.name for subject in SUBJECTS} == set(PAPER)


@pytest.mark.parametrize("threads", [32, 256])
def test_bitonic_sort_sorts_each_bucket(threads: int) -> None:
    assert_buckets_sorted(run(subject_named("BIT"), (threads, 1, 1)).arrays["keys"], [threads] * 8)


@pytest.mark.parametrize("threads", [32, 256])
def test_merge_sort_sorts_chunks_of_32_keys(threads: int) -> None:
    keys = run(subject_named("MS"), (threads, 1, 1)).arrays["keys"]
    assert_buckets_sorted(keys, [32] * (4 * 4 * threads // 32))


def test_sixteen_phases_sort_sixteen_buckets() -> None:
    assert_buckets_sorted(run(subject_named("PCM"), (16, 1, 1)).arrays["keys"], [16 * 4] * 4)


def test_each_thread_counts_the_ways_to_complete_its_board() -> None:
    counts = run(subject_named("NQU"), (32, 1, 1)).arrays["counts"]
    assert counts[:64].tolist() == [completions(number) for number in range(64)]


def completions(number: int, rows: int = 8, given: int = 3) -> int:
    """Of the board whose first queens are chosen by `number`."""
    queens: list[int] = []
    for _ in range(given):
        free = free_squares(queens, rows)
        queens.append(free[number % len(free)])
        number //= len(free)
    return ways(queens, rows)


def ways(queens: list[int], rows: int) -> int:
    return 1 if len(queens) == rows else sum(ways([*queens, square], rows) for square in free_squares(queens, rows))


def free_squares(queens: list[int], rows: int) -> list[int]:
    return [
        square
        for square in range(rows)
        if all(abs(square - other) not in (0, len(queens) - row) for row, other in enumerate(queens))
    ]


def assert_buckets_sorted(keys: NDArray[Any], buckets: Sequence[int]) -> None:
    first = 0
    for size in buckets:
        bucket = keys[first : first + size]
        assert (np.diff(bucket) >= 0).all()
        assert len(np.unique(bucket)) > 1
        first += size
