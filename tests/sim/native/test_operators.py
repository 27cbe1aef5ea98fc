"""Operators, comparisons, assignments and casts over all pairs of arithmetic types, against C++ and PTX."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from sim.policies.ipdom import Ipdom
from tests.sim.native.comparison import simulated
from tests.sim.native.compiler import compiled
from tests.sim.native.judged import of_sheet
from tests.sim.native.operators import TYPES, Scalar, Sheet, sheet
from tests.sim.native.program import NativeResult
from tests.sim.running import kernel_of


def _sheets() -> dict[str, Sheet]:
    random = np.random.default_rng(5)
    return {type.name: sheet(type, random) for type in TYPES}


_SHEETS: Final = _sheets()


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NativeResult]:
    cases = [one.case for one in _SHEETS.values()]
    program = compiled([case.unit for case in cases], tmp_path_factory.mktemp("operators"), ["-O0"])
    return dict(zip(_SHEETS, program.run([case.native() for case in cases]), strict=True))


@pytest.mark.parametrize("left", TYPES, ids=lambda type: type.name)
def test_operators_of(left: Scalar, native: dict[str, NativeResult]) -> None:
    one = _SHEETS[left.name]
    found = simulated(one.case, kernel_of(one.case.unit.text), Ipdom)
    assert (found.faults, found.truncated) == ((), None)
    assert list(of_sheet(one, native[left.name].arrays, found.arrays)) == []
