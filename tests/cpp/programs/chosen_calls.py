"""Calls that are chosen at run time: through pointers to functions, and of virtual functions.

What decides is read from memory (`n`), so that nothing of it is known before the program runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tests.cpp.program import CppProgram
from tests.sim.random.choices import Choices

_N: Final = "int n = out[0] + 80;"
"""3, as the results are before anything is written."""


# -- pointers to functions ---------------------------------------------------------------------------------------------


def functions(choices: Choices) -> CppProgram:
    """Pointers in variables, members, arrays and parameters, given back and passed on."""
    count = choices.between(2, 4)
    names = [f"f{index}" for index in range(count)]
    declared = ["using F = int (*)(int, int); struct Step { F run; int by; };"]
    declared += [f"__device__ int {name}(int x, int y) {{ return {_arithmetic(choices)}; }}" for name in names]
    declared += [
        f"__device__ F held = {choices.pick(names)}; __device__ F table[3] = {{{_listed(choices, names, 3)}}};",
        f"__device__ F pick(int i) {{ return i & 1 ? {choices.pick(names)} : {choices.pick(names)}; }}",
        "__device__ int by(F f, int x) { return f(x, 1) - f(1, x); }",
        "__device__ int steps(const Step *s, int many, int x) "
        "{ for (int i = 0; i < many; i++) x = s[i].run(x, s[i].by) % 1000; return x; }",
        "template <class G> __device__ int apply(G g, int x) { return g(x, 2); }",
    ]
    variables = [
        _N,
        f"F p = {choices.pick(names)};",
        f"F own[2] = {{{_listed(choices, names, 2)}}};",
        f"Step s[2] = {{{{{choices.pick(names)}, 2}}, {{{choices.pick(names)}, n}}}};",
    ]
    variables += [_pointer_statement(choices, names) for _ in range(choices.between(1, 4))]
    checks = [_pointer_check(choices, names) for _ in range(choices.between(3, 6))]
    return CppProgram(declared, variables, checks)


def _arithmetic(choices: Choices) -> str:
    return choices.pick(("x + y", "x * 3 - y", "y - x", "x & (y + 5)", "x > y ? x : 2 * y", "x % 7 + y % 5", "-x"))


def _listed(choices: Choices, names: Sequence[str], count: int) -> str:
    return ", ".join(choices.pick(("", "&")) + choices.pick(names) for _ in range(count))


def _pointer(choices: Choices, names: Sequence[str]) -> str:
    """An expression that is a pointer to a function."""
    some, other = choices.pick(names), choices.pick(names)
    return choices.pick(
        (
            "p",
            "held",
            some,
            f"&{some}",
            f"table[(n + {choices.below(3)}) % 3]",
            f"own[n & {choices.below(2)}]",
            "s[n % 2].run",
            f"pick({choices.below(4)} + n)",
            f"(n > {choices.below(6)} ? {some} : {other})",
            "(p == held ? own[0] : own[1])",
        )
    )


def _pointer_statement(choices: Choices, names: Sequence[str]) -> str:
    target = choices.pick(("p", "own[n % 2]", "s[1].run", "held", "table[n % 3]"))
    value = _pointer(choices, names)
    match choices.below(4):
        case 0:
            return f"{target} = {value};"
        case 1:
            return f"if (n % {choices.between(2, 4)}) {target} = {value};"
        case 2:
            return f"for (int i = 0; i < 3; i++) {{ n += p(i, 1) & 3; {target} = {value}; }}"
        case _:
            return f"F &r{choices.below(1000)} = own[{choices.below(2)}]; own[1] = {value};"


def _pointer_check(choices: Choices, names: Sequence[str]) -> str:
    called = _pointer(choices, names)
    match choices.below(6):
        case 0:
            return f"by({called}, n)"
        case 1:
            return "steps(s, 2, n)"
        case 2:
            return f"apply({called}, n)"
        case 3:
            return f"{called} == {_pointer(choices, names)}"
        case 4:
            return f"(*{called})(n, {choices.between(-4, 9)})"
        case _:
            return f"{called}({choices.between(-4, 9)}, n)"


# -- virtual functions -------------------------------------------------------------------------------------------------


def virtual_functions(choices: Choices) -> CppProgram:
    """A tree of classes, objects of them in every place, and calls on what pointers and references lead to."""
    classes = _Classes(choices)
    declared = [classes.declaration(index) for index in range(classes.count)]
    declared.append("__device__ int ask(A0 &a, int x) { return a.f(x) * 3 + a.g(1); }")
    objects = [f"C{index}" for index in range(classes.count)]
    variables = [_N, "int log = 0;"]
    variables += [f"{name} o{index}(&log, {choices.between(1, 9)});" for index, name in enumerate(objects)]
    listed = ", ".join(f"&o{choices.below(classes.count)}" for _ in range(4))
    variables += [f"A0 *all[4] = {{{listed}}};", f"A0 *p = all[n & {choices.between(1, 3)}];"]
    variables += [classes.statement() for _ in range(choices.between(1, 4))]
    checks = [classes.check() for _ in range(choices.between(3, 6))]
    return CppProgram(declared, variables, [*checks, "log"])


class _Classes:
    """`C0` to `C<count - 1>`, each derived from `A0` or an earlier one; some of a second base as well."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self.count = choices.between(2, 4)
        self._bases = [choices.below(index + 1) - 1 for index in range(self.count)]
        self._is_second = [base < 0 and choices.below(3) == 0 for base in self._bases]
        self._number = 0

    def declaration(self, index: int) -> str:
        base = self._bases[index]
        name = "A0" if base < 0 else f"C{base}"
        bases = f"{name}, Side" if self._is_second[index] else name
        if self._is_second[index] and self._choices.below(2):
            bases = f"Side, {name}"
        text = "" if index else self._root()
        member = self._choices.pick(("", "int own = 4; ", "double own = 2.5; "))
        initialised = ", k(x)" if base < 0 else ""
        body = f"*o = *o * 3 + {index}; " + self._choices.pick(("", "*o += this->f(2) & 7; "))
        text += f"struct C{index} : {bases} {{ {member}"
        given = "o" if base < 0 else "o, x"
        text += "int k2 = 1; " if not initialised else "int k; "
        text += f"__device__ C{index}(int *o, int x) : {name}({given}){initialised} {{ {body}}} "
        sees = "k" if initialised else "k2"
        for function in ("f", "g"):
            if self._choices.below(3):
                text += (
                    f"__device__ int {function}(int x) override {{ return {self._returned(name, function, sees)}; }} "
                )
        if self._is_second[index] and self._choices.below(2):
            text += f"__device__ int side(int x) override {{ return x + {sees} * 7; }} "
        if self._choices.below(2):
            text += f"__device__ ~C{index}() {{ *o = (*o * 5 + {index} + f(1)) % 10007; }} "
        return text + "};"

    def _root(self) -> str:
        ends = self._choices.pick(("virtual __device__ ~A0() { *o += 11; }", "virtual __device__ ~A0() {}"))
        made = self._choices.pick(("", "*o += f(1) & 3; "))
        return (
            f"struct A0 {{ int *o; __device__ A0(int *o) : o(o) {{ {made}}} {ends} "
            "virtual __device__ int f(int x) { return x + 1; } virtual __device__ int g(int x) { return f(x) * 2; } "
            "__device__ int both(int x) { return f(x) + 10 * this->g(x); } }; "
            "struct Side { int s = 6; virtual __device__ int side(int x) { return s * x; } }; "
        )

    def _returned(self, base: str, function: str, sees: str) -> str:
        inherited = f"{base}::{function}(x) + {sees}", f"{base}::f(x / 2) * 3"
        return self._choices.pick((f"x + {sees}", f"{sees} - 2 * x", f"x * {sees}", *inherited))

    def statement(self) -> str:
        choices, number = self._choices, self._next()
        one, other = choices.below(self.count), choices.below(self.count)
        match choices.below(8):
            case 0:
                return f"p = all[(n + {choices.below(4)}) & 3];"
            case 1:
                return f"if (p->f(n) & 1) p = &o{one};"
            case 2:
                made = f"n & {choices.below(4)} ? (A0 *)new C{one}(&log, 2) : new C{other}(&log, 3)"
                return f"A0 *h{number} = {made}; n += h{number}->g(2) & 3; delete h{number};"
            case 3:
                room = f"alignas(8) char room[sizeof(C{one})]"
                return f"{{ {room}; A0 *q = new (room) C{one}(&log, n); log += ask(*q, 2); q->~A0(); }}"
            case 4:
                sliced = f"A0 sliced = o{one}; log += ask(sliced, 1)"
                return f"{{ {sliced}; A0 &r = o{other}; r = o{one}; log += ask(r, 2); }}"
            case 5:
                return f"{{ C{one} copy = o{one}; A0 *q = &copy; log = log % 1000 + q->both(n); }}"
            case 6:
                return "for (int i = 0; i < 4; i++) log = (log + all[i]->f(i)) % 10007;"
            case _:
                return self._side(number)

    def _side(self, number: int) -> str:
        found = [index for index, is_second in enumerate(self._is_second) if is_second]
        if not found:
            return "n += all[n & 3]->g(1) & 1;"
        chosen = self._choices.pick(found)
        return f"{{ Side plain; Side *q{number} = n & 1 ? (Side *)&o{chosen} : &plain; log += q{number}->side(n); }}"

    def check(self) -> str:
        choices = self._choices
        one = choices.below(self.count)
        return choices.pick(
            (
                f"p->f({choices.between(-3, 9)})",
                "p->both(n)",
                f"all[(n + {choices.below(4)}) & 3]->g(n)",
                f"ask(*p, {choices.below(9)})",
                f"ask(o{one}, n)",
                f"o{one}.both(2)",
                "p->A0::f(n) + all[n & 1]->f(1)",
                f"(n > {choices.below(6)} ? p : all[1])->both(1)",
            )
        )

    def _next(self) -> int:
        self._number += 1
        return self._number
