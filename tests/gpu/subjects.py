"""What is held against a GPU: cases, and for each a judgement of what the GPU computed.

random       kernels of `tests/sim/random`, every other one with floating-point arithmetic: equal bit by bit
kernels      the hand-written kernels of `tests/sim/native`: within the ulps that each allows
operators    all operators over all pairs of types: equal bit by bit, but for integers that are divided by zero
branches     (`branches.py`) which branches of random kernels split a warp
intrinsics   all builtin functions with a numeric meaning: within what CUDA promises for each
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from sim.policies.ipdom import Ipdom
from tests.gpu.launch import GpuResult
from tests.sim.native.cases import hand_written
from tests.sim.native.comparison import Case, differences, simulated
from tests.sim.native.intrinsics import Function, batch, by_parameters, functions, inputs
from tests.sim.native.judged import of_function, of_sheet
from tests.sim.native.operators import TYPES, Sheet, sheet
from tests.sim.native.program import NativeResult
from tests.sim.native.random_cases import random_case
from tests.sim.running import kernel_of

Arrays = Mapping[str, NDArray[Any]]
_ROWS: Final = 512
_HALFWAY: Final = ("16777217.0f", "float(16777217)")
"""A literal between two floats: nvcc takes the one further from zero, C++ lets it, and we take the even one."""
_APPROXIMATE: Final = re.compile(r"__(exp|exp10|log|log2|log10|sin|cos|tan|tanh|pow|sincos)f|h2?tanh_approx")
"""Hardware computes these by table: how far off they are depends on the argument, not on ulps."""
_WITHOUT_DEVICE_CODE: Final = ("standard_library",)
"""Kernels that use classes of the host's library, which nvcc refuses."""
_NOT_ON_GPUS: Final = {
    **dict.fromkeys(("jn", "jnf"), "NaN for tiny numbers on the GPU, where the limit is 0"),
    "__fns": "an offset of INT_MIN gives 0 on the GPU",
}


@final
@dataclass(frozen=True, slots=True)
class Subject:
    """Cases of one file; `judge` says, of the case of that number, what the simulator's arrays have otherwise."""

    name: str
    cases: Sequence[Case]
    judge: Callable[[int, GpuResult, Arrays], Iterator[str]]
    without: Callable[[Collection[str]], Subject] | None = None
    """The same without functions of these names."""

    def problems(self, number: int, result: GpuResult) -> Iterator[str]:
        """Simulates the case and compares."""
        case = self.cases[number]
        if result.problem is not None:
            yield f"{case.unit.name}: {result.problem}"
            return
        found = simulated(case, kernel_of(case.unit.text, case.unit.kernel), Ipdom)
        yield from (f"{case.unit.name}: {fault}" for fault in found.faults)
        yield from self.judge(number, result, found.arrays)


def exact(name: str, cases: Sequence[Case]) -> Subject:
    """Arrays are equal, within the ulps that a case allows."""

    def judge(number: int, result: GpuResult, found: Arrays) -> Iterator[str]:
        case = cases[number]
        wanted = NativeResult(result.arrays, {}, ())
        yield from (f"{case.unit.name}: {line}" for line in differences(case, wanted, found, {}, ()))

    return Subject(name, cases, judge)


def random_kernels(seeds: Sequence[int], together: int = 50) -> Iterator[Subject]:
    for start in range(0, len(seeds), together):
        cases = [random_case(seed) for seed in seeds[start : start + together]]
        units = [replace(case.unit, text=case.unit.text.replace(*_HALFWAY)) for case in cases]
        yield exact(
            f"random_{seeds[start]}", [replace(case, unit=unit) for case, unit in zip(cases, units, strict=True)]
        )


def hand_written_kernels() -> Iterator[Subject]:
    for case in hand_written():
        if case.unit.kernel not in _WITHOUT_DEVICE_CODE:
            yield exact(case.unit.kernel, [case])


def operators() -> Iterator[Subject]:
    random = np.random.default_rng(5)
    for number, type in enumerate(TYPES):
        yield _of_sheet(f"operators_{number}", sheet(type, random))


def _of_sheet(name: str, one: Sheet) -> Subject:
    def judge(_: int, result: GpuResult, found: Arrays) -> Iterator[str]:
        yield from of_sheet(one, result.arrays, found, divides_by_zero=False)

    return Subject(name, [one.case], judge)


def intrinsics() -> Iterator[Subject]:
    random = np.random.default_rng(11)
    for number, group in enumerate(by_parameters(functions())):
        is_ordered = group[0].name in ("jn", "jnf")
        columns = inputs(group[0].parameters, 48 if is_ordered else _ROWS, random)
        if is_ordered:
            columns[0] = columns[0] % 4
        yield _of_batch(f"intrinsics_{number}", group, columns)


def _of_batch(name: str, group: Sequence[Function], columns: Sequence[NDArray[Any]]) -> Subject:
    if not group:
        return exact(name, [])
    one = batch(f"{name}.cu", group, columns)

    def without(names: Collection[str]) -> Subject:
        return _of_batch(name, [function for function in group if function.name not in names], columns)

    def judge(_: int, result: GpuResult, found: Arrays) -> Iterator[str]:
        for function in one.functions:
            if not _APPROXIMATE.fullmatch(function.name) and function.name not in _NOT_ON_GPUS:
                yield from of_function(one, function, result.arrays, found, both_may_err=True)

    return Subject(name, [one.case], judge, without)


SUBJECTS: Final[Mapping[str, Callable[[], Iterator[Subject]]]] = {
    "kernels": hand_written_kernels,
    "operators": operators,
    "intrinsics": intrinsics,
}
