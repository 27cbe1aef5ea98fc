"""Programs written as forms: a declaration and uses of it, with holes that are filled at random.

Holes   `%T` and `%U` are two scalar types of a program, `%u` is `%U` as part of a variable's name, `%I` is an integer
        type; `%1` to `%3` are numbers of it.  New each time are `%t` (a scalar type), `%i` (an integer type), `%n` (a
        digit), `%b` (a truth value), `%l` (a literal), `%v` (a number), `%o` (any argument), `%p` (a pointer), `%s`
        (one to four numbers), `%k` (so many digits), `%xT` and `%xU` (a variable of that type).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from tests.cpp.program import CppProgram
from tests.cpp.programs.values import Values
from tests.cpp.texts.read import lines_of, one_line
from tests.cpp.world import IDENTITIES, LITERALS, SCALARS, WORLD
from tests.sim.random.choices import Choices

TEXTS: Final = (
    "value_arguments",
    "explicit_specialisations",
    "class_members",
    "member_templates",
    "alias_templates",
    "constraints",
    "expansions",
    "lambdas_and_bindings",
    "traced_objects",
    "function_addresses",
)
_CHECKS: Final = 5
_CONCEPTS: Final = one_line("number_concepts")
_HOLE: Final = re.compile(r"%x%?[TU]|%[TUuI123tinblvopsk]")
_VARIABLE: Final = re.compile(rf"\b(a|const)_({'|'.join(one.replace(' ', '_') for one in SCALARS)})\b")
_INTEGERS: Final = tuple(one for one in SCALARS if one not in ("bool", "float", "double"))


def of_text(name: str) -> Callable[[Choices], CppProgram]:
    """The generator whose forms are the lines of that text."""
    return partial(_program, lines_of(name))


def _program(lines: tuple[str, ...], choices: Choices) -> CppProgram:
    declared, _, uses = choices.pick(lines).partition("  // ")
    assert uses, f"no uses stand behind {declared}"
    values = Values(choices)
    fixed = {
        "%T": choices.pick(SCALARS),
        "%U": choices.pick(SCALARS),
        "%I": choices.pick(_INTEGERS),
        **{f"%{number}": str(choices.between(1, 9)) for number in (1, 2, 3)},
    }
    fixed["%u"] = fixed["%U"].replace(" ", "_")

    def filled(hole: re.Match[str]) -> str:
        return _filled(hole[0], fixed, choices, values)

    declaration = _HOLE.sub(filled, declared)
    forms = uses.split(" | ")
    checks = [_HOLE.sub(filled, choices.pick(forms).strip()) for _ in range(_CHECKS)]
    for kind, name in _VARIABLE.findall(" ".join(checks)):
        values.variable(name.replace("_", " "), const=kind == "const")
    return CppProgram([WORLD, IDENTITIES, _CONCEPTS, declaration], values.variables, checks)


def _filled(hole: str, fixed: dict[str, str], choices: Choices, values: Values) -> str:
    if hole in fixed:
        return fixed[hole]
    match hole[1]:
        case "x":
            return values.variable(fixed[f"%{hole[-1]}"])
        case "t":
            return choices.pick(SCALARS)
        case "i":
            return choices.pick(_INTEGERS)
        case "n":
            return str(choices.below(10))
        case "b":
            return choices.pick(("true", "false", "1", "0", "(2 > 1)", "!true"))
        case "l":
            return choices.pick(LITERALS[:8])
        case "v":
            return values.number()
        case "o":
            return values.any()
        case "p":
            return values.pointer(choices.pick((*SCALARS, "Base")), const=choices.chance(3))
        case "s":
            return ", ".join(values.number() for _ in range(choices.between(1, 4)))
        case _:
            return ", ".join(str(choices.below(10)) for _ in range(choices.between(1, 4)))
