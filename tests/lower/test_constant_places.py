"""Constant expressions over objects that change: places, references, lifetimes; and what is not defined."""

from __future__ import annotations

import pytest

from analysis.ir.instructions import Call, Opaque
from analysis.ir.types import ArrayType
from tests.sim.running import kernel_of

FUNCTIONS = """
struct Vec {
  int x, y;
  constexpr Vec(int a, int b) : x(a), y(b) {}
  friend constexpr Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
  constexpr bool operator==(const Vec &) const = default;
  constexpr Vec &scale(int k) { x *= k; y *= k; return *this; }
};
constexpr int vectors() { Vec a{1, 2}; Vec b = a + Vec{3, 4}; b.scale(2).scale(3); return b.x + b.y; }
constexpr int equal() { Vec a{1, 2}, b{1, 3}; return (a == Vec{1, 2}) + (a != b) * 2; }
struct Node { int v; const Node *next; };
constexpr Node last{3, nullptr};
constexpr Node second{2, &last};
constexpr Node first{1, &second};
constexpr int total(const Node *p) { int s = 0; for (; p; p = p->next) s = s * 10 + p->v; return s; }
template <class A, class B> struct Pair { A a; B b; };
template <class A, class B> Pair(A, B) -> Pair<A, B>;
constexpr int deduced() { Pair p{1, 2L}; return sizeof(p.b) + p.a; }
struct Table {
  unsigned t[256];
  constexpr Table() : t{} {
    for (unsigned i = 0; i < 256; ++i) {
      unsigned c = i;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
  }
};
constexpr Table crc;
constexpr int through_pointers() { int x = 5; int *p = &x; int **q = &p; **q = 7; const int &r = x; x++; return r; }
constexpr int captured() {
  int s = 0, n = 3;
  auto add = [&s, n](int x) mutable { n++; s += x * n; return n; };
  auto copy = add;
  add(1); add(2); copy(1);
  int last = copy(0);
  return s * 10 + last;
}
constexpr int recursive() {
  auto f = [](auto self, int n) -> int { return n < 2 ? 1 : n * self(self, n - 1); };
  return f(f, 5);
}
struct Number { int v; constexpr operator int() const { return v; } };
constexpr Number number{6};
constexpr int from_object = number;
constexpr auto square = [](int x) { return x * x; };
constexpr int asked() { return __builtin_is_constant_evaluated() ? 7 : 70; }
constexpr int larger = std::max(3, 9);
constexpr const char *text = "hello";
constexpr int length(const char *s) { int n = 0; while (*s++) ++n; return n; }
constexpr int overflow(int n) { return 2147483647 + n; }
constexpr int shifted(int n) { return 1 << n; }
constexpr int divided(int n) { return 10 / n; }
constexpr int smallest(int n) { return (-2147483647 - 1) / n; }
constexpr int beyond(int n) { int a[3] = {1, 2, 3}; int *p = a; p += n; return *(p - 1); }
constexpr int unset(bool set) { int x; if (set) x = 4; return x; }
constexpr const int &temporary() { const int &r = 3; return r; }
constexpr const int &returned(const int &x) { return x; }
constexpr int dangling() { int *p = nullptr; { int x = 1; p = &x; } return *p; }
constexpr int null(bool is) { int x = 2; int *p = is ? nullptr : &x; return *p; }
constexpr int unordered() { int i = 1; return i++ + i++; }
constexpr int ordered() { int i = 1; int r = i++ * 10; return r + i++; }
constexpr int constant() { const int x = 1; int &y = const_cast<int &>(x); y = 2; return x; }
constexpr int compared() { int a, b; return &a == &b ? 5 : 6; }
constexpr int behind() { int a[2] = {1, 2}; return a + 2 - a; }
int plain() { return 3; }
constexpr int calls(bool is) { return is ? 3 : plain(); }
"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("vectors()", 60),
        ("equal()", 3),
        ("total(&first)", 123),
        ("deduced()", 9),
        ("crc.t[255] >> 24", 0x2D),
        ("through_pointers()", 8),
        ("captured()", 185),
        ("recursive()", 120),
        ("from_object", 6),
        ("square(4)", 16),
        ("asked()", 7),
        ("larger", 9),
        ("length(text) + text[1] - 'e'", 5),
        ("overflow(0) / 1000000000", 2),
        ("overflow(1)", None),
        ("shifted(5)", 32),
        ("shifted(32)", None),
        ("divided(3)", 3),
        ("divided(0)", None),
        ("smallest(-1)", None),
        ("beyond(3)", 3),
        ("beyond(4)", None),
        ("beyond(0)", None),
        ("unset(true)", 4),
        ("unset(false)", None),
        ("temporary()", None),
        ("returned(8)", 8),
        ("dangling()", None),
        ("null(false)", 2),
        ("null(true)", None),
        ("unordered()", None),
        ("ordered()", 12),
        ("constant()", None),
        ("compared()", 6),
        ("behind()", 2),
        ("calls(true)", 3),
        ("calls(false)", None),
    ],
)
def test_the_extent_of_an_array(expression: str, expected: int | None) -> None:
    text = f"{FUNCTIONS}__global__ void k(int *p) {{ __shared__ char s[{expression}]; p[0] = s[0]; }}"
    symbol = next(each for each in kernel_of(text).function.symbols if each.name == "s")
    assert isinstance(symbol.type, ArrayType)
    assert symbol.type.length == expected


def test_what_the_compiler_calls_no_thread_calls() -> None:
    body = "constexpr int n = vectors(); int m = 0; p[0] = n + m;"
    function = kernel_of(f"{FUNCTIONS}__global__ void k(int *p) {{ {body} }}").function
    assert not any(isinstance(found, Opaque | Call) for _, found in function.instructions())
