"""Which arms of a branch had a thread, and did a warp split?"""

from __future__ import annotations

import numpy as np
import pytest

from sim.observers.arms import ArmAnswer, ArmObserver
from tests.sim.running import run


def arms_of(body: str, keyword: str = "if") -> ArmAnswer:
    """Of the branches with the first such keyword in the text, run by two warps."""
    text = f"__global__ void k(int *x) {{ int i = threadIdx.x; {body} }}"
    start = text.find(keyword, text.index("__global__")) - text.index("__global__")
    observer = ArmObserver(lambda function, span: function.startswith("k(") and span.start == start)
    run(text, {"x": np.zeros(64, np.int32)}, block=64, observers=[observer])
    return observer.answer()


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("if (i % 2) x[i] = 1; else x[i] = 2;", ArmAnswer(2, 2, 2, 2)),
        ("if (i < 32) x[i] = 1; else x[i] = 2;", ArmAnswer(2, 2, 2, 0)),
        ("if (i < 64) x[i] = 1; else x[i] = 2;", ArmAnswer(2, 1, 2, 0)),
        ("if (i < 8) x[i] = 1;", ArmAnswer(2, 2, 2, 1)),
        ("if (i % 2 == 0 && x[i] == 0) x[i] = 1; else x[i] = 2;", ArmAnswer(2, 2, 4, 2)),
        ("if (i < 16 && x[i] == 7) x[i] = 1; else x[i] = 2;", ArmAnswer(2, 1, 3, 1)),
        ("x[i] = 3;", ArmAnswer()),
    ],
)
def test_arms_of_an_if(body: str, answer: ArmAnswer) -> None:
    assert arms_of(body) == answer
    assert arms_of(body).is_exercised == (answer.reached == 2 and answer.diverged > 0)


def test_every_case_of_a_switch_is_an_arm_and_a_default_that_is_not_there_is_none() -> None:
    body = "switch (i % {}) {{ case 0: x[i] = 1; break; case 1: x[i] = 2; break; case 2: x[i] = 3; }}"
    assert arms_of(body.format(3), "switch") == ArmAnswer(3, 3, 2, 2)
    found = arms_of(body.format(2), "switch")
    assert (found.arms, found.reached, found.is_exercised) == (3, 2, False)


def test_of_inlined_copies_the_best_counts() -> None:
    text = """\
__device__ void f(int *x, bool c) { if (c) x[0] = 1; else x[0] = 2; }
__global__ void k(int *x) { f(x, true); f(x, threadIdx.x % 2); f(x, false); }
"""
    start = text.index("if")
    observer = ArmObserver(lambda function, span: span.frame != 0 and span.start == start)
    run(text, {"x": np.zeros(64, np.int32)}, block=32, observers=[observer])
    assert observer.answer() == ArmAnswer(2, 2, 1, 1)
