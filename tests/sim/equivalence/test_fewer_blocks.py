"""Long launches: the first policy runs them whole, the others a few of the blocks."""

from __future__ import annotations

import pytest

from sim.equivalence import pairs
from sim.equivalence.model import Confirmed, FewerBlocks, Gap, MemoryDiffers, NotChecked, Refuted
from sim.equivalence.words import verdict_words
from sim.policies.registry import POLICIES
from tests.sim.equivalence.versions import compared

LONG = """\
// simt: grid=16 block=64
__global__ void k(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 200; ++round) sum += round * i;
  /*branch*/if (CONDITION) { x[i] = sum + 1; } else { x[i] = sum + 2; }
}
"""
"""Each block issues more than a thousand instructions."""


def long(condition: str) -> str:
    return LONG.replace("CONDITION", condition)


class TestFewerBlocks:
    def test_the_other_policies_run_one_block(self) -> None:
        found = compared(long("i % 2"), long("i & 1"))
        assert isinstance(found.verdict, Confirmed)
        assert found.verdict.policies == tuple(POLICIES)
        assert found.verdict.fewer is not None
        assert found.verdict.fewer.grid == (1, 1, 1)
        assert found.launch is not None
        assert found.launch.grid == found.verdict.fewer.whole
        whole, other = found.figures[0].before, found.figures[1].before
        assert whole.warp_instructions == found.launch.grid[0] * other.warp_instructions

    def test_as_many_blocks_as_split_the_branch(self) -> None:
        found = compared(long("blockIdx.x > 0 && i % 2"), long("blockIdx.x != 0 && i % 2")).verdict
        assert isinstance(found, Confirmed)
        assert found.fewer is not None
        assert found.fewer.grid == (2, 1, 1)

    def test_the_whole_launch_where_no_few_blocks_split_the_branch(self) -> None:
        found = compared(long("blockIdx.x == 3 && i % 2"), long("blockIdx.x == 3 && i % 2")).verdict
        assert isinstance(found, Confirmed)
        assert found.fewer is None

    def test_a_difference_in_a_block_that_only_the_first_policy_runs(self) -> None:
        found = compared(long("i % 2"), long("i % 2 && blockIdx.x != 3")).verdict
        assert isinstance(found, Refuted)
        assert isinstance(found.evidence, MemoryDiffers)
        assert (found.policy, found.fewer) == ("ipdom", None)

    def test_words(self) -> None:
        verdict = Confirmed(
            ("ipdom", "counters", "min-pc"), too_long=("preserve",), fewer=FewerBlocks((2, 1, 1), (8, 2, 1))
        )
        assert verdict_words(verdict) == (
            "equal results under ipdom with 16 blocks, and under 2 other policies with 2 blocks;"
            " not compared under preserve, which would take too long"
        )
        difference = MemoryDiffers("x", (3,), "1", "2", 1)
        refuted = Refuted("min-pc", difference, FewerBlocks((1, 1, 1), (8, 2, 1)))
        assert verdict_words(refuted) == "x[3] becomes 2 instead of 1 under min-pc with 1 block"


SLOW_IN_ONE_POLICY = """\
__global__ void k(int *x) {
  int i = threadIdx.x;
  /*branch*/if (i % 2) { x[i] = 1; } else { x[i] = 2; }
  for (int round = 0; round < ROUNDS; ++round) {
    if ((i >> round) & 1) { x[i] = x[i] * 3 + round; } else { x[i] = x[i] * 5 - round; }
  }
}
"""


class TestTooLong:
    def test_a_policy_that_takes_too_long_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = SLOW_IN_ONE_POLICY.replace("ROUNDS", "5")
        figures = {one.policy: one.before.warp_instructions for one in compared(text, text).figures}
        slow = max(figures.values())
        expected = tuple(name for name, count in figures.items() if 2 * count > slow)
        assert 0 < len(expected) <= pairs.MAX_TOO_LONG
        monkeypatch.setattr(pairs, "LONGEST_RUN", slow // 2)
        found = compared(text, text).verdict
        assert isinstance(found, Confirmed)
        assert found.too_long == expected
        assert set(found.policies) == set(POLICIES) - set(expected)

    def test_with_more_of_them_nothing_is_claimed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = SLOW_IN_ONE_POLICY.replace("ROUNDS", "40")
        monkeypatch.setattr(pairs, "LONGEST_RUN", 20)
        found = compared(text, text).verdict
        assert isinstance(found, NotChecked)
        assert found.gap is Gap.TRUNCATED

    def test_a_version_after_that_alone_takes_too_long_may_wait_for_ever(self, monkeypatch: pytest.MonkeyPatch) -> None:
        short, longer = (SLOW_IN_ONE_POLICY.replace("ROUNDS", rounds) for rounds in ("0", "5"))
        same = longer.replace("x[i] * 3 + round", "x[i] + 0").replace("x[i] * 5 - round", "x[i] - 0")
        assert isinstance(compared(short, same).verdict, Confirmed)
        most = max(one.before.warp_instructions for one in compared(short, short).figures)
        monkeypatch.setattr(pairs, "LONGEST_RUN", most + 1)
        found = compared(short, same).verdict
        assert isinstance(found, NotChecked)
        assert found.gap is Gap.TRUNCATED
