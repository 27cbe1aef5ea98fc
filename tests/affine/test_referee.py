"""Random kernels, run thread by thread, must not contradict the analysis.  `fuzz.py` does the same for hours."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.affine.atoms import Axis
from analysis.affine.interval import Interval
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import number
from analysis.affine.result import AffineResult
from tests.affine.fuzz import check_seed
from tests.affine.referee import refute
from tests.affine.support import PRELUDE, ROW, affine
from tests.support.evaluator import Grid, run

CASES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@CASES
@given(st.integers(0, 2**32))
def test_random_kernels_do_not_contradict_the_analysis(seed: int) -> None:
    check_seed(seed)


BODY = PRELUDE + "  %x: s32 = add %t, %n\n  return"


def claims_of(spoil: Callable[[AffineResult, int], None] | None) -> list[str]:
    facts = affine(BODY, ROW)
    value = facts.value("x")
    if spoil is not None:
        spoil(facts.result, value)
    grid = Grid((256, 1, 1), 1, 32)
    named = facts.facts.named
    traces = run(named.function, grid, {named.values["n"]: 3, named.values["p"]: ("p", 0)}, keep_states=True)
    return list(refute(facts.result, named.function, grid, traces))


def _wrong_coefficient(result: AffineResult, value: int) -> None:
    result._facts.forms[value] = LinearForm(32, number(3), ((Axis.THREAD_X, number(2)),))  # pyright: ignore[reportPrivateUsage]


def _wrong_base(result: AffineResult, value: int) -> None:
    result._facts.forms[value] = LinearForm(32, number(4), ((Axis.THREAD_X, number(1)),))  # pyright: ignore[reportPrivateUsage]


def _wrong_range(result: AffineResult, value: int) -> None:
    result._facts.ranges.intervals[value] = Interval(3, 200)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("spoil", [_wrong_coefficient, _wrong_base, _wrong_range])
def test_the_referee_notices_a_wrong_claim(spoil: Callable[[AffineResult, int], None]) -> None:
    assert claims_of(None) == []
    assert claims_of(spoil) != []
