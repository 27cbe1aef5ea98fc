"""Does a melded text compile, and does native code compute the same before and after?

Many pairs of texts go into one program.  No warp intrinsic occurs in a text whose warps are not of 32 lanes, the width
that native code knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from sim.specification import Array, LaunchSpecification, Scalar
from tests.meld.random.names import NAME
from tests.sim.native.comparison import Case, differences
from tests.sim.native.compiler import SANITIZED, Unit, compiled
from tests.sim.native.program import Value


@final
@dataclass(frozen=True, slots=True)
class NativePair:
    """Two versions of the kernel that was made from `seed`."""

    seed: int
    before: str
    after: str
    launch: LaunchSpecification


def native_differences(
    pairs: Sequence[NativePair], folder: Path, *, sanitized: bool = False
) -> Iterator[tuple[int, str]]:
    """What the second version of each pair computes differently, with the seed.

    `sanitized`: both also run with checks for undefined behaviour, which raise `NativeFailure`.  What they compute then
    is not compared: with these checks g++ 12 evaluates `i / n` in `(c ? p : q)[i / n]` only where `c` holds.
    """
    cases = [_case(pair, number, text) for number, pair in enumerate(pairs) for text in (pair.before, pair.after)]
    units, launches = [case.unit for case in cases], [case.native() for case in cases]
    if sanitized:
        compiled(units, folder, SANITIZED).run(launches)
    results = compiled(units, folder).run(launches)
    for number, pair in enumerate(pairs):
        before, after = results[2 * number : 2 * number + 2]
        for line in differences(cases[2 * number], before, after.arrays, after.variables, after.printed):
            yield pair.seed, f"native code computes something else: {line}"


def _case(pair: NativePair, number: int, text: str) -> Case:
    arguments: dict[str, Value] = {}
    for name, argument in pair.launch.arguments.items():
        match argument:
            case Array(data=data):
                arguments[name] = data
            case Scalar(value=value):
                arguments[name] = value
            case _:
                raise AssertionError(argument)
    side = "before" if text is pair.before else "after"
    unit = Unit(f"seed_{pair.seed}_{number}_{side}.cu", text, NAME)
    return Case(unit, arguments, pair.launch.grid, pair.launch.block)
