"""Where objects end, and in which order: each end writes its number down, and the numbers are what C++ says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import clean, constructs, lower_all, lower_one
from tests.sim.running import run

TRACE = """
__device__ void note(int *o, int v) { if (o[0] < 30) o[++o[0]] = v; }
struct T {
  int *o; int id;
  __device__ T(int *p, int i) : o(p), id(i) {}
  __device__ T(const T &t) : o(t.o), id(t.id + 10) { note(o, 100 + id); }
  __device__ ~T() { note(o, id); }
  __device__ operator bool() const { return id > 2; }
};
struct Two {
  T first, second;
  __device__ Two(int *p) : second(p, 2), first(p, 1) {}
  __device__ ~Two() { note(first.o, 50); }
};
struct Heir : T { T own; __device__ Heir(int *p) : T(p, 1), own(p, 2) {} };
struct Last : Heir {
  __device__ Last(int *p) : Heir(p) {}
  __device__ ~Last() { if (id == 1) { note(o, 60); return; } note(o, 61); }
};
struct Defaulted { T t; __device__ ~Defaulted() = default; };
struct Outside { int *o; __device__ ~Outside(); };
__device__ Outside::~Outside() { note(o, 70); }
template <class V> struct Box { V value; int *o; __device__ ~Box() { note(o, 80); } };
union Either { T t; int n; __device__ Either() : n(0) {} __device__ ~Either() {} };
struct Base { int *o; __device__ virtual ~Base() { note(o, 90); } };
struct Derived : Base { __device__ ~Derived() override { note(o, 91); } };
__device__ T made(int *o, int i) { return T(o, i); }
__device__ T named(int *o, int i) { T t(o, i); return t; }
__device__ T passed(T t) { return t; }
__device__ int look(const T &t) { return t.id; }
__device__ int take(T t) { t.id++; return t.id; }
"""


@pytest.mark.parametrize(
    ("body", "trace"),
    [
        ("T a(o, 1); T b(o, 2);", [2, 1]),
        ("{ T a(o, 1); note(o, 8); } note(o, 9);", [8, 1, 9]),
        ("T a(o, 1); if (n == 3) return; note(o, 9);", [1]),
        ("T a(o, 1); { T b(o, 2); if (n == 3) return; } note(o, 9);", [2, 1]),
        ("for (int i = 0; i < 3; i++) { T a(o, i); if (i == 0) continue; if (i == 1) break; note(o, 9); }", [0, 1]),
        ("for (T a(o, 1); n < 5; n++) { T b(o, n); }", [3, 4, 1]),
        ("while (T a = made(o, n--)) { T b(o, 7); if (n == 2) continue; }", [7, 3, 2]),
        ("while (T a = made(o, n--)) { T b(o, 7); break; }", [7, 3]),
        ("do { T a(o, n); if (n == 2) break; } while (n--);", [3, 2]),
        ("if (T a(o, 5); T b = made(o, 1)) { note(o, 8); } else { note(o, 9); } note(o, 10);", [9, 1, 5, 10]),
        (
            "switch (T a(o, 1); n) { case 2: note(o, 2); case 3: { T b(o, 3); } case 4: { T c(o, 4); break; } }",
            [3, 4, 1],
        ),
        ("{ T a(o, 1); { T b(o, 2); goto end; } } end: note(o, 9);", [2, 1, 9]),
        ("again: { T a(o, n); if (n++ < 5) goto again; } note(o, 9);", [3, 4, 5, 9]),
        ("T z(o, 0); again: T a(o, n); if (n++ < 4) goto again;", [3, 4, 0]),
        ("{ goto inside; inside: T a(o, 1); }", [1]),
        ("T a[3] = {T(o, 1), T(o, 2), T(o, 3)};", [3, 2, 1]),
        ("T a[2][2] = {{T(o, 1), T(o, 2)}, {T(o, 3), T(o, 4)}};", [4, 3, 2, 1]),
        ("Two t(o);", [50, 2, 1]),
        ("Heir h(o);", [2, 1]),
        ("Last l(o);", [60, 2, 1]),
        ("Defaulted d{T(o, 1)};", [1]),
        ("Outside x{o};", [70]),
        ("Box<T> b{T(o, 1), o};", [80, 1]),
        ("Either e;", []),
        ("Derived d; d.o = o;", [91, 90]),
        ("look(T(o, 1)); note(o, 9);", [1, 9]),
        ("n = look(T(o, 1)) + look(T(o, 2)); note(o, 9);", [2, 1, 9]),
        ("int m = (T(o, 1), look(T(o, 2))); note(o, 9);", [2, 1, 9]),
        ("made(o, 1); note(o, 9);", [1, 9]),
        ("n = take(T(o, 1)) + (note(o, 9), 0); note(o, 8);", [9, 2, 8]),
        ("T a(o, 1); n = take(a); note(o, 9);", [111, 12, 9, 1]),
        ("T a = made(o, 1); T b = named(o, 2); auto c = made(o, 3);", [3, 2, 1]),
        ("T a = T(T(o, 1)); note(o, 9);", [9, 1]),
        ("T a(o, 1); auto b = a; note(o, 9);", [111, 9, 11, 1]),
        ("T a = passed(T(o, 1)); note(o, 9);", [111, 1, 9, 11]),
        ("const T &r = made(o, 1); note(o, 9);", [9, 1]),
        ("T &&r = T(o, 1); note(o, 9);", [9, 1]),
        ("const T &r = Two(o).second; note(o, 9);", [9, 50, 2, 1]),
        ("auto &&r = named(o, 1); T a(o, 2);", [2, 1]),
        ("bool b = n > 2 && T(o, 4); note(o, b);", [4, 1]),
        ("bool b = n > 5 && T(o, 4); note(o, b);", [0]),
        ("for (int i = 0; i < 4; i++) { bool b = i == 2 || look(T(o, i)) > 2; }", [0, 1, 3]),
        ("if (n > 5 || T(o, 4)) note(o, 9); note(o, 8);", [4, 9, 8]),
        ("if (n > 2 || T(o, 4)) note(o, 9); note(o, 8);", [9, 8]),
        ("while (n-- > 1 && T(o, n)) { if (n == 9) break; note(o, 9); }", [2]),
        ("T a = n > 2 ? T(o, 1) : T(o, 2); note(o, 9);", [9, 1]),
        ("T z(o, 7); T a = n > 5 ? T(o, 1) : z; note(o, 9);", [117, 9, 17, 7]),
        ("n = look(n > 2 ? T(o, 1) : T(o, 2)); note(o, 9);", [1, 9]),
        (
            "auto f = [=](int m) { T a(o, m); if (m > 2) return 1; T b(o, 8); return 2; }; f(3); note(o, 9); f(1);",
            [3, 9, 8, 1],
        ),
        ("auto f = [=] { return T(o, 1); }; T a = f(); f(); note(o, 9);", [1, 9, 1]),
        ("for (const T &t : {T(o, 1), T(o, 2)}) note(o, 9);", [9, 9, 2, 1]),
        ("T a[2] = {T(o, 1), T(o, 2)}; for (T t : a) note(o, 9);", [111, 9, 11, 112, 9, 12, 2, 1]),
        ("static_assert(true); T(o, 1), note(o, 9);", [9, 1]),
        ("n = ({ T a(o, 1); look(a); }); note(o, n);", [1, 1]),
        ("alignas(T) char c[sizeof(T)]; T *p = new (c) T(o, 1); note(o, 9); p->~T(); note(o, 8);", [9, 1, 8]),
        ("T *p = new T(o, 1); note(o, 9); delete p;", [9, 1]),
        ("T *p = nullptr; delete p; note(o, 9);", [9]),
        ("int *p = &n; using Int = int; p->~Int(); note(o, n);", [3]),
    ],
)
def test_what_ends_in_which_order(body: str, trace: list[int]) -> None:
    text = f"{TRACE} __device__ void run(int *o, int n) {{ {body} }}\n__global__ void k(int *o, int n) {{ run(o, n); }}"
    clean(text)
    found = run(text, {"o": np.zeros(32, np.int32), "n": 3}, block=1)
    written = found.arrays["o"].tolist()
    assert written[1 : written[0] + 1] == trace
    assert found.faults == ()


def test_a_destructor_changes_what_the_object_refers_to() -> None:
    text = """
    struct Guard { int &r; __device__ Guard(int &a) : r(a) {} __device__ ~Guard() { r = threadIdx.x; } };
    __global__ void k(int *out, int n) { int x = n; { Guard g(x); } out[threadIdx.x] = x; }
    """
    clean(text)
    assert run(text, {"out": np.zeros(4, np.int32), "n": 7}, block=4).arrays["out"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("body", "construct"),
    [
        ("struct L : Base {}; Base *b = (Base *)t; delete b;", "virtual destructor of Base"),
        ("Hidden h;", "call of Hidden::~Hidden, whose body is not visible"),
        ("auto f = [copy = *t] { return copy.id; }; f();", "copy of T, which copies by code"),
        ("Counted c; auto f = [c] { return c.n; }; f();", "destructor of Counted"),
        ("sometimes(n);", "return of y, which a compiler may copy or not"),
    ],
)
def test_what_is_not_known_of_an_end_is_opaque(body: str, construct: str) -> None:
    text = f"""{TRACE} struct Hidden {{ __device__ ~Hidden(); }};
    struct Counted {{ int n; __device__ ~Counted() {{ n++; }} }};
    __device__ T sometimes(int n) {{ if (n) {{ T y((int *)0, 2); return y; }} return T((int *)0, 1); }}
    __global__ void k(T *t, int n) {{ {body} }}"""
    assert construct in [each for lowered in lower_all(text).values() for each in constructs(lowered)]


def test_the_parameter_of_a_kernel_ends_on_the_host() -> None:
    text = f"{TRACE} __global__ void k(T t, int *o) {{ o[0] = t.id; }}"
    assert constructs(lower_one(text, "k")) == []
    assert not lower_one(text, "k").callees


def test_shared_objects_neither_begin_nor_end() -> None:
    text = f"{TRACE} __global__ void k() {{ __shared__ Derived d; }}"
    assert not lower_one(text, "k").callees


@pytest.mark.parametrize("statement", ["Idle i(x);", "Empty e; e.n = 1;", "T *g = nullptr;", "int i(x);"])
def test_objects_that_just_end_cost_nothing(statement: str) -> None:
    text = f"""{TRACE}
    struct Idle {{ int n; __device__ Idle(int a) : n(a) {{}} __device__ ~Idle() = default; }};
    struct Empty {{ int n; __device__ ~Empty() {{}} }};
    __global__ void k(int *out, int n) {{ int x = n; {{ {statement} }} out[threadIdx.x] = x; }}"""
    lowered = lower_one(text, "k")
    assert constructs(lowered) == []
    assert not any("~" in callee for callee in lowered.callees)
