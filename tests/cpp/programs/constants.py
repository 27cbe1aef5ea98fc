"""Constant expressions: functions with loops, arrays and objects that are evaluated while the program is compiled."""

from __future__ import annotations

from tests.cpp.program import CppProgram
from tests.cpp.programs import constant_functions
from tests.cpp.texts.read import one_line
from tests.cpp.world import WORLD
from tests.sim.random.choices import Choices

_CHECKS = 5
_TYPES = ("int", "unsigned", "long", "unsigned char", "short", "unsigned long long", "bool", "char")
_USES = (
    "Value<%s>::value",
    "sizeof(Bytes<%s>)",
    "chosen<(%s) % 3>()",
    "[] { constexpr auto x = %s; return int(x); }()",
    "[] { enum Local { FIRST = %s, NEXT }; return int(NEXT); }()",
    "[] { if constexpr (%s > 4) return 1; else return 2; }()",
    "[](int i) { switch (i) { case %s: return 5; case -99: return 6; default: return 7; } }(n)",
)
_HELPERS = one_line("constant_helpers")
_CLASSES = one_line("constant_classes")


def functions(choices: Choices) -> CppProgram:
    """Calls of `constexpr` functions where a constant is asked for."""
    declared = [_function(choices, index) for index in range(choices.between(1, 3))]
    checks: list[str] = []
    for _ in range(_CHECKS):
        call = f"c{choices.below(len(declared))}({choices.below(7)})"
        if choices.chance(3):
            call = f"({call} {choices.pick(('+', '-', '*', '^', '<<', '>>', '&', '%'))} {choices.between(1, 5)})"
        checks.append(choices.pick(_USES).replace("%s", call))
    return CppProgram([WORLD, _HELPERS, *declared], ["int n = 3;"], checks)


def objects(choices: Choices) -> CppProgram:
    """The same for functions over objects, references, pointers and lambdas."""
    count = choices.between(1, 2)
    declared = [constant_functions.function(choices, index) for index in range(count)]
    checks = [choices.pick(_USES).replace("%s", constant_functions.call(choices, count)) for _ in range(2)]
    return CppProgram([_HELPERS, _CLASSES, *declared], ["int n = 3;"], checks)


def _function(choices: Choices, index: int) -> str:
    """The last function may call those before it."""
    type_ = choices.pick(_TYPES)
    lines = [f"{type_} r = {choices.below(5)};"]
    lines += [_statement(choices, index, 2) for _ in range(choices.between(1, 3))]
    return f"__device__ constexpr {choices.pick(_TYPES)} c{index}(int n) {{ {' '.join(lines)} return r; }}"


def _statement(choices: Choices, index: int, depth: int) -> str:
    inner = _statement(choices, index, depth - 1) if depth else f"r += {_number(choices, index)};"
    match choices.below(11):
        case 0:
            return f"for (int i = 0; i < {choices.between(1, 4)}; i++) {{ {inner} r = r + i; }}"
        case 1:
            return f"int w{depth} = {choices.between(1, 4)}; while (w{depth}-- > 0) {{ {inner} if (r > 50) break; }}"
        case 2:
            return f"if (n % {choices.between(2, 3)} == 0) {{ {inner} }} else r ^= {choices.between(1, 7)};"
        case 3:
            return f"{{ int a[4] = {{{_number(choices, index)}, 2, n}}; for (int v : a) {{ r += v; }} {inner} }}"
        case 4:
            begin, by = choices.below(5), choices.between(1, 3)
            return f"{{ Point p{{n, {begin}}}; p.move({by}); {inner} r += (p + Point()).sum(); }}"
        case 5:
            begin, at = _number(choices, index), choices.below(6)
            return f"{{ Table t; t[n % 6] = {begin}; t[1] += 2; {inner} r += t[{at}] + t[1]; }}"
        case 6:
            return (
                f"switch (n) {{ case 1: r += 2; case 2: r *= 3; break; case 4: {{ {inner} }} break; default: r -= 1; }}"
            )
        case 7:
            return f"r {choices.pick(('+=', '-=', '^=', '|=', '='))} {_number(choices, index)};"
        case 8:
            return f"{{ auto g = [&](int x) {{ r += x; return x + 1; }}; r += g({_number(choices, index)}); }}"
        case 9:
            text = choices.pick(("abc", "simt", "x"))
            return f'{{ const char *s = "{text}"; int i = 0; while (s[i]) {{ r += s[i++] % 7; }} }}'
        case _:
            return f"do {{ {inner} r++; }} while (r % 4 != 0);"


def _number(choices: Choices, index: int) -> str:
    earlier = [f"c{choices.below(index)}(n)"] if index else []
    return choices.pick(("n", "n * 2", "1", "3", "(n << 1)", "(n - 5)", "7 / 2", "(n ? 4 : 5)", "-n / 2", *earlier))


def conditions(choices: Choices) -> CppProgram:
    """Arithmetic of `#if` over macros."""
    macros = [f"#define M{index} {_macro(choices, index)}" for index in range(choices.between(1, 4))]
    lines: list[str] = []
    names: list[str] = []
    for index in range(_CHECKS):
        condition = _condition(choices, len(macros), 2)
        lines.append(
            f"#if {condition}\nconstexpr int seen{index} = 1;\n"
            f"#elif defined(M{choices.below(6)}) && {_condition(choices, len(macros), 1)}\n"
            f"constexpr int seen{index} = 2;\n#else\nconstexpr int seen{index} = 3;\n#endif"
        )
        names.append(f"seen{index}")
    undo = "\n".join(f"#undef M{index}" for index in range(len(macros)))
    return CppProgram(["\n".join([*macros, *lines, undo])], [], names)


def _macro(choices: Choices, index: int) -> str:
    earlier = [f"(M{choices.below(index)} + 1)", f"M{choices.below(index)} * 2"] if index else []
    return choices.pick(("0", "1", "5", "0x10", "-3", "2 + 3", "(1 << 4)", "7u", "'a'", *earlier))


def _condition(choices: Choices, macros: int, depth: int) -> str:
    if depth == 0:
        return choices.pick(
            (f"M{choices.below(macros)}", f"defined M{choices.below(6)}", str(choices.below(9)), "UNKNOWN", "1u")
        )
    left, right = (_condition(choices, macros, depth - 1) for _ in range(2))
    operator = choices.pick(("+", "-", "*", "<", ">", "==", "!=", "&&", "||", "&", "|", "^", "<<", ">>", "<=", "?"))
    if operator == "?":
        return f"({left} ? {right} : {_condition(choices, macros, depth - 1)})"
    if operator in {"<<", ">>"}:
        right = str(choices.below(6))
    return f"({choices.pick(('', '', '!', '-', '~'))}{left} {operator} {right})"
