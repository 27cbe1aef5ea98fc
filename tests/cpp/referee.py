"""Random C++ programs in the simulator and as native code: what is computed otherwise, and what is not decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import pytest

from analysis.lower.program import Program
from analysis.pipeline import unit_of_text
from sim.policies.ipdom import Ipdom
from sim.refusals import Refusal
from tests.cpp.accepted import accepted
from tests.cpp.program import CppProgram
from tests.cpp.programs import constants, conversions, forms, lifetimes, overloads, specialisations, templates
from tests.sim.native.comparison import Case, compare
from tests.sim.native.compiler import compiled
from tests.sim.native.program import NativeFailure, NativeProgram, NativeResult
from tests.sim.random.choices import Choices, Seeded
from tests.sim.running import kernel_of

KINDS: Final[Mapping[str, Callable[[Choices], CppProgram]]] = {
    "free functions": overloads.free_functions,
    "methods": overloads.methods,
    "operators": overloads.operators,
    "expressions": conversions.expressions,
    "assignments": conversions.assignments,
    "references": conversions.references,
    "function templates": templates.functions,
    "packs": templates.packs,
    "class templates": specialisations.classes,
    "pairs of types": specialisations.pairs,
    "deduction guides": specialisations.guides,
    "constants": constants.functions,
    "constant objects": constants.objects,
    "conditions": constants.conditions,
    "lifetimes": lifetimes.objects,
    **{name.replace("_", " "): forms.of_text(name) for name in forms.TEXTS},
}

_UNDEFINED: Final = ("-fsanitize=shift,integer-divide-by-zero,float-cast-overflow", "-fno-sanitize-recover=all")
"""A program with undefined behaviour proves nothing: native code ends at it, and the program is dropped."""


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """`wrong`: what the simulator computes otherwise; `undecided`: why it refuses the program."""

    seed: int
    kind: str
    program: CppProgram
    wrong: Sequence[str] = ()
    undecided: str | None = None


def random_program(seed: int, kinds: Sequence[str] = tuple(KINDS)) -> tuple[str, CppProgram]:
    kind = kinds[seed % len(kinds)]
    return kind, KINDS[kind](Choices(Seeded(seed)))


def _is_broken(text: str) -> bool:
    """Whether some function cannot be parsed: then it is not analysed, and users are told so."""
    unit = unit_of_text(text)
    program = Program(unit)
    return any(program.snippet(item).root.has_error for item in unit.items if item.is_device)


def verdicts(seeds: Sequence[int], folder: Path, kinds: Sequence[str] = tuple(KINDS)) -> Iterator[Verdict]:
    """Of every program that the compiler accepts and that means something; all are compiled together."""
    made = {seed: random_program(seed, kinds) for seed in seeds}
    kept = accepted([program for _, program in made.values()])
    programs = {seed: program for seed, program in zip(seeds, kept, strict=True) if program is not None}
    cases = {seed: program.case(f"{seed}.cu") for seed, program in programs.items()}
    results = _computed(list(cases.values()), folder)
    for (seed, case), result in zip(cases.items(), results, strict=True):
        if result is None:
            continue
        kind, program = made[seed][0], programs[seed]
        if _is_broken(case.unit.text):
            yield Verdict(seed, kind, program, undecided="a syntax error")
            continue
        try:
            wrong = compare(case, kernel_of(case.unit.text), Ipdom, result)
        except Refusal as refusal:
            yield Verdict(seed, kind, program, undecided=str(refusal))
        else:
            yield Verdict(seed, kind, program, wrong)


def _computed(cases: Sequence[Case], folder: Path) -> Sequence[NativeResult | None]:
    """What each case computes natively; None for what cannot be compiled, though each of its lines is accepted."""
    try:
        native = compiled([case.unit for case in cases], folder, ["-std=c++20", "-O0", *_UNDEFINED])
    except pytest.fail.Exception:
        if len(cases) == 1:
            return [None]
        half = len(cases) // 2
        return [*_computed(cases[:half], folder), *_computed(cases[half:], folder)]
    return _results(native, cases)


def _results(native: NativeProgram, cases: Sequence[Case]) -> Sequence[NativeResult | None]:
    """What each case computes natively; None for those that do what is undefined, which ends the process."""
    try:
        return native.run([case.native() for case in cases])
    except NativeFailure:
        if len(cases) == 1:
            return [None]
        return [result for case in cases for result in _results(native, [case])]
