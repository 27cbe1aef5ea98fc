"""Random C++ programs in the simulator and as native code: what is computed otherwise, and what is not decided.

Where compilers of two makers are installed, they have to agree: what one refuses or computes otherwise proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, final

import pytest

from analysis.lower.program import Program
from analysis.pipeline import unit_of_text
from sim.policies.ipdom import Ipdom
from sim.refusals import Refusal
from tests.cpp.accepted import accepted, disputed
from tests.cpp.program import CppProgram
from tests.cpp.programs import (
    chosen_calls,
    constants,
    conversions,
    forms,
    lifetimes,
    member_pointers,
    overloads,
    specialisations,
    templates,
)
from tests.sim.native.comparison import Case, compare, differences
from tests.sim.native.compiler import compiled, compilers
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
    "chosen functions": chosen_calls.functions,
    "virtual functions": chosen_calls.virtual_functions,
    "member pointers": member_pointers.members,
    **{name.replace("_", " "): forms.of_text(name) for name in forms.TEXTS},
}

_UNDEFINED: Final = ("-fsanitize=shift,integer-divide-by-zero,float-cast-overflow", "-fno-sanitize-recover=all")
"""A program with undefined behaviour proves nothing: native code ends at it, and the program is dropped.

Only the first compiler looks for it: others are asked about what is left, and need no library for it.
"""

_ERROR_IN: Final = re.compile(r"^(\S+\.cu):\d+:(?:\d+:)? (?:fatal )?error:", re.MULTILINE)
"""Which program a compiler's message is about."""


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """`wrong`: what the simulator computes otherwise; `undecided`: why it refuses the program.

    `disputed`: compilers do not agree on the program, so it proves nothing and the simulator is not asked.
    """

    seed: int
    kind: str
    program: CppProgram
    wrong: Sequence[str] = ()
    undecided: str | None = None
    disputed: bool = False


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
    refused = disputed(kept)
    programs = {seed: one for seed, one in zip(seeds, kept, strict=True) if one is not None}
    cases = {
        seed: one.case(f"{seed}.cu")
        for index, (seed, one) in enumerate(zip(seeds, kept, strict=True))
        if one is not None and index not in refused
    }
    results = _agreed(cases, folder)
    for seed, program in programs.items():
        kind = made[seed][0]
        if seed in cases and seed not in results:
            continue
        result = results.get(seed)
        verdict = Verdict(seed, kind, program, disputed=result is None)
        yield verdict if result is None else _judged(verdict, cases[seed], result)


def _judged(verdict: Verdict, case: Case, result: NativeResult) -> Verdict:
    if _is_broken(case.unit.text):
        return replace(verdict, undecided="a syntax error")
    try:
        return replace(verdict, wrong=compare(case, kernel_of(case.unit.text), Ipdom, result))
    except Refusal as refusal:
        return replace(verdict, undecided=str(refusal))


def _agreed(cases: Mapping[int, Case], folder: Path) -> Mapping[int, NativeResult | None]:
    """What each case computes, None where another compiler's program computes otherwise; without what is undefined."""
    first, *others = compilers()
    found = _computed(list(cases.values()), folder / "first", first, _UNDEFINED)
    agreed = {seed: result for seed, result in zip(cases, found, strict=True) if result is not None}
    results: dict[int, NativeResult | None] = dict(agreed)
    for number, other in enumerate(others):
        again = _computed([cases[seed] for seed in agreed], folder / f"other_{number}", other)
        for (seed, one), two in zip(agreed.items(), again, strict=True):
            if two is None or differences(cases[seed], one, two.arrays, two.variables, two.printed):
                results[seed] = None
    return results


def _computed(
    cases: Sequence[Case], folder: Path, compiler: str, flags: Sequence[str] = ()
) -> Sequence[NativeResult | None]:
    """What each case computes natively; None for what cannot be compiled, though each of its lines is accepted."""
    try:
        native = compiled([case.unit for case in cases], folder, ["-std=c++20", "-O0", *flags], compiler)
    except pytest.fail.Exception as failure:
        named = set(_ERROR_IN.findall(str(failure)))
        kept = [case for case in cases if case.unit.name not in named]
        if len(kept) < len(cases):
            left = iter(_computed(kept, folder, compiler, flags) if kept else ())
            return [None if case.unit.name in named else next(left) for case in cases]
        if len(cases) == 1:
            return [None]
        half = len(cases) // 2
        return [
            *_computed(cases[:half], folder, compiler, flags),
            *_computed(cases[half:], folder, compiler, flags),
        ]
    return _results(native, cases)


def _results(native: NativeProgram, cases: Sequence[Case]) -> Sequence[NativeResult | None]:
    """What each case computes natively; None for those that do what is undefined, which ends the process."""
    try:
        return native.run([case.native() for case in cases])
    except NativeFailure:
        if len(cases) == 1:
            return [None]
        return [result for case in cases for result in _results(native, [case])]
