"""Which expressions are constant, and which values they have, by a compiler and by the machine."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from analysis.lower.constants import entity_constant
from analysis.lower.program import Program
from analysis.pipeline import unit_of_text
from tests.cpp.programs.constant_functions import call, function
from tests.cpp.texts.read import one_line
from tests.sim.native.compiler import compiler_path
from tests.sim.random.choices import Choices, Seeded

_CALLS: Final = 8
_CLASSES: Final = one_line("constant_classes")
_HEAD: Final = """
#include <cstdio>
#define __device__
template <class F, int = (F{}(), 0)> constexpr bool is_constant(F) { return true; }
constexpr bool is_constant(...) { return false; }
template <class F> void tell(int number, F f) {
  if constexpr (is_constant(F{})) { constexpr long long value = f(); printf("%d %lld\\n", number, value); }
}
"""


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """`expected` is None where the expression is no constant, `found` where that is what we say."""

    seed: int
    expression: str
    expected: int | None
    found: int | None
    functions: Sequence[str]


def differences(seeds: Sequence[int], folder: Path) -> tuple[int, list[Difference]]:
    """How many expressions there are, and those of which something else is said than the compiler does."""
    programs = {seed: _program(seed) for seed in seeds}
    expected = _compiled(programs, folder)
    found: list[Difference] = []
    for seed, (functions, calls) in programs.items():
        if seed not in expected:
            continue
        ours = _ours(functions, calls)
        for number, text in enumerate(calls):
            theirs = expected[seed].get(number)
            if theirs != ours[number]:
                found.append(Difference(seed, text, theirs, ours[number], functions))
    return sum(len(calls) for seed, (_, calls) in programs.items() if seed in expected), found


def _program(seed: int) -> tuple[list[str], list[str]]:
    choices = Choices(Seeded(seed))
    count = choices.between(1, 3)
    return [function(choices, index) for index in range(count)], [call(choices, count) for _ in range(_CALLS)]


def _ours(functions: Sequence[str], calls: Sequence[str]) -> list[int | None]:
    lines = [f"constexpr long long v{number} = (long long)({text});" for number, text in enumerate(calls)]
    program = Program(unit_of_text("\n".join([_CLASSES, *functions, *lines])))
    scope = program.namespace_scope(())
    known = [entity_constant(scope.find(f"v{number}")) for number in range(len(calls))]
    return [None if each is None else int(each.value) for each in known]


def _compiled(programs: dict[int, tuple[list[str], list[str]]], folder: Path) -> dict[int, dict[int, int]]:
    """By seed and number the value of what is constant; a program that is refused as a whole is left out."""
    compiler = compiler_path()
    assert compiler is not None
    known: dict[int, dict[int, int]] = {}
    for seed, (functions, calls) in programs.items():
        tells = [f"tell({number}, [] {{ return (long long)({text}); }});" for number, text in enumerate(calls)]
        text = "\n".join([_HEAD, _CLASSES, *functions, f"int main() {{ {' '.join(tells)} }}"])
        source, made = folder / f"{seed}.cpp", folder / f"{seed}"
        source.write_text(text)
        command = [str(compiler), "-std=c++20", "-w", "-O0", "-x", "c++", str(source), "-o", str(made)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            continue
        output = subprocess.run([str(made)], capture_output=True, check=True, text=True).stdout
        known[seed] = {int(number): int(value) for number, value in map(str.split, output.splitlines())}
    return known
