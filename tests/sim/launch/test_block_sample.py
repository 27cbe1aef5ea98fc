"""Some blocks of a large grid stand for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from sim.block_sample import blocks_run
from sim.observers.timeline import TimelineObserver
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Array, LaunchSpecification
from tests.sim.launch.support import planner
from tests.sim.running import kernel_of

WRITES = "__global__ void k(int *p) { p[blockIdx.y * gridDim.x + blockIdx.x] = 1; }"


@pytest.mark.parametrize("wanted", [3, 4, 8, 17, 63])
@pytest.mark.parametrize("blocks", [64, 65, 1000, 4096])
def test_the_sample_has_the_ends_and_stands_for_all(wanted: int, blocks: int) -> None:
    sample = blocks_run(LaunchSpecification((blocks, 1, 1), (32, 1, 1), sampled_blocks=wanted))
    numbers = sample.numbers.tolist()
    assert (numbers[0], numbers[-1], len(numbers)) == (0, blocks - 1, wanted)
    assert numbers == sorted(set(numbers))
    assert int(sample.stands_for.sum()) == blocks
    assert sample.stands_for[0] == sample.stands_for[-1] == 1


def test_a_small_grid_is_run_whole() -> None:
    sample = blocks_run(LaunchSpecification((5, 1, 1), (32, 1, 1), sampled_blocks=8))
    assert sample.numbers.tolist() == [0, 1, 2, 3, 4]
    assert sample.stands_for.tolist() == [1] * 5


def test_drawn_blocks_do_not_lie_on_a_diagonal() -> None:
    launch = LaunchSpecification((64, 64, 1), (32, 1, 1), sampled_blocks=64)
    drawn = blocks_run(launch).numbers
    assert (drawn % 64 == drawn // 64).sum() < 8


def test_the_blocks_of_the_sample_run_and_no_others() -> None:
    launch = LaunchSpecification((40, 50, 1), (32, 1, 1), {"p": Array(np.zeros(2000, np.int32))}, sampled_blocks=16)
    watched = int(blocks_run(launch).numbers[5])
    timeline, left_out = TimelineObserver(block=watched), TimelineObserver(block=watched + 1)
    result = simulate(kernel_of(WRITES), launch, Ipdom, [timeline, left_out])
    assert np.flatnonzero(result.arrays["p"]).tolist() == blocks_run(launch).numbers.tolist()
    assert timeline.answer().steps
    assert not left_out.answer().steps


LAUNCHED = """
__global__ void k(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
void host(int *x) { k<<<4096, 256>>>(x, 1048000); }
"""


def test_a_sampled_launch_of_host_code_keeps_its_size() -> None:
    whole = planner(LAUNCHED, sampled_blocks=8).plan()
    assert whole.specification.grid == (4096, 1, 1)
    assert whole.specification.blocks_to_run == 8
    assert {choice.name: choice.value for choice in whole.choices}["n"] == "1048000"
    assert planner(LAUNCHED).plan().specification.grid == (128, 1, 1)


def test_a_sampled_launch_of_which_nothing_is_said_has_many_blocks() -> None:
    whole = planner(LAUNCHED.partition("void host")[0], sampled_blocks=8).plan()
    assert (whole.specification.grid, whole.specification.blocks_to_run) == ((1024, 1, 1), 8)
    assert {choice.name: choice.value for choice in whole.choices}["n"] == str(1024 * 256)


def test_blocks_that_wait_for_all_others_are_not_sampled() -> None:
    text = "#include <cooperative_groups.h>\n" + LAUNCHED.replace(
        "x[i] = i;", "x[i] = i; cooperative_groups::this_grid().sync();"
    )
    assert planner(text, sampled_blocks=8).plan().specification.blocks_to_run == 4096
