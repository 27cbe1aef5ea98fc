"""Constant objects: extents of arrays say what a member or a method is, or that it is not known."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.ir.types import ArrayType
from tests.lower.check import clean
from tests.sim.running import kernel_of, run

OBJECTS = """
#include <cuda/std/array>
struct Config {
  int tile = 16; int stages = 2; double* p = nullptr;
  static constexpr int most = 7;
  constexpr int bytes() const { return tile * stages; }
  constexpr int half() const { return this->bytes() / 2; }
  constexpr Config scaled(int by) const { return Config{tile * by, stages}; }
  int plain() const { return tile; }
};
constexpr Config big{64, 4};
constexpr Config standard{};
constexpr Config part{5};
constexpr Config designated = {.stages = 9};
constexpr Config scaled = big.scaled(2);
const Config host{3, 3};

struct Dim {
  int x, y, area;
  constexpr Dim(int a, int b = 3) : x(a), y{b}, area(0) { area = a * b; this->area += 1; }
  constexpr int operator[](int i) const { return i == 0 ? x : y; }
};
struct Shape { Dim d; int n[3]; struct In { int z; } in; };
constexpr Shape shape{Dim(2), {1, 2}, {7}};
constexpr Shape lists = {{4, 5}, {}, {}};

struct Pair { int a, b; };
constexpr Pair sums(int n) { Pair c{}; c.a = n; for (int i = 0; i < n; i++) c.b += i; return c; }
constexpr Pair doubled(int n) { return {n, n * 2}; }
constexpr int total(const Pair& p) { return p.a + p.b; }
constexpr int changed(Pair p) { Pair q = p; q.a = 100; return p.a + q.a; }
constexpr void fill(Pair& p) { p.a = 1; }
constexpr int through() { Pair p{5, 5}; fill(p); return p.a; }
constexpr Pair ten = sums(5);
constexpr auto four = doubled(4);
template <int N> struct Traits {
  static constexpr Pair s = sums(N), d{N, N + 1};
  static constexpr int table[] = {N, 2 * N};
};
template <int N> constexpr Pair of = {N, 3 * N};

constexpr int table[] = {3, 1, 4};
constexpr float weights[2][2] = {{1, 2}, {3, 4}};
constexpr int sum() { int s = 0; for (int i = 0; i < 3; i++) s += table[i]; return s; }
template <int N> struct Fibonacci {
  int v[N];
  constexpr Fibonacci() : v{} { v[0] = v[1] = 1; for (int i = 2; i < N; ++i) v[i] = v[i - 1] + v[i - 2]; }
  constexpr int last() const { return v[N - 1]; }
};
constexpr Fibonacci<6> six;
constexpr cuda::std::array<int, 3> items{5, 6, 7};
constexpr int3 vector{1, 2, 3};
struct Kernel {
  struct Options { int m, n; };
  static constexpr Options o{8, 16}; static constexpr int both = o.m * o.n;
};
struct Derived : Pair { int c; };
constexpr Derived derived{{1, 2}, 3};
union Either { int i; float f; };
constexpr Either either{3};
struct Counting { int n; constexpr Counting(int a) : n(a) {} constexpr Counting(const Counting& o) : n(o.n + 1) {} };
constexpr Counting counted{Counting(1)};
constexpr Pair self{self.b, 2};
struct Bits { unsigned a : 2; unsigned b; };
constexpr Bits bits{7, 5};
__constant__ Config given{5};
__device__ Config unset;
"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("big.tile + big.bytes()", 320),
        ("big.half()", 128),
        ("standard.bytes() + part.tile + part.stages", 39),
        ("designated.bytes() + big.most", 151),
        ("scaled.tile", 128),
        ("big.scaled(3).scaled(2).tile", 384),
        ("Config{2, 3}.bytes() + Config{}.tile", 22),
        ("shape.d.area + shape.d.y", 10),
        ("shape.n[1] + shape.n[2] + shape.in.z", 9),
        ("lists.d[1] + lists.d.area", 26),
        ("ten.b + four.b", 18),
        ("total(doubled(3)) + total({1, 2})", 12),
        ("total(doubled(3)) + total(Pair{1, 2})", 12),
        ("changed(doubled(2))", 102),
        ("Traits<4>::s.b + Traits<4>::d.b + Traits<3>::table[1]", 17),
        ("of<5>.b", 15),
        ("table[2] + sum() + (int)weights[1][0]", 15),
        ("six.v[5] + six.last()", 16),
        ("items[1] + items.size()", 9),
        ("vector.y", 2),
        ("Kernel::o.n + Kernel::both", 144),
        ("(big.tile > 5 ? big : part).stages", 4),
        ("bits.b", 5),
        ("table[3]", None),
        ("table[-1]", None),
        ("host.tile", None),
        ("big.plain()", None),
        ("through()", 1),
        ("derived.c + derived.b", 5),
        ("either.i", None),
        ("counted.n", None),
        ("self.a", None),
        ("bits.a", 3),
        ("big.missing", None),
    ],
)
def test_the_extent_of_an_array(expression: str, expected: int | None) -> None:
    text = f"{OBJECTS}__global__ void k(int *p) {{ __shared__ char s[{expression}]; p[0] = s[0]; }}"
    symbol = next(each for each in kernel_of(text).function.symbols if each.name == "s")
    assert isinstance(symbol.type, ArrayType)
    assert symbol.type.length == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("o[0] = big.tile; o[1] = table[o[2] ? 0 : 1]; o[3] = weights[1][1];", (64, 1, 0, 4)),
        ("const Config* c = &part; o[0] = c->tile; o[1] = c->stages;", (5, 2)),
        ("o[0] = six.v[o[1] ? 0 : 4]; o[2] = scaled.bytes();", (5, 0, 512)),
        ("o[0] = given.tile; o[1] = given.stages; o[2] = unset.tile; unset.tile = 8;", (5, 2, 16)),
        ("constexpr Pair l = sums(6); static constexpr auto m = doubled(ten.a); o[0] = l.b; o[1] = m.b;", (15, 10)),
        ("if constexpr (big.tile == 64) o[0] = 1; else o[0] = 2; for (int i = 0; i < four.a; i++) o[1] += i;", (1, 6)),
        (
            "o[0] = Traits<part.tile>::table[1]; constexpr int local[] = {1, 2}; char t[local[1]]; o[1] = sizeof(t);",
            (10, 2),
        ),
    ],
)
def test_what_a_kernel_reads(body: str, expected: tuple[int, ...]) -> None:
    text = f"{OBJECTS}__global__ void k(int* o) {{ {body} }}"
    clean(text)
    result = run(text, {"o": np.zeros(8, np.int32)}, block=1)
    assert result.faults == ()
    assert tuple(result.arrays["o"][: len(expected)]) == expected
