"""Random kernels, run thread by thread, must not contradict the analysis.  `fuzz.py` does the same for hours."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.ir.printer import print_function
from tests.divergence.fuzz import referee
from tests.support.evaluator import Grid, run
from tests.support.programs import random_kernel
from tests.support.referee import refute
from tests.support.textual import analyze

CASES = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@CASES
@given(st.integers(0, 2**32))
def test_structured_kernels_do_not_contradict_the_analysis(seed: int) -> None:
    random = Random(seed)
    function = random_kernel(random, structured=True)
    assert next(referee(function, random), None) is None, print_function(function)


@CASES
@given(st.integers(0, 2**32))
def test_arbitrary_flow_graphs_do_not_contradict_the_analysis(seed: int) -> None:
    random = Random(seed)
    function = random_kernel(random, structured=False)
    assert next(referee(function, random), None) is None, print_function(function)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_every_chain_of_reasons_ends_at_a_seed(seed: int) -> None:
    function = random_kernel(Random(seed), structured=seed % 2 == 0)
    control = ControlFlow.of(function)
    result = analyze_divergence(function, control, LaunchKnowledge(), DivergenceOptions())
    for block in control.order:
        chains = [(result.convergence(block), result.why_block(block))]
        items = (*function.blocks[block].phis, *function.blocks[block].instructions)
        values = [item.result for item in items if item.result is not None]
        chains += [(result.level(value), result.why(value)) for value in values]
        for level, chain in chains:
            assert bool(chain) == (level > Level.GRID)
            assert all(step.level >= level for step in chain)
            assert len({step.subject for step in chain}) == len(chain)


def test_the_referee_notices_a_wrong_claim() -> None:
    facts = analyze("""entry:
  %t: u32 = special thread.x
  %one: u32 = const 1
  %c: bool = lt %t, %one
  branch %c, then, join
then:
  jump join
join:
  %x: u32 = phi entry: %one, then: %t
  return""")
    grid = Grid((4, 1, 1), 1, 4)
    n, p = facts.named.values["n"], facts.named.values["p"]
    traces = run(facts.named.function, grid, {n: 1, p: ("p", 0)})
    assert list(refute(facts.result, grid, traces)) == []
    blind = analyze_divergence(
        facts.named.function, facts.named.control, LaunchKnowledge(warp_size=1024), DivergenceOptions()
    )
    blind._solver.level = [0] * len(blind._solver.level)  # pyright: ignore[reportPrivateUsage]
    claims = list(refute(blind, grid, traces))
    assert any("value" in claim for claim in claims)
    assert any("convergent" in claim for claim in claims)
