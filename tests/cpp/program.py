"""One random C++ program in device code: what it declares, and checks whose numbers a C++ compiler's program knows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from tests.sim.native.comparison import Case
from tests.sim.native.compiler import Unit

_HEAD: Final = "__global__ void k(int *out) {\n"


@final
@dataclass(frozen=True, slots=True)
class CppProgram:
    """`declarations` stand before the kernel, `variables` at its start; each check is an expression of integer type.

    `numbers` is how many results a program without checks writes itself: a trace that its last variable begins.
    """

    declarations: Sequence[str]
    variables: Sequence[str]
    checks: Sequence[str]
    numbers: int = 0

    def without(self, checks: Collection[int]) -> CppProgram:
        return replace(self, checks=[check for index, check in enumerate(self.checks) if index not in checks])

    @property
    def first_check(self) -> int:
        """The number of the piece that the first check is."""
        return len(self.declarations) + 1 + len(self.variables)

    def pieces(self) -> list[str]:
        """The text in parts: each declaration, the head of the kernel, each variable, each check, the end."""
        checks = [f"  out[{index}] = int({check});\n" for index, check in enumerate(self.checks)]
        variables = [f"  {variable}\n" for variable in self.variables]
        return [*(f"{one}\n" for one in self.declarations), _HEAD, *variables, *checks, "}\n"]

    @property
    def text(self) -> str:
        return "".join(self.pieces())

    def case(self, name: str) -> Case:
        """One thread runs it."""
        out = np.full(len(self.checks) + self.numbers, -77, np.int32)
        return Case(Unit(name, self.text), {"out": out}, block=(1, 1, 1))
