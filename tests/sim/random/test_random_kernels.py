"""Random kernels under all policies, with everything the analyses claim of them held against the run."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.claims.claim import Claim
from sim.policies.registry import POLICIES
from tests.sim.random.choices import Choices, Replayed, Seeded, shrunken
from tests.sim.random.fuzz import check
from tests.sim.random.kernels import random_kernel
from tests.sim.random.referee import referee

KERNELS_PER_TEST = 10
TESTS = 16


@pytest.mark.parametrize("part", range(TESTS))
def test_no_run_contradicts_the_analyses_and_no_policy_another(part: int) -> None:
    for seed in range(part * KERNELS_PER_TEST, (part + 1) * KERNELS_PER_TEST):
        text, _, findings = check(Seeded(seed))
        assert findings.failures == (), f"seed {seed}\n{text}"


@pytest.mark.parametrize("seed", range(12))
def test_all_policies_at_once(seed: int) -> None:
    kernel = random_kernel(Seeded(1000 + seed))
    findings = referee(kernel, Choices(Replayed([seed])), tuple(POLICIES))
    assert findings.failures == (), kernel.text


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 99), max_size=400))
def test_any_choices_make_a_kernel_without_faults(choices: list[int]) -> None:
    text, _, findings = check(choices)
    assert findings.failures == (), text


def test_the_generator_reaches_every_feature() -> None:
    """What the referee is there for occurs often enough to find something."""
    features: Counter[str] = Counter()
    for seed in range(400):
        features.update(random_kernel(Seeded(seed), has_numbers=seed % 2 == 1).features)
    rare = {name: count for name, count in features.items() if count < 4}
    assert rare == {}
    assert features.keys() >= FEATURES


FEATURES = {
    "1D block", "2D block", "3D block", "part of a warp", "warp of 4", "warp of 8", "warp of 32", "warp of 64",
    "switch", "ternary", "short circuit", "goto", "break", "continue", "return", "do", "while", "loop, uniform",
    "loop, varying", "function", "recursion", "struct", "array of structs", "vector", "local array", "cast", "division",
    "intrinsic", "shared", "dynamic shared", "shared atomics", "global atomics", "atomics with results",
    "barrier reduction", "shared memory of a warp", "shfl", "ballot", "any", "all", "match", "reduce", "syncwarp",
    "partial mask", "struct argument", "vector of bytes", "exchange in a function", "float", "double", "__half",
    "fused multiply-add", "comparison of numbers", "exchange of numbers", "vector of numbers",
}  # fmt: skip


def test_claims_of_every_kind_are_checked() -> None:
    """Some are rare: the first kernels hold them, others follow until all are seen."""
    of_groups = ("VALUE GRID", "VALUE BLOCK", "VALUE WARP", "USE WARP", "DECISION BLOCK", "DECISION WARP", "TRIPS GRID")
    convergent = ("CONVERGENCE GRID", "CONVERGENCE BLOCK", "CONVERGENCE WARP", "uniform branches")
    missing = {*of_groups, *convergent, *(claim.name for claim in Claim if claim is not Claim.OUTSIDE)}
    for seed in (3052, 3039, 3102, *range(4000, 4060)):
        missing -= (+check(Seeded(seed))[2].checked).keys()
        if not missing:
            break
    assert missing == set()


def test_the_same_choices_make_the_same_kernel() -> None:
    source = Seeded(5)
    kernel = random_kernel(source)
    assert random_kernel(Replayed(source.drawn)).text == kernel.text


def test_shrinking_keeps_what_fails() -> None:
    choices = list(range(50))
    assert shrunken(choices, lambda some: 33 in some and 7 in some, 500) == [7, 33]
