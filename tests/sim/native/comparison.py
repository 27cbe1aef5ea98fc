"""The same launch in the simulator and natively, and what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.index3 import Index3
from sim.kernel import Kernel
from sim.policies.protocol import PolicyFactory
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Argument, Array, Budget, LaunchSpecification, Scalar, Struct
from tests.sim.native.compiler import Unit
from tests.sim.native.program import NativeLaunch, NativeProgram, NativeResult, Value

_SHOWN: Final = 5


@final
@dataclass(frozen=True, slots=True)
class Case:
    """A kernel and a launch of it: `arguments` in the order of its parameters, `ulps` allowed by array (else 0).

    `shared` is the dynamic shared memory in bytes.  `variables` names those to compare, `set_variables` sets some.
    """

    unit: Unit
    arguments: Mapping[str, Value]
    grid: Index3 = (1, 1, 1)
    block: Index3 = (32, 1, 1)
    shared: int = 0
    ulps: Mapping[str, float] = field(default_factory=dict[str, float])
    set_variables: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    seconds: float = 60.0

    def native(self, *, backwards: bool = False) -> NativeLaunch:
        return NativeLaunch(self.unit.name, self.grid, self.block, self.arguments, self.set_variables, backwards)


def expected(program: NativeProgram, cases: Sequence[Case]) -> list[NativeResult]:
    """What native code computes; fails for a case that computes something else with its threads in reverse order.

    A kernel whose result depends on the order of its threads proves nothing about the simulator.
    """
    forwards, problems = in_both_orders(program, cases)
    assert problems == {}
    return forwards


def in_both_orders(
    program: NativeProgram, cases: Sequence[Case]
) -> tuple[list[NativeResult], dict[str, Sequence[str]]]:
    """The results with the first thread first, and by unit what differs when the last comes first."""
    forwards = program.run([case.native() for case in cases])
    backwards = program.run([case.native(backwards=True) for case in cases])
    problems = {
        case.unit.name: differences(case, one, other.arrays, other.variables, other.printed)
        for case, one, other in zip(cases, forwards, backwards, strict=True)
    }
    return forwards, {name: lines for name, lines in problems.items() if lines}


def simulated(case: Case, kernel: Kernel, policy: PolicyFactory) -> Result:
    launch = LaunchSpecification(
        grid=case.grid,
        block=case.block,
        arguments={name: _argument(value) for name, value in case.arguments.items()},
        variables={name: Array(value) for name, value in case.set_variables.items()},
        dynamic_shared_bytes=case.shared,
        budget=replace(Budget(), seconds=case.seconds),
    )
    return simulate(kernel, launch, policy)


def compare(case: Case, kernel: Kernel, policy: PolicyFactory, native: NativeResult) -> list[str]:
    """What the simulator does otherwise, as lines for people; faults count as well."""
    found = simulated(case, kernel, policy)
    problems = [f"fault {type(fault).__name__}: {fault}" for fault in found.faults[:_SHOWN]]
    if found.truncated is not None:
        problems.append(f"cut off: {found.truncated.reason.value}")
    variables = {name: _bytes(found.variables[name]) for name in native.variables}
    return problems + differences(case, native, found.arrays, variables, found.printed)


def differences(
    case: Case,
    native: NativeResult,
    arrays: Mapping[str, NDArray[Any]],
    variables: Mapping[str, NDArray[np.uint8]],
    printed: Sequence[str],
) -> list[str]:
    problems = [
        f"{name}: {line}"
        for name, wanted in native.arrays.items()
        for line in _different(wanted, arrays[name], case.ulps.get(name, 0))
    ]
    for name, wanted in native.variables.items():
        problems += [f"variable {name}: {line}" for line in _different(wanted, variables[name], 0)]
    if sorted(native.printed) != sorted(printed):
        problems.append(f"printed {sorted(printed)[:_SHOWN]}, natively {sorted(native.printed)[:_SHOWN]}")
    return problems


def _different(wanted: NDArray[Any], found: NDArray[Any], ulps: float) -> list[str]:
    wrong = ulps_between(wanted, found) > ulps if wanted.dtype.kind == "f" else wanted != found
    if not wrong.any():
        return []
    places = np.argwhere(wrong)
    shown = [f"[{', '.join(map(str, at))}] {found[tuple(at)]}, natively {wanted[tuple(at)]}" for at in places[:_SHOWN]]
    return [f"{len(places)} of {wanted.size} differ: {'; '.join(shown)}"]


def ulps_between(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """How many numbers of the format lie between; NaN equals NaN, and zeros of different signs are one apart."""
    order = [_ordered(value) for value in (left, right)]
    larger, smaller = np.maximum(*order).astype(np.uint64), np.minimum(*order).astype(np.uint64)
    distance = (larger - smaller).astype(np.float64)  # in whole numbers: doubles are too far from 0 for floats
    distance = np.where(order[0] == order[1], 0.0, np.maximum(distance, 1.0))
    nan = np.isnan(left), np.isnan(right)
    return np.where(nan[0] & nan[1], 0.0, np.where(nan[0] | nan[1], np.inf, distance))


def _ordered(value: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers in the order of the floats: -0.0 directly below 0.0."""
    size = value.dtype.itemsize
    bits = np.ascontiguousarray(value).view(f"i{size}").astype(np.int64)
    least = np.int64(-(2 ** (8 * size - 1)))
    with np.errstate(over="ignore"):
        return np.where(bits < 0, least - bits - 1, bits)


def _argument(value: Value) -> Argument:
    if isinstance(value, np.ndarray):
        return Array(value)
    if isinstance(value, np.void):
        assert value.dtype.names is not None
        return Struct({name: _argument(value[name].item()) for name in value.dtype.names})
    return Scalar(value)


def _bytes(value: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(value).reshape(-1).view(np.uint8)
