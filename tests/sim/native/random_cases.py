"""Kernels of the random generator as cases for the comparison with native code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.specification import Array, Scalar
from tests.sim.native.comparison import Case, compare, in_both_orders
from tests.sim.native.compiler import SANITIZED, Unit, compiled
from tests.sim.native.program import Value
from tests.sim.random.choices import Seeded
from tests.sim.random.kernels import NAME, random_kernel
from tests.sim.running import kernel_of

WARP_SIZE: Final = 32
"""Native code knows warps of this width alone."""


def random_case(seed: int) -> Case:
    """The kernel that the generator makes from `seed`; every other has floating-point arithmetic."""
    made = random_kernel(Seeded(seed), warp_size=WARP_SIZE, has_numbers=seed % 2 == 1)
    arguments: dict[str, Value] = {}
    for name, argument in made.launch.arguments.items():
        match argument:
            case Array(data=data):
                arguments[name] = data
            case Scalar(value=value):
                arguments[name] = value
            case _:
                raise AssertionError(argument)
    unit = Unit(f"random_{seed}.cu", made.text, NAME)
    return Case(unit, arguments, made.launch.grid, made.launch.block, made.launch.dynamic_shared_bytes)


def problems(
    seeds: Sequence[int], folder: Path, policies: int, *, sanitized: bool = False
) -> Iterator[tuple[int, str]]:
    """What differs, by seed: all kernels in one program, each under the next `policies` of the eight."""
    cases = [random_case(seed) for seed in seeds]
    program = compiled([case.unit for case in cases], folder, SANITIZED if sanitized else ())
    natives, unordered = in_both_orders(program, cases)
    for seed, case, native in zip(seeds, cases, natives, strict=True):
        for line in unordered.get(case.unit.name, ()):
            yield seed, f"the order of threads matters: {line}"
        kernel = kernel_of(case.unit.text, NAME)
        for policy in _some(seed, policies):
            for line in compare(case, kernel, policy, native):
                yield seed, f"{policy.name}: {line}"


def _some(seed: int, count: int) -> list[PolicyFactory]:
    everyone = list(POLICIES.values())
    return [everyone[(seed + index) % len(everyone)] for index in range(count)]
