"""Lambdas that are kept: members, bases, template arguments, pointers to functions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import constructs, lower_all
from tests.sim.running import run

CODE = """
struct Base {};
template <class F> struct Keep {
  F f;
  __device__ Keep(F x) : f(x) {}
  __device__ int operator()(int n) const { return f(n); }
};
template <class F> struct Pair { F f; int k; };
template <class F> Pair(F, int) -> Pair<F>;
template <class... F> struct Over : F... { using F::operator()...; };
template <class... F> Over(F...) -> Over<F...>;
template <auto F> struct Call { template <class T> __device__ int operator()(T x) const { return F(x); } };
template <class T> __device__ int kind(T) { return 1; }
template <class T> __device__ int kind(T (*)(T)) { return 2; }
template <class T> __device__ int sized(T t) { Keep k([t](int x) { return int(sizeof(t)) * 10 + x; }); return k(1); }
template <class T> concept Counts = requires(T &t) { ++t; };
template <class F, class... A> concept Calls = requires(F f, A... a) { f(a...); };
template <class T> __device__ int can(T) { return Counts<T> + Calls<T, int> * 2 + Calls<T, Base> * 4; }
template <class T> __device__ int of_type(T) { return sizeof(T); }
template <class T> struct Maybe {
  T v;
  bool has;
  template <class F> __device__ auto then(F f) const { return has ? f(v) : decltype(f(v))(-1); }
  template <class F> __device__ int size(F f) { return sizeof(decltype(f(this->v))); }
};
struct Adds {
  int v;
  __device__ auto adder() const { return [s = v](auto x) { return s + x; }; }
  __device__ int kept() { Keep k([this](int x) { return v * 10 + x; }); v = 7; return k(2); }
};
"""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("[](int n) { Keep k([=](int x) { return x + n; }); n = 9; return k(3); }(4)", 7),
        ("[](int n) { int c = 2; Keep k([&](int x) { c += x; return c; }); k(n); return k(n) * 10 + c; }(3)", 88),
        ("[](int n) { Pair p{[n](auto x) { return int(x) + n; }, 4}; return p.f(2.5) * 10 + p.k; }(3)", 54),
        ("[](int n) { Keep k([n](int x) { return x * n; }); auto l = k; return l(2) * 10 + k.f(3); }(3)", 69),
        ("Over{[](int) { return 1; }, [](float) { return 2; }, [](Base) { return 3; }}(1.5f)", 2),
        ("[](int n) { Over o{[n](int) { return n; }, [](Base) { return 3; }}; return o(1) * 10 + o(Base()); }(5)", 53),
        ("Call<[](int x) { return x * 2; }>()(4)", 8),
        ("kind([](int x) { return x; }) * 10 + kind(+[](int x) { return x; })", 12),
        ("sized('a') * 1000 + sized(1.5)", 11081),
        ("Adds{4}.adder()(3)", 7),
        ("int(sizeof(decltype(Adds{4}.adder()(1.5))))", 8),
        ("Adds{4}.kept()", 72),
        ("can([](int x) { return x; }) * 10 + can([](auto x) { return 1; })", 26),
        ("[](long n) { return of_type([n](int x) { return x + n; }); }(3)", 8),
        ("Maybe<int>{3, true}.then([](auto x) { return x * 2; })", 6),
        ("Maybe<int>{3, false}.then([](auto x) { return x * 2; })", -1),
        ("Maybe<short>{3, false}.size([](auto x) { return x * 2.0; })", 8),
    ],
)
def test_what_a_kept_lambda_gives(value: str, wanted: int) -> None:
    found = run(f"{CODE} __global__ void k(int *out) {{ out[0] = {value}; }}", {"out": np.zeros(1, np.int32)}, block=1)
    assert found.arrays["out"].tolist() == [wanted]


def test_a_lambda_that_captures_what_ends_by_code_has_no_object() -> None:
    text = f"""{CODE} struct Ends {{ int *p; __device__ ~Ends() {{ *p = 1; }} }};
    __global__ void k(int *out) {{ Ends e{{out}}; Keep k([e](int x) {{ return x; }}); out[0] = k(1); }}"""
    assert any("lambda" in each for found in lower_all(text).values() for each in constructs(found))
