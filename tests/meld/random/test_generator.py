"""The generator of kernels with divergent regions, before anything is melded."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.policies.registry import POLICIES
from sim.simulate import simulate
from tests.meld.random.kernels import RandomKernel, random_kernel
from tests.meld.random.tree import Feature
from tests.sim.random.choices import Replayed, Seeded
from tests.sim.running import kernel_of


def agree(random: RandomKernel, policies: tuple[str, ...]) -> bool:
    """Whether the kernel runs without faults under all of them, and leaves the same memory."""
    kernel = kernel_of(random.text, warp_size=random.launch.warp_size)
    results = [simulate(kernel, random.launch, POLICIES[name]) for name in policies]
    assert [str(fault) for result in results for fault in result.faults] == []
    assert all(result.truncated is None for result in results)
    return len({result.memory_digest for result in results}) == 1


@pytest.mark.parametrize("seed", range(24))
def test_no_schedule_changes_a_result(seed: int) -> None:
    policies = tuple(POLICIES)
    kernel = random_kernel(Seeded(seed))
    assert agree(kernel, (policies[seed % len(policies)], policies[(seed + 3) % len(policies)])), kernel.text


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 99), max_size=600))
def test_any_choices_make_a_kernel_without_faults(choices: list[int]) -> None:
    kernel = random_kernel(Replayed(choices))
    assert agree(kernel, ("ipdom",)), kernel.text


def test_the_same_choices_make_the_same_kernel() -> None:
    source = Seeded(5)
    kernel = random_kernel(source)
    assert random_kernel(Replayed(source.drawn)).text == kernel.text


def test_the_generator_reaches_every_feature() -> None:
    features: Counter[str] = Counter()
    for seed in range(400):
        features.update(random_kernel(Seeded(seed)).features)
    assert features.keys() >= FEATURES | {feature.name.lower() for feature in Feature}
    assert {name: count for name, count in features.items() if count < 4} == {}


FEATURES = {
    "barrier in uniform code",
    "CRLF", "add", "assign", "branch in a branch", "branch in a loop", "break", "call", "call_by_pointer", "cast",
    "cell", "chain", "chosen", "comma", "continue", "count", "declaration as condition", "declare", "do", "element",
    "else if", "empty", "exchange in an arm", "for", "guarded access", "guarded division", "if", "lanes of an arm",
    "macro", "member", "null pointer", "number", "number_store", "one arm", "own_atomic", "return",
    "short circuit", "side effect in a condition", "store", "swap", "switch", "switch over arms", "ternary", "tile",
    "tiles", "tiles change hands", "total", "volatile", "while", "warp of 4", "warp of 8", "warp of 32", "warp of 64",
}  # fmt: skip
