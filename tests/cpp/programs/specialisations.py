"""Class templates, their partial and full specialisations, aliases, variable templates, deduction guides."""

from __future__ import annotations

from tests.cpp.program import CppProgram
from tests.cpp.texts.read import lines_of
from tests.cpp.world import IDENTITIES, SCALARS, WORLD
from tests.sim.random.choices import Choices

_CHECKS = 5
_PATTERNS = (
    ("class T", "T *"),
    ("class T", "const T"),
    ("class T", "const T *"),
    ("class T", "T &"),
    ("class T", "T &&"),
    ("class T", "T *const"),
    ("class T", "T **"),
    ("class T", "Box<T>"),
    ("class T", "Box<T *>"),
    ("class T", "const Box<T>"),
    ("class T, int N", "Row<T, N>"),
    ("int N", "Row<int, N>"),
    ("class T", "Row<T, 2>"),
    ("class T, int N", "T[N]"),
    ("class T", "T[]"),
    ("class T, int N", "const T[N]"),
    ("template <class> class C, class T", "C<T>"),
    ("class R, class A", "R(A)"),
    ("class R, class... A", "R (*)(A...)"),
    ("", "int"),
    ("", "const int *"),
    ("", "Box<int>"),
    ("", "unsigned long"),
)
_PAIRS = (
    ("class T", "T, T"),
    ("class T", "T, int"),
    ("class T", "int, T"),
    ("class T, class U", "T *, U"),
    ("class T, class U", "T *, U *"),
    ("class T", "T *, T *"),
    ("class T, class U", "const T, U"),
    ("class T, class U", "Box<T>, U"),
    ("class T", "Box<T>, T"),
    ("", "int, int"),
)


def classes(choices: Choices) -> CppProgram:
    """Which specialisation is meant, and what it deduces."""
    return _checked(choices, "class T", _PATTERNS, 1)


def pairs(choices: Choices) -> CppProgram:
    """With two parameters, where the order of the specialisations matters."""
    return _checked(choices, "class T, class U = T", _PAIRS, 2)


def _checked(choices: Choices, parameters: str, patterns: tuple[tuple[str, str], ...], width: int) -> CppProgram:
    chosen = sorted({choices.pick(patterns) for _ in range(choices.between(1, 4))})
    primary = "static constexpr int value = 1; __device__ int m() const { return 2; }"
    declared = [f"template <{parameters}> struct A {{ {primary} }};"]
    for number, (given, pattern) in enumerate(chosen, 1):
        inside = "T" if "class T" in given else "int"
        declared.append(
            f"template <{given}> struct A<{pattern}> {{"
            f" static constexpr int value = {number} * 10000 + Id<{inside}>::value;"
            f" __device__ int m() const {{ return {number}; }} }};"
        )
    if choices.chance(2):
        declared.append(f"template <class T> using Alias = A<{', '.join(['const T', 'T *'][:width])}>;")
        declared.append(
            "template <class T> constexpr int shown = Alias<T>::value + 1; template <> constexpr int shown<char> = 77;"
        )
    checks: list[str] = []
    for _ in range(_CHECKS):
        types = ", ".join(_type(choices) for _ in range(width if not choices.chance(4) else 1))
        checks.append(
            choices.pick(
                (
                    f"A<{types}>::value",
                    f"A<{types}>().m()",
                    f"shown<{_type(choices)}>",
                    f"Alias<{_type(choices)}>::value",
                )
            )
            if len(declared) > len(chosen) + 1
            else f"A<{types}>::value"
        )
    return CppProgram([WORLD, IDENTITIES, *declared], [], checks)


def _type(choices: Choices) -> str:
    inner = choices.pick((*SCALARS, "Base", "int", "int"))
    match choices.below(9):
        case 0:
            return f"{inner} *"
        case 1:
            return f"const {inner} *"
        case 2:
            return f"const {inner}"
        case 3:
            return f"{inner} {choices.pick(('&', '&&', '*const', '**', 'const &'))}"
        case 4:
            return f"{choices.pick(('', 'const '))}Box<{inner}{choices.pick(('', ' *'))}>"
        case 5:
            return f"Row<{inner}, {choices.between(1, 3)}>"
        case 6:
            return f"{choices.pick(('', 'const '))}{inner}[{choices.pick(('', '2', '3'))}]"
        case 7:
            return (
                f"{inner} (*)({choices.pick(SCALARS)}, int)"
                if choices.chance(2)
                else f"{inner}({choices.pick(SCALARS)})"
            )
        case _:
            return inner


_GUIDES = lines_of("class_templates_with_guides")


def guides(choices: Choices) -> CppProgram:
    """Arguments of class templates deduced from initialisers."""
    declared = choices.pick(_GUIDES)
    identity = (
        "template <class T> struct Id<G<T>> { static constexpr int value = 5000 + Id<T>::value; };"
        if "class U" not in declared and "int N" not in declared
        else ""
    )
    names = ["a_int", "a_float", "a_long", "a_char", "a_pointer", "1", "2.5f", "'a'", "3u"]
    variables = [
        "int a_int = 1;",
        "float a_float = 2;",
        "const long a_long = 3;",
        "char a_char = 4;",
        "int *a_pointer = &a_int;",
    ]
    checks: list[str] = []
    for _ in range(_CHECKS):
        given = ", ".join(choices.pick(names) for _ in range(choices.between(1, 2)))
        open_, close = choices.pick(("()", "{}"))
        call = f"G{open_}{given}{close}"
        checks.append(
            f"Id<decltype({call}.v)>::value" if choices.chance(2) or not identity else f"Id<decltype({call})>::value"
        )
    return CppProgram([WORLD, IDENTITIES, declared, *([identity] if identity else [])], variables, checks)
