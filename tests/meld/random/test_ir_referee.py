"""The referee of melding on the intermediate representation finds what is planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from analysis.ir.function import Function
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from tests.meld.random.ir_referee import IrMelded, judge_ir
from tests.meld.random.planted import ARMS, LAUNCH, RIGHT, WRONG, kernel_with
from tests.meld.random.runs import FIRST_POLICY
from tests.sim.running import kernel_of


def planted(after: Function) -> Sequence[str]:
    """What the referee says where melding makes `after` of the kernel."""

    def melder(function: Function, settings: MeldSettings) -> IrMelded:
        return IrMelded(after, 1, Counter(), 0.1)

    kernel = kernel_of(kernel_with(ARMS))
    return judge_ir(kernel, LAUNCH, (DEFAULT_MELD_SETTINGS,), (FIRST_POLICY,), melder).failures


def test_a_right_function_is_accepted() -> None:
    assert planted(kernel_of(kernel_with(RIGHT)).function) == []


@pytest.mark.parametrize("defect", WRONG)
def test_a_planted_defect_is_found(defect: str) -> None:
    text, expected = WRONG[defect]
    failures = planted(kernel_of(kernel_with(text)).function)
    assert failures
    assert failures[0].startswith(expected), failures


def test_a_function_that_does_not_verify_is_found() -> None:
    function = kernel_of(kernel_with(RIGHT)).function
    entry, *others = function.blocks
    broken = replace(function, blocks=(replace(entry, instructions=entry.instructions[1:]), *others))
    assert planted(broken)[0].startswith("not verified")
