"""`constexpr` functions over objects, references, pointers, lambdas and arrays; some do what is not defined."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tests.sim.random.choices import Choices

TYPES: Final = ("int", "unsigned", "long", "unsigned char", "short", "unsigned long long", "bool", "char", "long long")

_COUNTED: Final = tuple(type for type in TYPES if type != "bool")


def function(choices: Choices, index: int) -> str:
    """A function `f<index>` of a small number; it may call those before it."""
    lines = [f"{choices.pick(_COUNTED)} r = {choices.below(5)};", "int a[4] = {n, 3, 1, 2};"]
    lines += [_statement(choices, index, 2) for _ in range(choices.between(1, 4))]
    return f"__device__ constexpr {choices.pick(TYPES)} f{index}(int n) {{ {' '.join(lines)} return r; }}"


def call(choices: Choices, functions: int) -> str:
    """An expression that is constant if nothing in it is undefined."""
    first = f"f{choices.below(functions)}({choices.between(-2, 7)})"
    if choices.chance(3):
        sign = choices.pick(("+", "-", "*", "^", "<<", ">>", "&", "%", "/", "==", "<", "&&"))
        return re.sub(r"\bn\b", str(choices.between(-1, 3)), f"({first} {sign} {_number(choices, functions)})")
    return first


def _number(choices: Choices, index: int) -> str:
    """An integer expression over `n`, without effects."""
    earlier = [f"f{choices.below(index)}({choices.between(0, 4)})"] if index else []
    small = choices.between(0, 6)
    return choices.pick(
        (
            str(small), f"(n * {small})", f"(n - {small})", f"(n << {small % 4})", f"(7 / {small + 1})", "(n ? 4 : 5)",
            f"primes[{small}]", "unit.area()", "Square::sides", "triple[1]", "third", f"factorial({small})",
            f"greeting[{small}]", "int(Level::HIGH)", "GREEN + BLUE", "(RED | n)", f"larger(n, {small})",
            f"added(n, {small}, 1)", f"int(hash(\"ab\") % {small + 2})", f"squared({small}L)", "squared(n)",
            f"where({small})", f"now({small})", "length(\"four\")", f"(-7 >> {small % 3})", f"(n % {small})",
            f"static_cast<unsigned char>(n * 50 + {small})", f"int({small}.75 * 2)", f"(n > 2 ? {small}u : n)",
            "((unsigned)n - 3u) % 7", f"sizeof(int[{small + 1}])", "Side(n).area()", "Square{n}.area()",
            f"(2147483640 + n * {small})", *earlier,
        )
    )  # fmt: skip


def _statement(choices: Choices, index: int, depth: int) -> str:
    inner = _statement(choices, index, depth - 1) if depth else f"r += {_number(choices, index)};"
    return choices.pick(_STATEMENTS)(choices, inner, lambda: _number(choices, index))


_Statement = Callable[[Choices, str, Callable[[], str]], str]


def _reference(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return f"{{ auto &x = a[{choices.below(5)}]; x += {number()}; {inner} r += x; }}"


def _exchange(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return f"exchange(a[{choices.below(4)}], a[{choices.below(4)}]); {inner} r = r * 3 + a[0];"


def _lambda(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    capture = choices.pick(("&", "&r, n", "&, n", "&r, &n, a", "&r, n, k = n + 1"))
    uses = {"&r, &n, a": "a[1]", "&r, n, k = n + 1": "k"}.get(capture, "n")
    return f"{{ auto g = [{capture}](int x) {{ r += x; return x + {uses}; }}; {inner} r += g({number()}); r ^= g(2); }}"


def _mutable(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return (
        f"{{ auto g = [k = {number()}](int x) mutable {{ k += x; return k; }}; auto h = g; "
        f"r += g(1); {inner} r += g(2) * 2; r += h(3); r += apply([=](int x) {{ return x * n; }}, {number()}); }}"
    )


def _each(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return f"each(a, a + {choices.between(1, 4)}, [&r](int &x) {{ x += 1; r ^= x; }}); {inner}"


def _chain(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return (
        f"{{ Sum s; s.add({number()}).add(2).add(n); {inner} Sum t = -s; t += s; ++t; r += t++ ? s(2) : 7; "
        f"if (s == t || !t) r++; r += t.total; }}"
    )


def _derived(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    made = choices.pick(("Square q;", "Square q{n};", "Square q(3);", "Square q = Square(n + 1);"))
    return f"{{ {made} Side &s = q; r += s.twice(); {inner} const Side *p = &q; r += p->area() + q.area() + q.sides; }}"


def _fixed(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    loop = choices.pick(("for (auto &x : v) x += n;", "for (int x : v) r += x;", "for (const int &x : v) r ^= x;"))
    return (
        f"{{ Fixed<int, 3> v{{{number()}, 2}}; v[{choices.below(4)}] = {number()}; {loop} {inner} "
        f"const auto &c = v; r += c[1] + v.size() + *(c.end() - 1); }}"
    )


def _pointer(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    end = choices.between(3, 5)
    return (
        f"{{ int *best = largest(a, a + {end}); *best -= {number()}; {inner} r += int(best - a); "
        f"at(a, {choices.below(5)})++; const int *q = a; q += 2; r += *q--; r -= q[0]; if (best == &a[1]) r++; }}"
    )


def _link(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return f"{{ int x = {number()}; Link l{{x}}; l.set(n + 1); {inner} r += l.get() + x; }}"


def _nest(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return (
        f"{{ Nest m{{{{{{n, 2}}}}}}; m.pair[1] += {number()}; m.low += {choices.below(5)}; {inner} r += m.all(); "
        f"Nest k = m; k.side.w = 1; r += k.all() - m.all(); auto [p, s, name, low] = k; r += p[0] + s.w + int(low); }}"
    )


def _copied(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return (
        f"{{ Copied c{{{number()}}}; Copied d = c; {inner} Copied e[2] = {{d, 5}}; e[1] = d; "
        f"r += d.n + e[0].n + e[1].n; }}"
    )


def _switch(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return (
        f"switch ({number()}) {{ case 1: case 2: r += 2; [[fallthrough]]; case 3: {{ {inner} }} break; "
        f"case GREEN: r *= 3; default: r -= 1; }}"
    )


def _loop(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return choices.pick(
        (
            f"for (int i = 0, j = 3; i < j; i++, --j) {{ {inner} a[i] += j; if (r > 90) continue; r++; }}",
            f"for (int k = {number()}; k > 0; k /= 2) {{ if (k == 5) break; r ^= k; }} {inner}",
            f"do {{ r += 3; {inner} if (r > 100) break; }} while (r % 4);",
            f"if (int k = {number()}; k > 1) {{ {inner} r -= k; }} else if (k) r += a[1]; else r++;",
        )
    )


def _assign(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    sign = choices.pick(("+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "^=", "|=", "&=", "="))
    target = choices.pick(("r", "a[1]", "a[n % 4]", "*(a + 2)", "(n > 1 ? a[0] : a[3])", "(r, a[2])"))
    return f"{target} {sign} {number()}; {inner}"


def _text(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return (
        f"{{ char s[6] = \"abc\"; s[{choices.below(7)}] = 'z'; {inner} r += length(s) + s[1]; "
        f"for (const char *p = greeting; *p; p++) r += *p % 5; r += int(hash(s) & 15); }}"
    )


def _unset(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    """Not defined where the variable is read before something is written."""
    return f"{{ int x; if (n > {choices.below(4)}) x = {number()}; {inner} r += x; }}"


def _matrix(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    return (
        f"{{ int m[2][3] = {{{{1, 2}}, {{n}}}}; Side sides[2] = {{Side(1), Side(n)}}; "
        f"m[1][{choices.below(4)}] = {number()}; {inner} for (auto &row : m) for (int x : row) r += x; "
        f"for (Side s : sides) r += s.area(); }}"
    )


def _dangling(choices: Choices, inner: str, number: Callable[[], str]) -> str:
    """A pointer outlives its object; that it may not be read then is not known to every compiler."""
    read = choices.pick(("", "p = &r2; r += *p;"))
    return f"{{ int *p = nullptr; int r2 = 3; {{ int x = {number()}; p = &x; {inner} r += *p; }} {read} }}"


_STATEMENTS: Final[tuple[_Statement, ...]] = (
    _reference, _exchange, _lambda, _mutable, _each, _chain, _derived, _fixed, _pointer, _link, _nest, _copied, _switch,
    _loop, _loop, _assign, _assign, _text, _unset, _matrix, _dangling,
)  # fmt: skip
