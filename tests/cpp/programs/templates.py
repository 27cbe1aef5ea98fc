"""Function templates: deduction, explicit arguments, partial ordering, packs, constraints, defaults."""

from __future__ import annotations

from tests.cpp.program import CppProgram
from tests.cpp.programs.values import Values
from tests.cpp.texts.read import lines_of, one_line
from tests.cpp.world import CLASSES, IDENTITIES, SCALARS, WORLD
from tests.sim.random.choices import Choices

_CHECKS = 5
_CONCEPTS = one_line("number_concepts")

_SHAPES = lines_of("function_templates")


def functions(choices: Choices) -> CppProgram:
    """A set of templates and functions of one name."""
    shapes = {choices.pick(_SHAPES) for _ in range(choices.between(1, 4))}
    declared = [shape % number for number, shape in enumerate(sorted(shapes), 1)]
    values = Values(choices)
    checks: list[str] = []
    for _ in range(_CHECKS):
        explicit = f"<{choices.pick((*SCALARS, 'Base', ''))}>" if choices.chance(4) else ""
        count = choices.pick((1, 1, 1, 2, 0, 3))
        checks.append(f"f{explicit}({', '.join(_argument(choices, values) for _ in range(count))})")
    return CppProgram([WORLD, IDENTITIES, _CONCEPTS, *declared], values.variables, checks)


def _argument(choices: Choices, values: Values) -> str:
    if not choices.chance(3):
        return values.any()
    type_ = choices.pick(("int", "float", "Base", "long"))
    return choices.pick(
        (
            f"Box<{type_}>{{}}",
            f"Row<{type_}, {choices.between(1, 3)}>{{}}",
            values.array(type_, choices.between(2, 3)),
            values.variable(choices.pick(CLASSES)),
        )
    )


_FOLDS = lines_of("packs")


def packs(choices: Choices) -> CppProgram:
    """Packs expanded in calls, lists, folds and arguments of templates."""
    declared, _, call = choices.pick(_FOLDS).partition("  // ")
    numbers = "Numbers" in call or "Sequence" in call
    values = Values(choices)
    checks: list[str] = []
    for _ in range(_CHECKS):
        count = choices.between(1, 4)
        given = [str(choices.between(1, 9)) if numbers else values.number() for _ in range(count)]
        checks.append(call.replace("%s", ", ".join(given)))
    return CppProgram([WORLD, declared], values.variables, checks)
