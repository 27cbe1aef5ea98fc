"""No condition is asked again where its answer is known."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.ir.function import Function
from analysis.ir.instructions import Branch
from analysis.ir.verifier import verify
from analysis.meld.facts import draft_of, meld_facts
from analysis.meld.tidy import tidy
from tests.support.cuda import inlined

BRANCHES = [
    ("if (a) { if (a) p[t] = 1; else p[t] = 2; }", 1),
    ("if (a) p[t] = 1; else { if (a) p[t] = 2; else p[t] = 3; }", 1),
    ("bool no = !a; if (a) p[t] = 1; else { if (no) p[t] = 2; else p[t] = 3; }", 1),
    ("bool both = a && b; if (both) { if (b) p[t] = 1; else p[t] = 2; }", 1),
    ("bool one = a || b; if (one) p[t] = 1; else { if (b) p[t] = 2; else p[t] = 3; }", 1),
    ("if (a) { for (int i = 0; i < n; i++) { if (a) p[i] = 1; else p[i] = 2; } }", 2),
    # A part of an `and` that fails can hold or not; so can one of an `or` that holds.
    ("bool both = a && b; if (both) p[t] = 1; else { if (b) p[t] = 2; else p[t] = 3; }", 2),
    ("bool one = a || b; if (one) { if (b) p[t] = 1; else p[t] = 2; }", 2),
    # Where the ways meet, nothing is known any more.
    ("if (a) p[t] = 1; p[n] = 4; if (a) p[t] = 2;", 2),
    # The condition is another one in each iteration.
    ("for (int i = 0; i < n; i++) { if (p[i] > 0) q[i] = 1; }", 2),
]


def tidied(body: str) -> Function:
    text = f"""__global__ void k(int *p, int *q, int n) {{
      const int t = threadIdx.x; const bool a = t > n; const bool b = t < 2 * n; {body} }}"""
    draft = draft_of(meld_facts(inlined(text), LaunchKnowledge()), frozenset())
    tidy(draft)
    function, _ = draft.finish()
    assert verify(function) == ()
    return function


@pytest.mark.parametrize(("body", "expected"), BRANCHES)
def test_a_branch_stays_only_where_its_condition_is_open(body: str, expected: int) -> None:
    assert sum(isinstance(block.terminator, Branch) for block in tidied(body).blocks) == expected
