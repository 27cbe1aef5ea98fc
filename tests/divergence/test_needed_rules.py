"""Rules that look as if others covered them: for each a kernel that a run refutes as soon as the rule is dropped.

Expected levels are checked as well, so the kernels are not merely called varying for another reason.
"""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.divergence.solver import Solver
from tests.divergence.test_control_rules import LOOP_WITH_VARYING_TRIPS, SETUP
from tests.support.evaluator import Grid, run
from tests.support.referee import refute
from tests.support.textual import Facts, analyze

TEMPORAL = "_spread_loop"
IRREDUCIBLE = "_raise_cycle"

LEAVES_IN_ITS_OWN_ITERATION = f"""{SETUP}
  branch %uniform, head, side
head:
  %i: s32 = phi entry: %zero, latch: %next
  jump side
side:
  %j: s32 = phi entry: %zero, head: %i
  %next: s32 = add %j, %one
  %stay: bool = lt %j, %t
  branch %stay, latch, middle
latch:
  jump head
middle:
  %first: bool = lt %j, %one
  branch %first, left, other
other:
  %again: bool = lt %n, %zero
  branch %again, latch, right
left:
  jump end
right:
  jump end
end:
  %x: s32 = phi left: %zero, right: %one
  return"""
"""All threads agree on `first` in each iteration, and their ways out never part at one branch: who stays at `side`
comes back to it.  In a natural loop the threads that stay would be followed to its exits."""

ENTERED_APART = f"""{SETUP}
  branch %varies, head, side
head:
  branch %uniform, after, side
side:
  jump head
after:
  return"""
"""No branch of the cycle varies, yet who enters at `side` comes to `head` one iteration later."""


def do_nothing(*_: object) -> None:
    """What a dropped rule does."""


def refutations(facts: Facts) -> list[str]:
    """Of four threads, for an argument on either side of what the kernels compare it with."""
    function, values = facts.named.function, facts.named.values
    grid = Grid((4, 1, 1), 1, 4)
    arguments = [{values["n"]: n, values["p"]: ("p", 0)} for n in (1, 3)]
    return [claim for given in arguments for claim in refute(facts.result, grid, run(function, grid, given))]


@pytest.mark.parametrize(
    ("rule", "text", "refuted"),
    [
        (TEMPORAL, LOOP_WITH_VARYING_TRIPS, "value"),
        (IRREDUCIBLE, LEAVES_IN_ITS_OWN_ITERATION, "value"),
        (IRREDUCIBLE, ENTERED_APART, "trips"),
    ],
)
def test_without_the_rule_a_run_refutes_the_analysis(
    rule: str, text: str, refuted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refutations(analyze(text)) == []
    monkeypatch.setattr(Solver, rule, do_nothing)
    assert any(claim.startswith(refuted) for claim in refutations(analyze(text)))


def test_ways_out_of_an_irreducible_cycle_in_different_iterations_make_a_phi_behind_it_vary() -> None:
    facts = analyze(LEAVES_IN_ITS_OWN_ITERATION)
    assert facts.decision("side") is Level.VARYING
    assert facts.level("x") is Level.VARYING
    assert facts.convergence("end") is Level.GRID


def test_an_irreducible_cycle_that_threads_enter_apart_has_no_common_trip_count() -> None:
    facts = analyze(ENTERED_APART)
    (cycle,) = facts.result.control.cycles
    assert facts.decision("head") is Level.GRID
    assert facts.result.loop_level(cycle) is Level.VARYING
    assert facts.convergence("after") is Level.GRID
