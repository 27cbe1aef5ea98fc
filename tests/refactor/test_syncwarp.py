"""`__syncwarp()` where section 5.2 puts it: markers in the text say where, and where not and why."""

from __future__ import annotations

import re
from typing import Final

import pytest

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.edit import apply_replacements
from analysis.refactor.syncwarp import CALL, SyncPlacement, WhyNot, may_reconverge, place_syncwarps
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.equivalence.checked_edit import Change, check_edit
from sim.equivalence.model import Confirmed, Goal
from sim.specification import Budget

REASONS: Final = {"braces": WhyNot.NO_BRACES, "together": WhyNot.NOT_TOGETHER, "callers": WhyNot.CALLERS}


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def placed(text: str) -> tuple[SyncPlacement, str]:
    """The placement in the last function of the file, and the text with it."""
    analysis = analyzed(text.encode())
    placement = place_syncwarps(analysis, analysis.facts.functions[-1], analyzed)
    return placement, apply_replacements(text.encode(), placement.edit).decode()


def check_placement(marked: str) -> None:
    """`@` stands where a barrier is inserted, in the text after the edit; `//! braces` in a line where one is not."""
    text = re.sub(r"(?:\n *| )@", "", re.sub(r" *//!.*", "", marked))
    placement, after = placed(text)
    assert after == re.sub(r" *//!.*", "", marked).replace("@", CALL)
    wanted = [
        (number, REASONS[match[1]])
        for number, line in enumerate(re.sub(r"\n *@", "", marked).splitlines())
        if (match := re.search(r"//! (\w+)", line))
    ]
    assert [(text.encode().count(b"\n", 0, one.keyword), one.reason) for one in placement.withheld] == wanted


KERNEL: Final = """__global__ void k(float *x, const float *y, int n) {
  int t = threadIdx.x;
  float v = y[t];
BODY
  x[blockIdx.x * blockDim.x + t] = v;
}
void host(float *x, float *y, int n) { k<<<2, 64>>>(x, y, n); }
"""

BODIES: Final = {
    "if": "  if (v > 0.5f) {\n    v += y[t ^ 1];\n  }\n  @",
    "if with else": "  if (v > 0.5f) {\n    v += y[t ^ 1];\n  } else {\n    v -= y[t ^ 2];\n  }\n  @",
    "a ladder has one end": (
        "  if (v > 0.7f) {\n    v += y[t ^ 1];\n  } else if (v > 0.3f) {\n    v -= y[t ^ 2];\n  } else {\n"
        "    v = y[t ^ 3];\n  }\n  @"
    ),
    "loop": "  for (int i = 0; i < t % 7; i++) {\n    v += y[i];\n  }\n  @",
    "while": "  while (v > 0.5f) v -= y[0] + 0.25f;\n  @",
    "no braces of its own": "  if (v > 0.5f) v += y[t ^ 1];  // some lanes\n  @",
    "switch": "  switch (t % 3) {\n    case 0: v += y[1]; break;\n    case 1: v -= y[2]; break;\n  }\n  @",
    "uniform": "  if (n > 3) {\n    v += y[t ^ 1];\n  }",
    "whole warps": "  if (t < 32) {\n    v += y[t ^ 1];\n  }",
    "in uniform code": "  if (n > 3) {\n    if (v > 0.5f) v += y[t ^ 1];\n    @\n    v *= 2;\n  }",
    "in the same line": "  if (v > 0.5f) { v += y[t ^ 1]; } @ v *= 2;",
    "a loop's body": "  for (int i = 0; i < 3; i++) {\n    if (v > 0.5f) v += y[i];\n    @\n  }",
    "in divergent code": (
        "  if (v > 0.5f) {\n    if (v > 0.7f) v += y[t ^ 1];  //! together\n    v += y[t ^ 2];\n  }\n  @"
    ),
    "lanes that left a round": (
        "  for (int i = 0; i < 3; i++) {\n    if (v > 0.5f) continue;  //! together\n    v += y[i];\n  }"
    ),
    "no braces around": "  if (n > 3)\n    if (v > 0.5f) v += y[t ^ 1];  //! braces",
    "lanes that return": "  if (v > 0.5f) return;  //! together",
    "a barrier is there": "  if (v > 0.5f) v += y[t ^ 1];\n  __syncwarp();",
    "all wait there": "  if (v > 0.5f) v += y[t ^ 1];\n  __syncthreads();",
}


@pytest.mark.parametrize("name", BODIES)
def test_placement(name: str) -> None:
    check_placement(KERNEL.replace("BODY", BODIES[name]))


@pytest.mark.parametrize("name", BODIES)
def test_what_is_offered_without_a_proof_is_what_is_proven(name: str) -> None:
    text = re.sub(r"(?:\n *| )@", "", re.sub(r" *//!.*", "", KERNEL.replace("BODY", BODIES[name])))
    analysis = analyzed(text.encode())
    function = analysis.facts.functions[-1]
    keywords = [function.start + branch.keyword.start for branch in function.branches]
    offered = {keyword for keyword in keywords if may_reconverge(analysis, function, keyword)}
    assert offered == {point.keyword for point in placed(text)[0].points}


def test_nothing_is_offered_to_callers_that_are_not_known() -> None:
    text = b"__device__ float f(float v, const float *x) {\n  if (v > 1) v += x[threadIdx.x];\n  return v;\n}\n"
    analysis = analyzed(text)
    (function,) = analysis.facts.functions
    assert not may_reconverge(analysis, function, function.start + function.branches[0].keyword.start)


def test_nothing_is_inserted_behind_the_last_statement() -> None:
    check_placement("__global__ void k(float *x) {\n  if (x[threadIdx.x] > 1) {\n    x[threadIdx.x] = 0;\n  }\n}\n")


def test_callers_that_are_not_known_may_call_with_some_lanes() -> None:
    check_placement(
        "__device__ float f(float v, const float *x) {\n"
        "  if (v > 1) v += x[threadIdx.x];  //! callers\n  return v;\n}\n"
    )


@pytest.mark.parametrize("name", ["if with else", "loop", "switch", "a loop's body", "in divergent code"])
def test_the_kernel_does_the_same_under_every_policy_and_all_lanes_come(name: str) -> None:
    text = re.sub(r"(?:\n *| )@", "", re.sub(r" *//!.*", "", KERNEL.replace("BODY", BODIES[name])))
    placement, after = placed(text)
    assert CALL in after
    analysis = analyzed(text.encode())
    change = Change(analysis.facts.functions[-1], placement.edit, Goal.SAME_RESULTS)
    checked = check_edit(analysis, change, analyzed, budget=Budget(seconds=30.0))
    assert isinstance(checked.verdict, Confirmed)
    assert check(analyzed(after.encode()), RuleSettings(select=frozenset({"WRP"}))) == ()
