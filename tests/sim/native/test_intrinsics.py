"""Built-in functions of the tables against independent implementations, on edge values and random ones."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from sim.policies.ipdom import Ipdom
from tests.sim.native.comparison import simulated
from tests.sim.native.compiler import compiled
from tests.sim.native.intrinsics import Batch, batch, by_parameters, c_type, functions, inputs
from tests.sim.native.judged import of_function
from tests.sim.native.program import NativeResult
from tests.sim.running import kernel_of

_COUNT: Final = 160
_ORDERED: Final = ("jn", "jnf")
"""Of an integer order and a number: far orders are slow, and the recurrences are the same."""


def _batches() -> dict[str, Batch]:
    random = np.random.default_rng(11)
    groups = by_parameters(functions())
    made: dict[str, Batch] = {}
    for number, group in enumerate(groups):
        name = f"{number}: {', '.join(c_type(type) for type in group[0].parameters)}"
        is_ordered = group[0].name in _ORDERED
        columns = inputs(group[0].parameters, 48 if is_ordered else _COUNT, random)
        if is_ordered:
            columns[0] = columns[0] % 4
        made[name] = batch(name, group, columns)
    return made


_BATCHES: Final = _batches()


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NativeResult]:
    cases = [one.case for one in _BATCHES.values()]
    program = compiled([case.unit for case in cases], tmp_path_factory.mktemp("intrinsics"))
    return dict(zip(_BATCHES, program.run([case.native() for case in cases]), strict=True))


@pytest.mark.parametrize("name", _BATCHES)
def test_built_in_functions(name: str, native: dict[str, NativeResult]) -> None:
    one = _BATCHES[name]
    found = simulated(one.case, kernel_of(one.case.unit.text), Ipdom)
    assert (found.faults, found.truncated) == ((), None)
    assert [line for f in one.functions for line in of_function(one, f, native[name].arrays, found.arrays)] == []
