"""Types and values of expressions: promotions, the usual arithmetic conversions, casts, bit-fields, conditionals."""

from __future__ import annotations

from tests.cpp.program import CppProgram
from tests.cpp.programs.values import Values
from tests.cpp.world import CLASSES, ENUMERATIONS, IDENTITIES, SCALARS, WORLD
from tests.sim.random.choices import Choices

_CHECKS = 5
_FIELDS = (
    "struct Fields { int a : 3; unsigned b : 5; long c : 40; unsigned long d : 33; bool e : 1; unsigned char f : 8; };"
)
_BINARY = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "==", "!=", ">=", "&&", "||", ",")


def expressions(choices: Choices) -> CppProgram:
    """The type of an expression as a number, and its value."""
    values = Values(choices)
    checks: list[str] = []
    for _ in range(_CHECKS):
        text = _expression(choices, values, 2)
        kind = choices.below(4)
        if kind == 0:
            checks.append(f"Id<decltype({text})>::value")
        elif kind == 1:
            checks.append(f"Id<decltype(({text}))>::value")
        elif kind == 2:
            checks.append(f"sizeof({text})")
        else:
            checks.append(f"(long long)({text})")
    fields = "Fields fields; fields.a = -2; fields.b = 29; fields.c = -70000000000; fields.d = 8000000001ul; fields.e = true; fields.f = 250;"  # noqa: E501 -- one object
    return CppProgram([WORLD, IDENTITIES, _FIELDS], [fields, *values.variables], checks)


def assignments(choices: Choices) -> CppProgram:
    """What assignments store and yield, with conversions in both directions and lvalues of every kind."""
    values = Values(choices)
    checks: list[str] = []
    for _ in range(_CHECKS):
        left, right = _lvalue(choices, values), values.number()
        if left == right:
            right = "3"  # compilers differ about `(a = 2) += a`
        operator = choices.pick(("=", "+=", "-=", "*=", "<<=", ">>=", "|=", "^=", "&="))
        match choices.below(5):
            case 0:
                checks.append(f"({left} {operator} {right})")
            case 1:
                checks.append(f"(({left} = {values.number()}) {operator} {right}, {left})")
            case 2:
                checks.append(f"({choices.pick(('++', '--'))}{left} {choices.pick(('+', '*', '-'))} {right})")
            case 3:
                checks.append(f"(({left}{choices.pick(('++', '--'))}, {left}) = {right}, {left} + 1)")
            case _:
                checks.append(f"((n > {choices.below(3)} ? {left} : {left}) {operator} {right}, {left})")
    variables = ["int n = 2;", "Fields fields{};", "Pair pair{5, 6};", "int row[4] = {1, 2, 3, 4};", *values.variables]
    return CppProgram([WORLD, _FIELDS], variables, checks)


def _lvalue(choices: Choices, values: Values) -> str:
    match choices.below(6):
        case 0:
            return f"fields.{choices.pick('abcdef')}"
        case 1:
            return f"pair.{choices.pick(('first', 'second'))}"
        case 2:
            return f"row[{choices.below(4)}]"
        case 3:
            return f"*(row + {choices.below(4)})"
        case _:
            return values.variable(choices.pick(SCALARS))


def _expression(choices: Choices, values: Values, depth: int) -> str:
    if depth == 0 or choices.chance(5):
        return _operand(choices, values)
    match choices.below(8):
        case 0 | 1 | 2:
            left, right = (_expression(choices, values, depth - 1) for _ in range(2))
            return f"({left} {choices.pick(_BINARY)} {right})"
        case 3:
            return f"({choices.pick(('-', '+', '~', '!'))}{_expression(choices, values, depth - 1)})"
        case 4:
            cast = choices.pick(("(%s)", "static_cast<%s>")) % choices.pick(SCALARS)
            return f"{cast}({_expression(choices, values, depth - 1)})"
        case 5 | 6:
            condition, left, right = (_expression(choices, values, depth - 1) for _ in range(3))
            return f"({condition} ? {left} : {right})"
        case _:
            return f"(*&{values.variable(choices.pick(SCALARS), const=choices.chance(2))})"


def _operand(choices: Choices, values: Values) -> str:
    match choices.below(8):
        case 0:
            return f"fields.{choices.pick('abcdef')}"
        case 1:
            return values.variable(choices.pick(ENUMERATIONS), const=choices.chance(3))
        case 2:
            return values.pointer(choices.pick(("int", "Base", "Derived")), const=choices.chance(2))
        case 3:
            return choices.pick(("nullptr", "0", "PLAIN_B", "Scoped::B", "SMALL_A", "'x'", "sizeof(int)", "1.0f"))
        case 4:
            return values.variable(choices.pick(CLASSES), const=choices.chance(2))
        case _:
            return values.number()
