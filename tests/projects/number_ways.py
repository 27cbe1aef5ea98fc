"""The ways in which a host function of a random project computes the number that a kernel gets, in C's arithmetic."""
# ruff: noqa: E501 -- each text of a program stands on one line

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from tests.projects.launch_ways import Asked, Made, Way, line
from tests.sim.random.choices import Choices

Change: TypeAlias = Callable[[int], int]
"""What becomes of the number."""

_CHANGES: Final[tuple[tuple[str, Change], ...]] = (
    ("n / 2", lambda n: n // 2),
    ("(n - 100) / 7", lambda n: int((n - 100) / 7)),
    ("(n - 100) % 7", lambda n: n - 100 - 7 * int((n - 100) / 7)),
    ("n ^ 21", lambda n: n ^ 21),
    ("~n", lambda n: ~n),
    ("-n", lambda n: -n),
    ("(n - 100) >> 2", lambda n: (n - 100) >> 2),
    ("(unsigned char)(n + 200)", lambda n: (n + 200) % 256),
    ("(signed char)(n + 100)", lambda n: (n + 100 + 128) % 256 - 128),
    ("(bool)n + 1", lambda n: 2),
    ("(int)(n * 0.5f)", lambda n: n // 2),
    ("n / 2.0", lambda n: n // 2),
    ("(int)(n / 2.0) * 2", lambda n: n // 2 * 2),
    ("n * 1000000 / 1000000", lambda n: n),
    ("sizeof(int) * n", lambda n: 4 * n),
    ("'a' + n", lambda n: 97 + n),
    ("010 + n", lambda n: 8 + n),
    ("1'000 + n", lambda n: 1000 + n),
    ("1u - n", lambda n: 1 - n),
    ("(1u - n) / 1000000000u", lambda n: (1 - n) % (1 << 32) // 1000000000),
    ("(n - 300) / sizeof(short) > 1000 ? 5 : 6", lambda n: 5),
    ("0xffffffff / (n + 1)", lambda n: ((1 << 32) - 1) // (n + 1) - (1 << 32) * (((1 << 32) - 1) // (n + 1) >> 31)),
    ("(n, 3)", lambda n: 3),
    ("n > 3 && n", lambda n: int(n > 3)),
    ("!n", lambda n: int(n == 0)),
    ("abs(n - 100)", lambda n: abs(n - 100)),
    ("std::min(n, 50)", lambda n: min(n, 50)),
    ("std::max<int>(n, 50)", lambda n: max(n, 50)),
    ("(long)n + 4294967296l", lambda n: n),
    ("((n + 1) & 0x3f) | 4", lambda n: ((n + 1) & 0x3F) | 4),
    ("n == 7 ? n + 1 : n / 7", lambda n: n + 1 if n == 7 else n // 7),
    ("(short)(n * 1000)", lambda n: (n * 1000 + 32768) % 65536 - 32768),
    ("n < 0.5 ? 1 : 2", lambda n: 1 if n < 0.5 else 2),
)  # fmt: skip
_HOLDERS: Final = (
    "%s",
    "%s",
    "int m = %s;",
    "auto m = %s;",
    "const int m(%s);",
    "int m; m = %s;",
    "const auto m{%s};",
    "long m = %s;",
)
_NARROW: Final[tuple[tuple[str, Change], ...]] = (
    ("unsigned char m = n + 200;", lambda n: (n + 200) % 256),
    ("const signed char m = n + 100;", lambda n: (n + 100 + 128) % 256 - 128),
    ("bool m = n;", lambda n: 1),
    ("int h = n / 2.0; int m = h * 2;", lambda n: n // 2 * 2),
    ("float h = n; int m = h / 2 * 2;", lambda n: n),
    ("double h = 7; int m = n + h / 2 * 2;", lambda n: n + 7),
    ("unsigned h = 2; int m = (h - 3) / 2 + n;", lambda n: (((1 << 32) - 1) // 2 + n + (1 << 31)) % (1 << 32) - (1 << 31)),
    ("typedef unsigned char Byte; Byte m = n + 200;", lambda n: (n + 200) % 256),
    ("using Real = float; Real h = n; int m = h / 2 * 2;", lambda n: n),
    ("const unsigned short h = 65535; unsigned short m = h + n;", lambda n: n - 1),
    ("enum { A = 3, B }; int m = B + n;", lambda n: n + 4),
    ("int m = n; m += 3;", lambda n: n + 3),
    ("int m = n; ++m;", lambda n: n + 1),
    ("int m = n; int &r = m; r = 5;", lambda n: 5),
    ("int m = n; *&m = 5;", lambda n: 5),
    ("int m = n; [&] { m = 5; }();", lambda n: 5),
    ("int m[] = {n, 5}; int *p = m; *p += 1; n = m[0]; m[0] = n;", lambda n: n + 1),
)  # fmt: skip


def changed_number(asked: Asked, choices: Choices) -> Way:
    """The kernel gets another number, computed in C's arithmetic."""
    if choices.below(3) == 0:
        text, change = choices.pick(_NARROW)
        number = "m[0]" if "m[]" in text else "m"
        body = f"{text} {asked.launch(asked.shape, number)}"
    else:
        expression, change = choices.pick(_CHANGES)
        holder = choices.pick(_HOLDERS) % expression
        if ";" in holder and "auto" in holder:
            holder = f"{holder} int l = m;"
        name = "l" if "int l" in holder else "m"
        cast = f"(int)({holder})" if asked.is_packed else holder
        body = (
            f"{holder} {asked.launch(asked.shape, f'(int){name}' if 'long' in holder else name)}"
            if ";" in holder
            else asked.launch(asked.shape, cast)
        )
    return Way(body, lambda n, size: [Made(line(asked.grid), asked.block, change(n))])


_UPDATES: Final[tuple[tuple[str, str, Change], ...]] = (
    ("", "n = n / 2 + 1;", lambda n: n // 2 + 1),
    ("", "n++;", lambda n: n + 1),
    ("", "if (n > 50) n -= 50;", lambda n: n - 50 if n > 50 else n),
    ("", "n %= 10;", lambda n: n % 10),
    ("", "for (; n > 10; n -= 10) ;", lambda n: n if n <= 10 else (n - 1) % 10 + 1),
    ("static void NAME(int &n) { n += 3; }", "NAME(n);", lambda n: n + 3),
    ("static void NAME(int *n) { *n += 3; }", "NAME(&n);", lambda n: n + 3),
    ("template <class T> static void NAME(T &&n) { n += 3; }", "NAME(n);", lambda n: n + 3),
    ("#define NAME(v) v += 3", "NAME(n);", lambda n: n + 3),
    ("", "std::swap(n, *new int(5));", lambda n: 5),
)  # fmt: skip


def parameter_that_changes(asked: Asked, choices: Choices) -> Way:
    name = f"more_{asked.number}"
    before, text, change = choices.pick(_UPDATES)
    return Way(
        f"{text.replace('NAME', name)} {asked.launch(asked.shape)}",
        lambda n, size: [Made(line(asked.grid), asked.block, change(n))],
        before.replace("NAME", name),
    )


def several_numbers(asked: Asked, choices: Choices) -> Way:
    text, numbers = choices.pick(
        (
            ("for (int n = 1; n <= 7; n += 6) %s", (1, 7)),
            ("for (int i = 0; i < 2; i++) { n = i; %s }", (0, 1)),
            ("const int all[] = {3, 9}; for (auto n : all) %s", (3, 9)),
            ("n = 3; again: %s n *= 3; if (n == 9) goto again;", (3, 9)),
        )
    )
    return Way(
        text % asked.launch(asked.shape),
        lambda n, size: [Made(line(asked.grid), asked.block, number) for number in numbers],
    )


_PARAMETERS: Final[tuple[tuple[str, Change], ...]] = (
    ("unsigned char", lambda n: (n + 200) % 256),
    ("bool", lambda n: 1),
    ("short", lambda n: n + 200),
    ("float", lambda n: n + 200),
    ("int &&", lambda n: n + 200),
    ("const int &", lambda n: n + 200),
    ("long long", lambda n: n + 200),
)  # fmt: skip


def narrow_parameter(asked: Asked, choices: Choices) -> Way:
    name = f"inner_{asked.number}"
    kind, change = choices.pick(_PARAMETERS)
    before = f"static void {name}(int *x, {kind} n) {{ {asked.launch(asked.shape, '(int)n')} }}"
    return Way(f"{name}(x, n + 200);", lambda n, size: [Made(line(asked.grid), asked.block, change(n))], before)


_GRIDS: Final[tuple[tuple[str, Change], ...]] = (
    ("(n + 63) / 64", lambda n: (n + 63) // 64),
    ("ceil(n / 64.0)", lambda n: (n + 63) // 64),
    ("n > 50 ? 2 : 1", lambda n: 2 if n > 50 else 1),
    ("dim3(n > 50 ? 2 : 1, 2)", lambda n: (2 if n > 50 else 1)),
    ("(unsigned)n / 65 + 1", lambda n: n // 65 + 1),
)  # fmt: skip


def grid_of_the_number(asked: Asked, choices: Choices) -> Way:
    text, blocks = choices.pick(_GRIDS)
    rows = 2 if "dim3" in text else 1
    body = f"{asked.kernel}<<<{text}, {asked.shape}>>>(x, {asked.passed()});"
    return Way(body, lambda n, size: [Made((blocks(n), rows, 1), asked.block, n)])


NUMBERED: Final = (
    *(changed_number, changed_number, changed_number, parameter_that_changes, several_numbers, narrow_parameter),
    grid_of_the_number,
)
