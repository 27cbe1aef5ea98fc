"""The ways in which a host function of a random project computes the number that a kernel gets, in C's arithmetic."""
# ruff: noqa: E501 -- each text of a program stands on one line

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
    ("n * 64", lambda n: 64 * n),
    ("n << 5", lambda n: 32 * n),
    ("(n + 31) / 32 * 32", lambda n: (n + 31) // 32 * 32),
    ("(n + 48) & ~15", lambda n: (n + 48) & ~15),
    ("n % 7 * 48 + (n > 3 ? 16 : 8 * n)", lambda n: n % 7 * 48 + (16 if n > 3 else 8 * n)),
    ("(int)(n * 0.5f * 64)", lambda n: 32 * n),
    ("n * 64 / 48 * 8", lambda n: n * 64 // 48 * 8),
    ("n * 2147483648u + n * 16", lambda n: n * 16 + (1 << 31) * n & (1 << 31) - 1 if n % 2 == 0 else n * 16 - (1 << 31)),
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
            ("std::vector<int> all = {3, 9}; for (int n : all) %s", (3, 9)),
            ("for (auto n : {3, 9}) %s", (3, 9)),
            ("for (const auto &n : {3, 9}) %s", (3, 9)),
            ("int all[] = {3, 9}; for (auto &&n : all) { n += 1; %s }", (4, 10)),
            ("std::vector<int> all = {3, 9}; for (auto &a : all) a += 1; for (int n : all) %s", (4, 10)),
            ("std::vector<int> all{3, 9}; all[1] = 5; for (int n : all) %s", (3, 5)),
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


_RELATED: Final[tuple[tuple[str, Callable[[int], Sequence[tuple[int, int, int]]]], ...]] = (
    ("int m = 130 + n % 7; K(m / 64, 64, m)", lambda n: [(2, 64, 130 + n % 7)]),
    ("int m = 130 + n % 7; int b = m / 64; K(b, 64, m)", lambda n: [(2, 64, 130 + n % 7)]),
    ("int m = 130 + n % 7; int b = m / 64; m = 3; K(b, 64, m)", lambda n: [(2, 64, 3)]),
    ("int m = 130 + n % 7; int b = (m + 63) / 64; K(b, 64, m)", lambda n: [(3, 64, 130 + n % 7)]),
    ("int m = 130 + n % 7; int b = m / 64 + 1; K(b, 64, m)", lambda n: [(3, 64, 130 + n % 7)]),
    ("int m = 130; int b = m / 32; K(b, 64, m)", lambda n: [(4, 64, 130)]),
    ("int t = 32 + n % 2 * 32; int m = 200; dim3 g(m / t); dim3 q(t); K(g, q, m)", lambda n: [(200 // (32 + n % 2 * 32), 32 + n % 2 * 32, 200)]),
    ("int t = 32 + n % 2 * 32; int m = 200; dim3 g(m / t); dim3 q(t); g.x += 1; K(g, q, m)", lambda n: [(200 // (32 + n % 2 * 32) + 1, 32 + n % 2 * 32, 200)]),
    ("int b = 1 + n % 3; int t = 32; const int m = t * b; K(b, t, m)", lambda n: [(1 + n % 3, 32, 32 + n % 3 * 32)]),
    ("int b = 1 + n % 3; int t = 32; int m = b * t; b = 4; K(b, t, m)", lambda n: [(4, 32, 32 + n % 3 * 32)]),
    ("int b = 1 + n % 3; int t = 32; int m = b * t; t *= 2; K(b, t, m)", lambda n: [(1 + n % 3, 64, 32 + n % 3 * 32)]),
    ("int t = 32 + n % 2 * 32; K(2, t, t)", lambda n: [(2, 32 + n % 2 * 32, 32 + n % 2 * 32)]),
    ("int t = 32; dim3 q(t); t = 7; K(2, q, t)", lambda n: [(2, 32, 7)]),
    ("int t = 32; dim3 q(t); t = 7; K(2, q, q.x)", lambda n: [(2, 32, 32)]),
    ("int b = 2 + n % 2; K(b, 32, b)", lambda n: [(2 + n % 2, 32, 2 + n % 2)]),
    ("int m = 130; int b = m / 64; for (int i = 0; i < 2; i++) { K(b, 64, m) m -= 70; }", lambda n: [(2, 64, 130), (2, 64, 60)]),
    ("for (int m = 128; m < 300; m *= 2) { int b = m / 64; K(b, 64, m) }", lambda n: [(2, 64, 128), (4, 64, 256)]),
    ("int m = 64; int b = 4; for (int i = 0; i < 2; i++) { if (i == 0) b = m / 64; K(b, 64, m) m = 32; }", lambda n: [(1, 64, 64), (1, 64, 32)]),
    ("int m = 130; auto f = [&] { m = 9; }; int b = m / 64; f(); K(b, 64, m)", lambda n: [(2, 64, 9)]),
    ("int m = 130; int *p = &m; int b = m / 64; *p = 9; K(b, 64, m)", lambda n: [(2, 64, 9)]),
    ("int m = 130; int b = m / 64; m -= 10 * b; K(b, 64, m)", lambda n: [(2, 64, 110)]),
    ("int m = 130; unsigned char b = m / 64; { int m = 9; K(b, 64, m) }", lambda n: [(2, 64, 9)]),
    ("int m = 100 + n; K((m + 63) / 64, 64, m)", lambda n: [((163 + n) // 64, 64, 100 + n)]),
    ("int m = 100 + n; int b = (m - 1) / 64 + 1; K(b, 64, m)", lambda n: [((163 + n) // 64, 64, 100 + n)]),
    ("int m = n % 3 - 1; int b = (m - 1) / 64 + 1; K(b, 64, m)", lambda n: [(1, 64, n % 3 - 1)]),
    ("int m = -1 - n % 3; K(m / 64 + (m % 64 != 0), 64, m)", lambda n: [(1, 64, -1 - n % 3)]),
    ("int m = 60 + n % 7; K(m / 64 + (m % 64 > 0), 64, m)", lambda n: [((123 + n % 7) // 64, 64, 60 + n % 7)]),
    ("int t = 32 + n % 2 * 32; int m = 100 + n; dim3 q(t); dim3 g((m + q.x - 1) / q.x); K(g, q, m)", lambda n: [((99 + n + 32 + n % 2 * 32) // (32 + n % 2 * 32), 32 + n % 2 * 32, 100 + n)]),
    ("int t = 32 + n % 2 * 32; int m = 100 + n; int b = m % t == 0 ? m / t : m / t + 1; K(b, t, m)", lambda n: [((99 + n + 32 + n % 2 * 32) // (32 + n % 2 * 32), 32 + n % 2 * 32, 100 + n)]),
    ("int t = 32 + n % 2 * 32; int m = 100 + n; int b = (m + t - 1) / t; t = 16; K(b, t, m)", lambda n: [((99 + n + 32 + n % 2 * 32) // (32 + n % 2 * 32), 16, 100 + n)]),
    ("int m = 100 + n; K(m / 64 + 1, 64, m)", lambda n: [((100 + n) // 64 + 1, 64, 100 + n)]),
    ("int m = 100 + n; K((m + 64) / 64, 64, m)", lambda n: [((164 + n) // 64, 64, 100 + n)]),
    ("int m = 100 + n; int b = std::min((m + 31) / 32, 4); K(b, 32, m)", lambda n: [(min((131 + n) // 32, 4), 32, 100 + n)]),
    ("unsigned m = 100 + n; auto b = std::min((m + 31) / 32, 4u); unsigned g = std::min((m + 31) / 32, 4u); K(g, 32, m)", lambda n: [(min((131 + n) // 32, 4), 32, 100 + n)]),
    ("unsigned m = 1 + n % 2 * 100; K((int)(m + 31) / 32, 32, m)", lambda n: [(4, 32, 101) if n % 2 else (1, 32, 1)]),
    ("int m = 100 + n; K((int)ceil(m / 32.0), 32, m)", lambda n: [((131 + n) // 32, 32, 100 + n)]),
    ("int m = 16777217; int b = ceilf(m / 256.0f); K(b, 256, m)", lambda n: [(65536, 256, 16777217)]),
    ("int m = 16777217; int b = ceil(m / 256.0); K(b, 256, m)", lambda n: [(65537, 256, 16777217)]),
    ("int m = 70 + n; int b = (m + 31) / 32; m = 9; K(b, 32, m)", lambda n: [((101 + n) // 32, 32, 9)]),
    ("int m = 70 + n; int b = (m + 31) / 32; for (int i = 0; i < 2; i++) { K(b, 32, m) m -= 40; }", lambda n: [((101 + n) // 32, 32, 70 + n), ((101 + n) // 32, 32, 30 + n)]),
    ("for (int m = 50; m < 300; m *= 2) { int b = (m + 63) / 64; K(b, 64, m) }", lambda n: [(1, 64, 50), (2, 64, 100), (4, 64, 200)]),
    ("int m = -200 - n % 3; size_t t = 100; int b = (m + t - 1) / t % 8 + 1; K(b, 32, m)", lambda n: [(((1 << 64) - 101 - n % 3) // 100 % 8 + 1, 32, -200 - n % 3)]),
    ("int w = 10 + n % 3, h = 7; K((w * h + 31) / 32, 32, w * h)", lambda n: [(((10 + n % 3) * 7 + 31) // 32, 32, (10 + n % 3) * 7)]),
    ("int w = 10 + n % 3, h = 7; int m = h * w; int b = (w * h + 31) / 32; K(b, 32, m)", lambda n: [(((10 + n % 3) * 7 + 31) // 32, 32, (10 + n % 3) * 7)]),
    ("int w = 10 + n % 3, h = 7; int m = h * w; int b = (w * h + 31) / 32; w = 9; K(b, 32, w * h)", lambda n: [(((10 + n % 3) * 7 + 31) // 32, 32, 63)]),
    ("int w = -1 - n % 3, h = 7; K(w * h / 32 + 1, 32, w * h)", lambda n: [(1, 32, -7 * (1 + n % 3))]),
    ("int w = 66 + n % 3, h = 2; K(w * h / 64, 64, w * h)", lambda n: [(2, 64, 2 * (66 + n % 3))]),
    ("unsigned w = 65536, h = 65536 + n % 3; unsigned b = (w * h + 31) / 32; K(b + 1, 32, w * h)", lambda n: [((65536 * (n % 3) + 31) // 32 + 1, 32, 65536 * (n % 3))]),
    ("int m = 130; int b = m / 64; again: K(b, 64, m) if (m > 100) { m = 50; goto again; }", lambda n: [(2, 64, 130), (2, 64, 50)]),
)  # fmt: skip


def related_numbers(asked: Asked, choices: Choices) -> Way:
    """The number hangs together with the blocks and the grid, or seems to."""
    text, made = choices.pick(_RELATED)

    def launch(found: re.Match[str]) -> str:
        number = f"(int){found[3]}" if asked.is_packed else found[3]
        return f"{asked.kernel}<<<{found[1]}, {found[2]}>>>(x, {asked.passed(number)});"

    body = re.sub(r"K\(([^,]+), ([^,]+), ([^)]+)\)", launch, text)
    return Way(body, lambda n, size: [Made(line(grid), line(block), number) for grid, block, number in made(n)])


_OBJECTS: Final[tuple[tuple[str, str, Change], ...]] = (
    ("", "T s; s.n = n; s.m = 1; K", lambda n: n),
    ("", "T s = {n, 1}; n = 3; K", lambda n: n),
    ("", "T s = {n, 2}; s.m--; s.n += 3; K", lambda n: n + 3),
    ("", "T s = {n, 1}; T t = s; t.n = 3; t = s; s.n = 5; s = t; K", lambda n: n),
    ("", "T s = {.n = 3, .m = 1}; if (n > 50) s.n = 4; K", lambda n: 4 if n > 50 else 3),
    ("", "T s = {7, 1}; for (int i = 0; i < 2; i++) { s.n = n + i; } K", lambda n: n + 1),
    ("", "T s = {n, 1}; T *p = &s; p->n = 3; K", lambda n: 3),
    ("", "T s = {n, 1}; T &r = s; r.n = 3; K", lambda n: 3),
    ("", "T s = {n, 1}; auto f = [&] { s.n = 3; }; f(); K", lambda n: 3),
    ("", "T s = {n, 1}; int &r = s.n; r = 3; K", lambda n: 3),
    ("", "T s = {n, 1}; std::swap(s.n, *new int(3)); K", lambda n: 3),
    ("static T NAME(int n) { T s; s.n = n + 1; s.m = 1; return s; }", "T s = NAME(n); K", lambda n: n + 1),
    ("static T NAME(int n) { T s = {n, 1}; if (n > 50) return T{3, 1}; return s; }", "auto s = NAME(n); K", lambda n: 3 if n > 50 else n),
    ("static void NAME(T &s, int n) { s.n = n; }", "T s = {7, 1}; NAME(s, n + 2); K", lambda n: n + 2),
    ("static void NAME(int n, T *s) { s->n = s->n * 2 + n; }", "T s = {n, 1}; NAME(1, &s); K", lambda n: 2 * n + 1),
    ("static T *NAME_at; static void NAME(T *s) { NAME_at = s; }", "T s = {n, 1}; NAME(&s); s.n = 4; NAME_at->n = 3; K", lambda n: 3),
    ("static void NAME(T &s) { if (s.n > 50) return; s.n = 3; }", "T s = {n, 1}; NAME(s); K", lambda n: n if n > 50 else 3),
    ("static void NAME(T &s, T &t) { s.n = 3; t.n = 4; }", "T s = {n, 1}; NAME(s, s); K", lambda n: 4),
    ("static void NAME(T s) { s.n = 3; }", "T s = {n, 1}; NAME(s); K", lambda n: n),
    ("struct NAME_s { T in; int m; };", "NAME_s o = {{n, 1}, 5}; o.m = 3; T s = o.in; K", lambda n: n),
    ("struct NAME_s { int all[2]; };", "NAME_s o; o.all[1] = n; int *p = o.all; p[1]++; T s = {o.all[1], 1}; K", lambda n: n + 1),
)  # fmt: skip


def number_in_an_object(asked: Asked, choices: Choices) -> Way:
    """The number lies in an object, which the kernel gets if it takes one."""
    before, text, change = choices.pick(_OBJECTS)
    type_ = "Size" if asked.is_packed else f"Part_{asked.number}"
    own = "" if asked.is_packed else f"struct {type_} {{ int n, m; }};\n"
    launch = f"{asked.kernel}<<<{asked.grid}, {asked.shape}>>>(x, {'s' if asked.is_packed else 's.n'});"

    def named(part: str) -> str:
        part = re.sub(r"\bK$", launch, part)
        return re.sub(r"\bT\b", type_, part.replace("NAME", f"object_{asked.number}"))

    return Way(named(text), lambda n, size: [Made(line(asked.grid), asked.block, change(n))], own + named(before))


NUMBERED: Final = (
    *(number_in_an_object, number_in_an_object, number_in_an_object),
    *(changed_number, changed_number, changed_number, parameter_that_changes, several_numbers, narrow_parameter),
    *(grid_of_the_number, related_numbers, related_numbers, related_numbers),
)
