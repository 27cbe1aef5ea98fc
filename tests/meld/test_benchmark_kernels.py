"""The kernels that the melding benchmark measures compute what they say, without races, and the same in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.melding.launching import launch_of
from benchmarks.melding.paper import PAPER
from benchmarks.melding.subjects import SUBJECTS, Subject, program_of, subject_named
from sim.faults import Index3
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
def test_merge_sort_sorts_the_keys_of_each_block(threads: int) -> None:
    assert_buckets_sorted(run(subject_named("MS"), (threads, 1, 1)).arrays["keys"], [2 * threads] * 4)


def test_sixteen_phases_sort_sixteen_buckets() -> None:
    assert_buckets_sorted(run(subject_named("PCM"), (16, 1, 1)).arrays["keys"], [16 * 4] * 4)


def test_all_threads_together_place_eight_queens_in_92_ways() -> None:
    assert run(subject_named("NQU"), (256, 1, 1)).arrays["counts"].sum() == 92


def assert_buckets_sorted(keys: NDArray[Any], buckets: Sequence[int]) -> None:
    first = 0
    for size in buckets:
        bucket = keys[first : first + size]
        assert (np.diff(bucket) >= 0).all()
        assert len(np.unique(bucket)) > 1
        first += size
