"""Sets of overloaded functions, methods and operators, and calls that choose among them (C++20, [over.match.best])."""

from __future__ import annotations

from typing import Final

from tests.cpp.program import CppProgram
from tests.cpp.programs.values import Values
from tests.cpp.world import CLASSES, ENUMERATIONS, IDENTITIES, SCALARS, WORLD
from tests.sim.random.choices import Choices

_CALLS: Final = 6


def free_functions(choices: Choices) -> CppProgram:
    """Functions of one or two parameters, some of them templates."""
    width = 1 + choices.chance(3)
    signatures = {", ".join(_parameter(choices) for _ in range(width)) for _ in range(choices.between(2, 5))}
    declared = [f"__device__ int f({one}) {{ return {number}; }}" for number, one in enumerate(sorted(signatures), 1)]
    templates = {_template(choices, width) for _ in range(choices.below(3))}
    declared += [
        f"template <class T> __device__ int f({one}) {{ return {10 * number} * 1000 + Id<T>::value; }}"
        for number, one in enumerate(sorted(templates), 1)
    ]
    values = Values(choices)
    calls = [f"f({', '.join(values.any() for _ in range(width))})" for _ in range(_CALLS)]
    return CppProgram([WORLD, IDENTITIES, *declared], values.variables, calls)


def methods(choices: Choices) -> CppProgram:
    """Methods of a class and of its base: hidden, brought in, qualified, for constant objects and for temporaries."""
    own, inherited = choices.below(3), choices.below(3)
    lines = [f"  __device__ {one}" for one in _methods(choices, 10, own)]
    base = [f"  __device__ {one}" for one in _methods(choices, 20, inherited)]
    # Compilers differ about what is hidden where only one of two methods says `&` or `&&`.
    using = "  using Root::f;" if choices.chance(2) and bool(own) == bool(inherited) else ""
    declared = [
        f"struct Root {{ {' '.join(base)} }};",
        f"struct Leaf : Root {{ {using} {' '.join(lines)} }};",
    ]
    values = Values(choices)
    objects = ("leaf", "constant", "Leaf()", "static_cast<Leaf &&>(leaf)", "(&leaf)->", "constant_root")
    calls: list[str] = []
    for _ in range(_CALLS):
        one = choices.pick(objects)
        dot = "" if one.endswith("->") else "."
        qualified = choices.pick(("", "", "", "Root::", "Leaf::"))
        calls.append(f"{one}{dot}{qualified}f({values.any()})")
    return CppProgram(
        [WORLD, *declared],
        ["Leaf leaf;", "const Leaf constant{};", "const Root constant_root{};", *values.variables],
        calls,
    )


def operators(choices: Choices) -> CppProgram:
    """Operators as functions and as methods beside those that are built in."""
    operator = choices.pick(("+", "-", "*", "==", "<", "<<", "&&", ","))
    sides = {(choices.pick(CLASSES), _parameter(choices)) for _ in range(choices.between(1, 4))}
    declared = [
        f"__device__ int operator{operator}(const {left} &, {right}) {{ return {100 + number}; }}"
        for number, (left, right) in enumerate(sorted(sides))
    ]
    method = f"struct Own {{ int v = 6; __device__ int operator{operator}({_parameter(choices)}) const {{ return 200; }} __device__ operator double() const {{ return 1.5; }} }};"  # noqa: E501 -- one declaration
    values = Values(choices)
    lefts = [*(left for left, _ in sorted(sides)), "Own"]
    calls: list[str] = []
    for _ in range(_CALLS):
        left = choices.pick(lefts)
        one = "own" if left == "Own" else values.variable(left, const=choices.chance(3))
        calls.append(f"({one} {operator} {values.any()})")
    return CppProgram([WORLD, *declared, method], ["Own own;", *values.variables], calls)


def _methods(choices: Choices, first: int, kind: int) -> list[str]:
    """All of them say `&` or `&&` (`kind` 0), or none does."""
    after = ("", "const", "&", "&&", "const &")
    signatures = {
        (_parameter(choices), choices.pick(after[:2] if kind else after[2:])) for _ in range(choices.between(1, 3))
    }
    return [
        f"int f({given}) {end} {{ return {first + index}; }}" for index, (given, end) in enumerate(sorted(signatures))
    ]


def _parameter(choices: Choices) -> str:
    """The type of a parameter; more often a fundamental type than not."""
    match choices.below(8):
        case 0 | 1 | 2:
            return choices.pick(SCALARS)
        case 3:
            return choices.pick((*CLASSES, *ENUMERATIONS))
        case 4:
            return f"const {choices.pick((*SCALARS, *CLASSES))} &"
        case 5:
            return f"{choices.pick((*SCALARS, *CLASSES))} {choices.pick(('&', '&&'))}"
        case 6:
            return f"{choices.pick(('', 'const '))}{choices.pick((*SCALARS, *CLASSES[:4], 'void'))} *"
        case _:
            return choices.pick(("const void *", "bool", "decltype(nullptr)", "...", "Base", "const Base &"))


def _template(choices: Choices, width: int) -> str:
    shapes = ("T", "T &", "const T &", "T &&", "T *", "const T *", "Box<T>", "T (&)[2]", "T[]")
    if width == 1:
        return choices.pick(shapes)
    return choices.pick(
        (
            f"{choices.pick(shapes)}, {choices.pick(('T', 'int', 'const T &', 'T *'))}",
            "T, T",
            "const T &, const T &",
            "T, ...",
        )
    )
