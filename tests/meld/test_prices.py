"""The price of a function is what a run of it issues, where the indices of the threads decide everything."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.meld.attempt import Attempt, best_attempt
from analysis.meld.draft import FlowDraft
from analysis.meld.facts import MeldFacts, draft_of, meld_facts
from analysis.meld.meld import meld_function
from analysis.meld.pricing import passing_lanes, price, saving, total_price
from analysis.meld.sample_warps import GROUPS
from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.meld.tidy import tidy
from benchmarks.melding.counts import Counts, count_run
from sim.kernel import Kernel, kernel_from_source
from sim.specification import Array, LaunchSpecification

SHAPE = BlockShape(48, 4)
"""Rows of one warp and a half."""
KNOWN = LaunchKnowledge((SHAPE,))
WARPS = SHAPE.threads // 32

DECIDED = [
    "p[t] = 1;",
    "if (x & 1) p[t] = q[t] * 3; else p[t] = q[t] + 7;",
    "if (y == 0) p[t] = q[t]; else p[t] = q[t] * 5;",
    "if (x < 40) { if (y & 1) p[t] = q[t]; else p[t] = q[t] * 5; }",
    "if (x < 16 && y < 2) p[t] = q[t]; else p[t] = q[t] * 5;",
    "if (x < 16 || y == 3) p[t] = q[t] + 1; else if (x > 20) p[t] = q[t] * 5; else p[t] = 2;",
    "bool odd = y & 1; bool low = odd ? x < 16 : x > 40; if (low) p[t] = q[t]; else q[t] = p[t] * 5;",
]

ARMS_WITH_BRANCHES = [
    "if (x & 1) { if (x < 8) p[t] = q[t] * 3; } else { if (x > 40) p[t] = q[t] * 5; }",
    "if (x & 1) { if (y == 0) p[t] = q[t] * 3; } else { if (y == 1) p[t] = q[t] * 5; }",
    "if (x & 1) { if (y == 0) p[t] = q[t]; else p[t] = 3; } else { if (y == 1) p[t] = q[t] * 5; else p[t] = 1; }",
    "if (x & 1) { if (y == 0) p[t] = q[t] * 3; } else p[t] = q[t] * 5;",
    "if (x < 16) { if (x < 8) p[t] = q[t] * 3; } else { if (x > 40) p[t] = q[t] * 5; }",
    "if (y == 2) { if (x & 1) p[t] = q[t] * 3; } else { if (x & 2) p[t] = q[t] * 5; }",
]


def kernel(body: str) -> Kernel:
    head = "int x = threadIdx.x, y = threadIdx.y, t = y * 48 + x;"
    return kernel_from_source(f"__global__ void k(int *p, int *q) {{ {head} {body} }}", "k")


def run(kernel: Kernel) -> Counts:
    arrays = {name: Array(np.arange(256, dtype=np.int32)) for name in "pq"}
    return count_run(kernel, LaunchSpecification((1, 1, 1), (SHAPE.x, SHAPE.y, 1), arrays))


def issued(draft: FlowDraft, facts: MeldFacts) -> float:
    """By the whole block."""
    return fmean(price(draft, facts).instructions) * WARPS


@pytest.mark.parametrize("body", [*DECIDED, *ARMS_WITH_BRANCHES])
def test_the_price_is_what_is_issued(body: str) -> None:
    given = kernel(body)
    facts = meld_facts(given.function, KNOWN)
    draft = draft_of(facts)
    tidy(draft)
    counts = run(replace(given, function=draft.finish()[0]))
    assert issued(draft, facts) == pytest.approx(counts.issued)
    assert fmean(price(draft, facts).slots) * WARPS == pytest.approx(counts.slots)


@pytest.mark.parametrize("body", ARMS_WITH_BRANCHES)
def test_what_is_melded_answers_for_each_lane_as_its_own_arm_did(body: str) -> None:
    given = kernel(body)
    facts = meld_facts(given.function, KNOWN)
    draft = draft_of(facts)
    outermost = next(block for block in draft.order() if draft.blocks[block].is_divergent or body.startswith("if (y"))
    settings = MeldSettings(MeldMethod.DARM, threshold=0.0)
    attempt = best_attempt(draft, outermost, total_price(draft, facts), facts, settings)
    assert isinstance(attempt, Attempt)
    counts = run(replace(given, function=attempt.draft.finish()[0]))
    assert issued(attempt.draft, facts) == pytest.approx(counts.issued)
    assert attempt.instructions.mean == pytest.approx(attempt.instructions.certain), "nothing was drawn"


def test_a_branch_at_which_no_warp_parts_saves_nothing() -> None:
    text = "if (x < n) { p[t] = q[t] * 3; q[t] = p[t + 1]; } else { p[t] = q[t] * 5; q[t] = p[t + 2]; }"
    parts = kernel(text.replace("n", "16")).function
    agrees = kernel(text.replace("n", "32")).function
    launch = LaunchKnowledge((BlockShape(64),))
    assert meld_function(parts, launch=launch).melded
    assert not meld_function(agrees, launch=launch).melded
    assert not meld_function(agrees).melded, "a bounds check splits few warps"


def test_what_hangs_on_a_condition_of_the_warp_is_not_certain() -> None:
    text = "int n = q[blockIdx.x]; if (x & 1) p[t] = q[t] + n; else if (n > 3) p[t] = q[n] + t;"
    function = kernel(text).function
    assert not meld_function(function).melded
    assert meld_function(function, MeldSettings(MeldMethod.DARM)).melded


def test_how_often_loops_run_is_known_after_they_were_melded() -> None:
    loop = "for (int i = {0}; i < {0} + 100; i++) {{ if (q[i] > t) p[i] += q[i + {0}]; else p[i] -= q[i - {0}]; }}"
    text = f"if (x & 1) {loop.format(3)} else {loop.format(5)}"
    given = kernel(text)
    result = meld_function(given.function, MeldSettings(MeldMethod.DARM), KNOWN)
    assert len(result.melded) > 1, "the loops, then the branch in the melded loop"
    assert result.rounds > 1
    before, after = run(given), run(replace(given, function=result.function))
    assert 1 - result.issue_slots[1] / result.issue_slots[0] == pytest.approx(1 - after.slots / before.slots, abs=0.1)


def test_all_lanes_pass_a_loop_and_what_follows_it() -> None:
    text = "for (int i = 0; i < 9; i++) { p[t] += q[i]; if (p[t] == 7) break; } q[t] = 1;"
    facts = meld_facts(kernel(text).function, KNOWN)
    draft = draft_of(facts)
    after = [block for block in draft.order() if draft.blocks[block].rounds == 1]
    lanes = passing_lanes(draft, facts)
    assert {lanes[block] for block in after} == {facts.warps.everyone}


def test_a_saving_that_differs_from_draw_to_draw_is_less_certain() -> None:
    even, odd = (2.0,) * GROUPS, (1.0, 3.0) * (GROUPS // 2)
    assert (saving(even, (1.0,) * GROUPS).mean, saving(even, (1.0,) * GROUPS).certain) == (1.0, 1.0)
    assert saving(odd, (1.0,) * GROUPS).mean == 1.0
    assert saving(odd, (1.0,) * GROUPS).certain < 0.5
