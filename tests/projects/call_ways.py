"""The ways in which a program calls a host function of a random project, each with the numbers that it passes."""
# ruff: noqa: E501 -- each text of a program stands on one line

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final

from tests.sim.random.choices import Choices

NUMBERS: Final = (1, 7, 64, 100, 256)
SIZE: Final = 64


@final
@dataclass(frozen=True, slots=True)
class Called:
    """A function `(int *x, int n)`, or with an `int size` behind; `number` is one that no other function has."""

    function: str
    takes_size: bool
    number: int

    @property
    def parameters(self) -> str:
        return "int *x, int n, int size" if self.takes_size else "int *x, int n"

    @property
    def types(self) -> str:
        return "int *, int, int" if self.takes_size else "int *, int"

    @property
    def names(self) -> str:
        return "x, n, size" if self.takes_size else "x, n"

    def passed(self, number: str | int, size: str | int = SIZE) -> str:
        return f"x, {number}, {size}" if self.takes_size else f"x, {number}"

    def call(self, number: str | int, size: str | int = SIZE, *, function: str = "") -> str:
        return f"{function or self.function}({self.passed(number, size)});"


@final
@dataclass(frozen=True, slots=True)
class Call:
    """`statement` runs where `int *x` is known; `passes` is what the function gets, and its size."""

    statement: str
    passes: tuple[tuple[int, int], ...]
    before: str = ""
    default: int | None = None
    """The default argument in the declaration that the caller sees."""


def literal(called: Called, choices: Choices) -> Call:
    number = choices.pick(NUMBERS)
    return Call(called.call(number), ((number, SIZE),))


def expression(called: Called, choices: Choices) -> Call:
    text, number = choices.pick(
        (
            ("6 + 1", 7),
            ("(char)264", 8),
            ("(unsigned char)300", 44),
            ("7.9", 7),
            ("true", 1),
            ("sizeof(long)", 8),
            ("-7 / 2 + 10", 7),
            ("'a'", 97),
            ("0x1f & ~1", 30),
            ("!0 + !5", 1),
            ("1 ? 3 : 9", 3),
            ("(int)2.5 * 2", 4),
            ("5 / 2 * 2.0", 4),
            ("(1, 2)", 2),
            ("4294967297", 1),
            ("2u - 1", 1),
            ("(0u - 1) / 1000000000", 4),
        )
    )
    return Call(called.call(text), ((number, SIZE),))


def constant(called: Called, choices: Choices) -> Call:
    number, name = choices.pick(NUMBERS), f"N_{called.number}"
    before = choices.pick(
        (
            f"const int {name} = {number};",
            f"#define {name} {number}",
            f"enum {{ {name} = {number} }};",
            f"static constexpr long {name} = {number};",
            f"static const int {name}{{{number}}};",
        )
    )
    return Call(called.call(name), ((number, SIZE),), before)


def variable(called: Called, choices: Choices) -> Call:
    name = f"n_{called.number}"
    text = choices.pick(
        (
            f"int {name} = 7;",
            f"int {name} = 3; {name} += 4;",
            f"int {name} = 3; if (x != x + 1) {name} = 7;",
            f"int {name} = 9; int &r_{called.number} = {name}; r_{called.number} = 7;",
            f'int {name} = atoi("7");',
            f'int {name} = 9; sscanf("7", "%d", &{name});',
            f"int {name} = 9; auto set_{called.number} = [&] {{ {name} = 7; }}; set_{called.number}();",
            f"int {name} = 7.5f;",
            f"unsigned char {name} = 263;",
            f"auto {name} = 14 / 2;",
        )
    )
    return Call(f"{text} {called.call(name)}", ((7, SIZE),))


def twice(called: Called, choices: Choices) -> Call:
    one, other = choices.pick(NUMBERS), choices.pick(NUMBERS)
    return Call(f"{called.call(one, 32)} {called.call(other, 128)}", ((one, 32), (other, 128)))


def loop(called: Called, choices: Choices) -> Call:
    text = choices.pick(
        (
            f"for (int i = 32; i < 128; i *= 2) {called.call('i', 'i')}",
            f"for (int i : {{32, 64}}) {called.call('i', 'i')}",
            f"int m_{called.number} = 16; while ((m_{called.number} *= 2) < 128) {called.call(f'm_{called.number}', f'm_{called.number}')}",
        )
    )
    return Call(text, ((32, 32), (64, 64)))


def otherwise(called: Called, choices: Choices) -> Call:
    name = f"f_{called.number}"
    text = choices.pick(
        (
            f"void (*{name})({called.types}) = {called.function}; {called.call(7, function=name)}",
            f"auto {name} = {called.function}; {called.call(7, function=name)}",
            f"std::function<void({called.types})> {name} = {called.function}; {called.call(7, function=name)}",
            f"std::thread {name}({called.function}, {called.passed(7)}); {name}.join();",
            f"auto {name} = [x](int n) {{ {called.call('n')} }}; {name}(7);",
            f"std::vector<int> {name}(1, 7); for (auto n : {name}) {called.call('n')}",
        )
    )
    return Call(f"{text} {called.call(64)}", ((7, SIZE), (64, SIZE)))


def before_main(called: Called, _: Choices) -> Call:
    name = f"started_{called.number}"
    before = f"static int *x_{called.number};\nstatic int {name} = ({called.call(7).rstrip(';').replace('x,', f'x_{called.number},')}, 0);"
    return Call(f"(void){name}; {called.call(64)}", ((7, SIZE), (64, SIZE)), before)


def by_function(called: Called, choices: Choices) -> Call:
    name = f"by_{called.number}"
    before, call, passes = choices.pick(
        (
            (f"struct {name} {{ int n; void go(int *x) {{ {called.call('n')} }} }};", f"{name}{{7}}.go(x);", (7,)),
            (f"struct {name} {{ explicit {name}(int *x) {{ {called.call(7)} }} }};", f"{name} o_{called.number}(x);", (7,)),
            (f"template <int N> static void {name}(int *x) {{ {called.call('N')} }}", f"{name}<7>(x); {name}<64>(x);", (7, 64)),
            (f"template <class T> static void {name}(int *x, T n) {{ {called.call('(int)n')} }}", f"{name}(x, 7); {name}(x, 1.5);", (7, 1)),
            (f"static void {name}(int *x, int n) {{ {called.call('n')} if (n > 7) {name}(x, n / 4); }}", f"{name}(x, 64);", (64, 16, 4)),
            (f"static void {name}(int *x, unsigned char n) {{ {called.call('n')} }}", f"{name}(x, 300);", (44,)),
            (f"static void {name}(int *x, int n = 7) {{ {called.call('n')} }}", f"{name}(x); {name}(x, 64);", (7, 64)),
            (f"static void {name}(int *x, int n) {{ n++; {called.call('n')} }}", f"{name}(x, 6);", (7,)),
            (f"static void {name}(int *x, int n, ...) {{ {called.call('n')} }}", f"{name}(x, 7, 64);", (7,)),
            (f"#define {name}(n) {called.call('(n) + 1').rstrip(';')}", f"{name}(6);", (7,)),
            (f"#define {name} {called.function}", called.call(7, function=name), (7,)),
        )
    )  # fmt: skip
    return Call(call, tuple((number, SIZE) for number in passes), before)


def default(called: Called, _: Choices) -> Call:
    """Only where the caller has a declaration of its own."""
    if called.takes_size:
        return Call(called.call(7), ((7, SIZE),))
    return Call(f"{called.function}(x); {called.call(64)}", ((7, SIZE), (64, SIZE)), default=7)


CALLS: Final[tuple[Callable[[Called, Choices], Call], ...]] = (
    *(literal, literal, literal, expression, constant, variable, twice, loop, otherwise, before_main, by_function),
    *(by_function, default),
)
