"""Conditions that decide in several blocks: their arms meld as those of one branch, and compute the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.instructions import Branch, Store
from analysis.ir.verifier import verify
from analysis.meld.meld import meld_function
from analysis.meld.model import MeldObstacle
from analysis.meld.settings import MeldMethod, MeldSettings
from benchmarks.melding.counts import count_run
from sim.kernel import Kernel, kernel_from_source
from sim.specification import Array, LaunchSpecification

KNOWN = LaunchKnowledge((BlockShape(64),))
ARMS = "{ q[t] = p[t] * 3; r[t] = p[t + 1]; } else { q[t] = p[t] * 5; r[t] = p[t + 2]; }"

CONDITIONS = [
    "p[t] > 40 && p[t + 1] > 60",
    "p[t] > 40 || p[t + 1] > 60",
    "!(p[t] > 40 && p[t + 1] > 60)",
    "(p[t] > 40 && p[t + 1] > 60) || p[t + 2] == 7",
    "p[t] > 40 && (p[t + 1] > 60 || p[t + 2] == 7)",
    "p[t] > 40 && !(p[t + 1] > 60)",
    "p[t] > 40 || !(p[t + 1] > 60 || p[t + 2] > 9)",
    "p[t] > 40 ? p[t + 1] > 60 : p[t + 2] > 9",
    "(v = p[t]) > 40 && (v = p[v]) > 60",
]


def kernel(body: str) -> Kernel:
    head = "int t = threadIdx.x, v = 0;"
    return kernel_from_source(f"__global__ void k(const int *p, int *q, int *r) {{ {head} {body} }}", "k")


def launch() -> LaunchSpecification:
    numbers = np.random.default_rng(1).integers(0, 100, 128).astype(np.int32)
    arrays = {"p": Array(numbers), "q": Array(np.zeros(128, np.int32)), "r": Array(np.zeros(128, np.int32))}
    return LaunchSpecification((1, 1, 1), (64, 1, 1), arrays)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("method", [MeldMethod.DARM, MeldMethod.BEST, MeldMethod.LINEAR])
def test_the_arms_of_a_short_circuit_become_one(condition: str, method: MeldMethod) -> None:
    given = kernel(f"if ({condition}) {ARMS} q[t] += v;")
    result = meld_function(given.function, MeldSettings(method), KNOWN)
    assert verify(result.function) == ()
    before, after = count_run(given, launch()), count_run(replace(given, function=result.function), launch())
    assert after.memory == before.memory
    if method is not MeldMethod.LINEAR:
        assert result.melded
        stores = [item for _, item in result.function.instructions() if isinstance(item, Store)]
        assert len(stores) == 3, "two of the arms, and one behind them"
        assert after.issued < before.issued


@pytest.mark.parametrize("condition", CONDITIONS[:4])
def test_an_if_alone_has_one_arm_whatever_its_condition(condition: str) -> None:
    result = meld_function(kernel(f"if ({condition}) q[t] = p[t] * 3;").function, launch=KNOWN)
    assert result.refused[0].obstacle is MeldObstacle.ONE_ARM


def test_what_is_not_melded_gets_no_landing() -> None:
    given = kernel("if (p[t] > 4 && p[t + 1] > 60) q[t] = p[t] * 3; else r[t + 5] = v / 7;")
    result = meld_function(given.function, MeldSettings(MeldMethod.DARM, threshold=0.5), KNOWN)
    assert not result.melded
    assert result.function is given.function


def test_arms_that_share_code_behind_the_decision_are_refused() -> None:
    text = """
      if (p[t] & 1) { q[t] = p[t] * 3; if (p[t] > 50) goto both; r[t] = 1; }
      else { q[t] = p[t] * 5; if (p[t] > 60) goto both; r[t] = 2; }
      goto end; both: r[t] = p[t] + 7; end: q[t] += 1;"""
    result = meld_function(kernel(text).function, MeldSettings(MeldMethod.DARM), KNOWN)
    assert MeldObstacle.SHARED_CODE in {one.obstacle for one in result.refused}
    assert any(isinstance(block.terminator, Branch) for block in result.function.blocks)
