"""Random kernels, run thread by thread, must not contradict the grades.  `fuzz.py` does the same for hours."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.affine.analysis import analyze_affine
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from tests.support.evaluator import Grid, run
from tests.support.textual import analyze
from tests.verdict.fuzz import check_seed
from tests.verdict.referee import refute

CASES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@CASES
@given(st.integers(0, 2**32))
def test_random_kernels_do_not_contradict_the_grades(seed: int) -> None:
    check_seed(seed)


def claims_of(condition: str, believed: LaunchKnowledge, grid: Grid) -> list[str]:
    facts = analyze(
        f"entry:\n  %t: u32 = special thread.x\n  %c4: u32 = const 4\n{condition}\n  branch %c, then, join\n"
        "then:\n  jump join\njoin:\n  return",
        launch=believed,
    )
    named = facts.named
    traces = run(named.function, grid, {named.values["n"]: 3, named.values["p"]: ("p", 0)})
    affine = analyze_affine(named.function, named.control, facts.result)
    return list(refute(named.function, named.control, facts.result, affine, grid, traces))


def test_the_referee_notices_wrong_claims() -> None:
    """The analysis believes in another launch than the one that runs."""
    grid = Grid((8, 1, 1), 1, 4)
    right, wider = LaunchKnowledge((BlockShape(8),), warp_size=4), LaunchKnowledge((BlockShape(16),), warp_size=4)
    odd = "  %b: u32 = and %t, %c4\n  %c1: u32 = const 1\n  %o: u32 = and %t, %c1\n  %c: bool = eq %o, %b"
    below = "  %c: bool = lt %t, %c4"
    assert claims_of(odd, right, grid) == claims_of(below, right, grid) == []
    assert "1 warps split" in claims_of(odd, wider, grid)[0]
    assert claims_of(below, right, Grid((8, 1, 1), 1, 3)) != []
