"""Calls of `constexpr` functions are constants: extents of arrays say what they give, or that it is not known."""

from __future__ import annotations

import pytest

from analysis.ir.types import ArrayType
from tests.sim.running import kernel_of

FUNCTIONS = """
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
template <int N> constexpr int half() { return N / 2; }
template <class T> constexpr T larger(T a, T b) { return a > b ? a : b; }
constexpr int log2(int n) { int r = 0; while (n >>= 1) ++r; return r; }
constexpr int power(int base, int times = 2) { int p = 1; for (int i = 0; i < times; i++) p *= base; return p; }
constexpr int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
constexpr int gcd(int a, int b) { if (b == 0) return a; else { return gcd(b, a % b); } }
constexpr unsigned char narrow(int x) { return x; }
constexpr int collatz(int n) {
  int s = 0;
  while (n != 1) { if (n % 2) { n = 3 * n + 1; } else { n /= 2; } s++; }
  return s;
}
constexpr int steps() { int i = 3; int j = 10; i++; --i; j -= i; return j; }
constexpr int nested() { int i = 3; return 10 + i++; }
constexpr int forever(int n) { while (n) { n = 1; } return n; }
constexpr int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
constexpr int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
constexpr int shadowed() { int i = 1; { int i = 2; i++; } return i; }
constexpr int chosen_case(int n) {
  int r = 1;
  switch (n) { case 1: r += 1; case 2: r *= 3; break; case 3: { r = 20; } break; default: r = 7; }
  return r;
}
constexpr int other_type(int n) { switch (n) { case 0xffffffffu: return 3; } return 4; }
constexpr int two_labels(int n) { switch (n) { case 5: case 6: return 1; default: break; } return 100; }
constexpr int hidden_label(int n) { switch (n) { case 1: { case 3: return 1; } default: return 2; } }
constexpr int at_least_once(int n) { int r = 0; do { r++; } while (r < n); return r; }
constexpr int odd_ones(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 2 == 0) continue; s += i; } return s; }
constexpr int first_square_above(int n) { int i = 0; for (;; ++i) { if (i * i > n) break; } return i; }
constexpr int total() { int a[4] = {1, 2, 3, 4}; int s = 0; for (int v : a) { s += v; v = 9; } return s; }
constexpr int until_three() { int a[4] = {1, 2, 3, 4}; int s = 0;
  for (int v : a) { if (v == 3) break; s += v; } return s; }
constexpr int counted_down(int n) { int s = 0, d = n; while (d-- > 0) { int s2 = d * 2; s += s2; } return s + 2; }
constexpr int either(int n) { int a = 1; return (n && (a = 10)) ? a + 2 : a + 2; }
constexpr int unsequenced(int n) { return n++ + n; }
constexpr int leaves_alone(int n) { int r = n; { int r = 7; r = 8; } r += 1; return r; }
constexpr int reads_copies() { int a[3] = {1, 2, 3}; int s = 0; for (int v : a) { int w = v; s += w; } return s; }
struct Counter {
  int n = 2, last = 0;
  constexpr void add(int by) { last = n; n += by; }
  constexpr int next() { return n++; }
  constexpr int peek() const { return n; }
  constexpr Counter &twice() { n *= 2; return *this; }
  constexpr void maybe(int by) { if (by > 3) add(by); }
};
struct Holder { Counter inner; constexpr void bump() { inner.add(1); } constexpr int read() const { return inner.n; } };
constexpr int moved() { Counter c; c.add(5); c.add(1); return c.peek() * 10 + c.last; }
constexpr int drawn() { Counter c; int a = c.next(); int b = c.next(); return a * 100 + b * 10 + c.n; }
constexpr int doubled() { Counter c; c.twice(); Counter d = c; d.add(1); return c.n * 10 + d.n; }
constexpr int within() { Holder h; h.bump(); h.bump(); return h.read(); }
constexpr int chained() { Counter c; c.twice().add(1); return c.n; }
constexpr int kept() { const Counter c; int r = 0; { Counter c; c.add(3); r = c.n; } return r * 10 + c.n; }
constexpr int indexed(int n) { int a[3] = {1, 2, 3}; return a[n]; }
constexpr int from(const int *p) { return *p; }
int plain(int a) { return a; }
struct Shape { static constexpr int area(int w) { return w * w; } };
namespace n { constexpr int twice(int x) { return 2 * x; } }
"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("ceil_div(100, 8)", 13),
        ("half<64>()", 32),
        ("larger(3, 7) + larger<int>(2, 1)", 9),
        ("log2(32)", 5),
        ("power(3) + power(2, 5)", 41),
        ("factorial(5)", 120),
        ("gcd(48, 36)", 12),
        ("narrow(259)", 3),
        ("collatz(6)", 8),
        ("steps()", 7),
        ("n::twice(Shape::area(3))", 18),
        ("ceil_div(half<128>(), log2(16))", 16),
        ("forever(1)", None),
        ("deep(1000)", None),
        ("fibonacci(60)", None),
        ("shadowed()", 1),
        ("nested()", 13),
        ("chosen_case(1)", 6),
        ("chosen_case(2)", 3),
        ("chosen_case(3)", 20),
        ("chosen_case(9)", 7),
        ("other_type(-1)", 3),
        ("moved()", 87),
        ("drawn()", 234),
        ("doubled()", 45),
        ("within()", 4),
        ("chained()", 5),
        ("kept()", 52),
        ("two_labels(5)", 1),
        ("two_labels(6)", 1),
        ("two_labels(7)", 100),
        ("hidden_label(3)", None),
        ("at_least_once(0)", 1),
        ("odd_ones(10)", 25),
        ("first_square_above(50)", 8),
        ("total()", 10),
        ("until_three()", 3),
        ("counted_down(4)", 14),
        ("either(0)", 3),
        ("either(1)", 12),
        ("unsequenced(3)", None),
        ("leaves_alone(3)", 4),
        ("reads_copies()", 6),
        ("indexed(1)", 2),
        ("plain(3)", None),
        ("ceil_div(1, 0)", None),
        ("ceil_div(3)", None),
        ("unknown(3)", None),
    ],
)
def test_the_extent_of_an_array(expression: str, expected: int | None) -> None:
    text = f"{FUNCTIONS}__global__ void k(int *p) {{ __shared__ char s[{expression}]; p[0] = s[0]; }}"
    (symbol,) = kernel_of(text).function.symbols
    assert isinstance(symbol.type, ArrayType)
    assert symbol.type.length == expected


@pytest.mark.parametrize(
    ("declared", "expression", "expected"),
    [
        ("constexpr auto square = [](int x) { return x * x; };", "square(3)", 9),
        ("auto plus = [](auto a, auto b) { return a + b; };", "plus(2, 3)", 5),
        ("constexpr auto twice = [](auto f, int x) { return f(f(x)); };", "twice([](int x) { return x * 3; }, 2)", 18),
        ("const int n = 4; auto f = [=](int x) { return x + n; };", "f(3)", None),
    ],
)
def test_a_lambda_without_captures_is_constant(declared: str, expression: str, expected: int | None) -> None:
    text = f"__global__ void k(int *p) {{ {declared} __shared__ char s[{expression}]; p[0] = s[0]; }}"
    symbol = next(each for each in kernel_of(text).function.symbols if each.name == "s")
    assert isinstance(symbol.type, ArrayType)
    assert symbol.type.length == expected
