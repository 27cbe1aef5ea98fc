"""Pointers to members and to methods: in variables, arrays, members and parameters, converted, compared and called.

What decides is read from memory (`n`), so that nothing of it is known before the program runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from tests.cpp.program import CppProgram
from tests.sim.random.choices import Choices

_N: Final = "int n = out[0] + 80;"
"""3, as the results are before anything is written."""
_DATA: Final = {"A": ("a", "b"), "B": ("a", "b", "d"), "C": ("a", "b", "s", "e"), "Side": ("s",)}
"""By class its members of type `int`."""
_METHODS: Final = {"A": ("f", "g", "v"), "B": ("f", "g", "v", "w"), "C": ("f", "g", "t"), "Side": ("t",)}
"""By class its methods `int (int) const`; `v` is virtual."""
_OBJECTS: Final = {"A": ("x", "y", "*p", "all[n & 1]"), "B": ("y", "*q"), "C": ("z",), "Side": ("z",)}
_USES: Final = (
    "typedef int (A::*Method)(int) const; struct Entry { Method run; int A::*of; int by; };",
    "__device__ int get(const A &o, int A::*m) { return o.*m * 3; }",
    "__device__ int call(const A *o, Method m, int x) { return (o->*m)(x) - 1; }",
    "__device__ int steps(const A &o, const Entry *e, int many, int x) "
    "{ for (int i = 0; i < many; i++) x = (o.*e[i].run)(x + e[i].by) % 1000 + o.*e[i].of; return x; }",
    "template <class T, class M> __device__ M &member(T &o, M T::*m) { return o.*m; }",
    "template <class T, class R, class X> __device__ R method(const T &o, R (T::*m)(X) const, X x) "
    "{ return (o.*m)(x); }",
    "template <auto M> __device__ int fixed(const A &o) { return o.*M + 2; }",
    "template <int (A::*M)(int) const> __device__ int run(const A &o, int x) { return (o.*M)(x); }",
    "template <class T> struct Sum { int A::*m[2]; "
    "__device__ T of(const A &o) const { return T(o.*m[0] + o.*m[1]); } };",
)


def members(choices: Choices) -> CppProgram:
    """Four classes, objects of them, and pointers to what they have."""
    writer = _Writer(choices)
    variables = [
        _N,
        "A x; B y; C z; A *p = n & 1 ? &x : &y; B *q = &y; A *all[2] = {&y, &z};",
        f"int A::*m = {writer.data('A')}; int B::*mb = {writer.data('B')}; double A::*md = &A::c;",
        f"Method f = {writer.method('A')}; int (B::*fb)(int) const = {writer.method('B')}; int (A::*h)(int) = &A::h;",
        f"int A::*ms[3] = {{{', '.join(writer.data('A') for _ in range(3))}}};",
        f"Entry e[2] = {{{writer.entry()}, {writer.entry()}}};",
    ]
    variables += [writer.statement() for _ in range(choices.between(1, 5))]
    checks = [writer.check() for _ in range(choices.between(3, 7))]
    return CppProgram([*_classes(choices), *_USES], variables, [*checks, "x.a + y.b * 3 + z.e * 7 + int(x.c)"])


def _classes(choices: Choices) -> list[str]:
    overridden = choices.pick(("", "__device__ int v(int x) const override { return x * d; } "))
    hidden = choices.pick(("", "__device__ int f(int x) const { return d - x; } "))
    bases = choices.pick(("Side, A", "A, Side"))
    return [
        "struct A { int a = 2; double c = 1.5; int b = 5; __device__ int f(int x) const { return x + a; } "
        "__device__ int g(int x) const { return x * b; } __device__ int h(int x) { return a += x; } "
        "__device__ int k(int x) { return b = x - a; } "
        "__device__ virtual int v(int x) const { return x - b; } };",
        f"struct B : A {{ int d = 7; {overridden}{hidden}__device__ int w(int x) const {{ return x + 10 * d; }} }};",
        "struct Side { int s = 3; __device__ int t(int x) const { return s * x; } };",
        f"struct C : {bases} {{ int e = 9; __device__ int v(int x) const override {{ return x + e; }} }};",
    ]


@final
class _Writer:
    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._count = 0

    def data(self, owner: str) -> str:
        """A pointer to a member of type `int` of that class."""
        choices = self._choices
        named = self._named(_DATA[owner], owner)
        of_variables = {"A": ("m", f"ms[(n + {choices.below(3)}) % 3]", "e[n & 1].of"), "B": ("m", "mb")}
        others = (f"(n > {choices.below(6)} ? {self._one(owner, _DATA)} : {self._one(owner, _DATA)})",)
        return choices.pick((named, named, *others, *(of_variables.get(owner, ()) if self._count else ())))

    def method(self, owner: str) -> str:
        """A pointer to a method `int (int) const` of that class."""
        choices = self._choices
        named = self._named(_METHODS[owner], owner)
        of_variables = {"A": ("f", f"e[(n + {choices.below(2)}) & 1].run"), "B": ("f", "fb")}
        others = (f"(n > {choices.below(6)} ? {self._one(owner, _METHODS)} : {self._one(owner, _METHODS)})",)
        return choices.pick((named, named, *others, *(of_variables.get(owner, ()) if self._count else ())))

    def entry(self) -> str:
        return f"{{{self.method('A')}, {self.data('A')}, {self._choices.between(-2, 4)}}}"

    def statement(self) -> str:
        self._count += 1
        choices = self._choices
        match choices.below(10):
            case 0:
                return f"m = {self.data('A')}; mb = {self.data('B')};"
            case 1:
                return f"f = {self.method('A')}; if (n % {choices.between(2, 4)}) fb = {self.method('B')};"
            case 2:
                return f"({self._object('A')}).*{self._bracketed(self.data('A'))} {choices.pick(('=', '+='))} n;"
            case 3:
                return f"p = all[n & {choices.below(2)}]; p->*m = n + {choices.below(5)}; n += p->*ms[n % 3] & 3;"
            case 4:
                return f"h = {choices.pick(('&A::h', '&A::k'))}; n += ({choices.pick(('x', 'y'))}.*h)(n) & 3;"
            case 5:
                return f"for (int i = 0; i < 3; i++) {{ n += x.*ms[i] & 3; ms[i] = {self.data('A')}; }}"
            case 6:
                return f"e[n & 1] = {self.entry()};"
            case 7:
                return f"int &r{self._count} = {self._object('B')}.*mb; r{self._count} -= n; y.*mb += 2;"
            case 8:
                name = f"mc{self._count}"
                return f"x.*md += {choices.between(1, 5)} + n; int C::*{name} = {self.data('C')}; z.*{name} = n;"
            case _:
                owner = choices.pick(("A", "B", "C"))
                return f"auto o{self._count} = {self._one(owner, _DATA)}; n += z.*({self._one('C', _DATA)}) & 3;"

    def check(self) -> str:
        self._count += 1
        choices = self._choices
        owner = choices.pick(("A", "A", "B", "C", "Side"))
        object, number = self._object(owner), choices.between(-3, 9)
        match choices.below(13):
            case 0 | 1:
                return f"({object}).*{self._bracketed(self.data(owner))}"
            case 2 | 3:
                return f"(({object}).*{self._bracketed(self.method(owner))})({number})"
            case 4:
                return f"get({self._object('A')}, {self.data('A')})"
            case 5:
                return f"call(&({self._object('A')}), {self.method('A')}, {number})"
            case 6:
                return f"steps({self._object('A')}, e, 2, n)"
            case 7:
                return f"{self.data(owner)} == {self.data(owner)}"
            case 8:
                return f"member({choices.pick(('x', 'y', 'z'))}, {self._one(owner, _DATA)})"
            case 9:
                return f"method({choices.pick(('x', 'y', 'z'))}, {self._one(owner, _METHODS)}, {number})"
            case 10:
                return f"fixed<{self._one('A', _DATA)}>({self._object('A')})"
            case 11:
                return f"run<{self._one('A', _METHODS)}>({self._object('A')}, n)"
            case _:
                return f"Sum<{choices.pick(('int', 'short', 'double'))}>{{{{{self.data('A')}, m}}}}.of({object})"

    def _object(self, owner: str) -> str:
        return self._choices.pick(_OBJECTS[owner])

    def _one(self, owner: str, all: dict[str, tuple[str, ...]]) -> str:
        return self._named(all[owner], owner)

    def _named(self, names: Sequence[str], owner: str) -> str:
        return f"&{owner}::{self._choices.pick(names)}"

    def _bracketed(self, pointer: str) -> str:
        return pointer if pointer.isidentifier() else f"({pointer})" if not pointer.startswith("(") else pointer
