"""Built-in functions of the tables against independent implementations, on edge values and random ones."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.ir.types import FloatFormat, FloatType
from sim.policies.ipdom import Ipdom
from tests.sim.native.comparison import simulated, ulps_between
from tests.sim.native.compiler import compiled
from tests.sim.native.domains import UNDEFINED
from tests.sim.native.intrinsics import Batch, Function, batch, by_parameters, c_type, functions, inputs
from tests.sim.native.program import NativeResult
from tests.sim.native.tolerances import tolerance_of
from tests.sim.running import kernel_of

_COUNT: Final = 160
_SHOWN: Final = 3
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
    assert [line for f in one.functions for line in _different(one, f, native[name].arrays, found.arrays)] == []


def _different(one: Batch, function: Function, wanted: Any, found: Any) -> list[str]:
    columns: list[NDArray[Any]] = [one.case.arguments[name] for name in one.case.arguments if name.startswith("in_")]  # type: ignore
    lines: list[str] = []
    for at, type in enumerate(function.results):
        array, slot = one.places[function.name, at]
        rows = slice(slot * one.count, (slot + 1) * one.count)
        left, right = wanted[array][rows], found[array][rows]
        is_double = type == FloatType(FloatFormat.DOUBLE)
        tolerance = tolerance_of(function.name, is_double=is_double)
        if left.dtype.kind == "f":
            with np.errstate(all="ignore"):
                near = np.abs(left.astype(np.float64) - right.astype(np.float64)) <= tolerance.absolute
            wrong = (ulps_between(left, right) > tolerance.ulps) & ~near
        else:
            wrong = left != right
        if wrong.ndim > 1:
            wrong = wrong.any(axis=1)
        if function.name in UNDEFINED:
            wrong &= ~UNDEFINED[function.name](columns)
        for row in np.flatnonzero(wrong)[:_SHOWN]:
            arguments = ", ".join(str(column[row]) for column in columns)
            lines.append(f"{function.name}({arguments})[{at}] = {right[row]}, natively {left[row]}")
    return lines
