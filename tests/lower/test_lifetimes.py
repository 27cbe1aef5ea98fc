"""Objects whose end runs code: every way in which one begins to live says so, nothing else does."""

from __future__ import annotations

import pytest

from tests.lower.check import constructs, lower_all, lower_one

GUARD = """
struct Guard { int &r; __device__ Guard(int &a) : r(a) {} __device__ ~Guard() { r = threadIdx.x; } };
struct Plain { int *r; __device__ ~Plain() { *r = threadIdx.x; } };
struct Inside { int n; Guard g; __device__ Inside(int &a) : g(a) {} };
struct Derived : Guard { __device__ Derived(int &a) : Guard(a) {} };
struct Idle { int n; __device__ Idle(int a) : n(a) {} __device__ ~Idle() = default; };
struct Empty { int n; __device__ ~Empty() {} };
struct Points { Guard *g; };
__device__ Guard make(int &a) { return Guard(a); }
__device__ Plain made(int &a) { return {&a}; }
__device__ void take(Plain g) {}
__device__ void look(const Guard &g) {}
"""


@pytest.mark.parametrize(
    ("statement", "owner"),
    [
        ("Guard g(x);", "Guard"),
        ("Guard g{x};", "Guard"),
        ("Guard g = Guard(x);", "Guard"),
        ("auto g = Guard(x);", "Guard"),
        ("Guard(x);", "Guard"),
        ("look(Guard(x));", "Guard"),
        ("auto g = make(x);", "Guard"),
        ("Inside i(x);", "Guard"),
        ("Derived d(x);", "Guard"),
        ("Plain p{&x};", "Plain"),
        ("Plain p[2];", "Plain"),
        ("Plain *p = new Plain; delete p;", "Plain"),
    ],
)
def test_where_an_object_begins_its_end_is_opaque(statement: str, owner: str) -> None:
    text = f"{GUARD} __global__ void k(int *out, int n) {{ int x = n; {{ {statement} }} out[threadIdx.x] = x; }}"
    assert f"destructor of {owner}" in constructs(lower_one(text, "k"))


@pytest.mark.parametrize("name", ["made", "take"])
def test_results_and_parameters_end_too(name: str) -> None:
    text = f"{GUARD} __global__ void k(int *out, Plain p) {{ int x; take(p); made(x); }}"
    found = {str(id).partition("(")[0]: constructs(lowered) for id, lowered in lower_all(text).items()}
    assert found[name] == ["destructor of Plain"]
    assert found["k"] == []  # the parameter of a kernel ends on the host


@pytest.mark.parametrize(
    "statement", ["Idle i(x);", "Empty e; e.n = 1;", "Points p; p.g = nullptr;", "Guard *g = nullptr;", "int i(x);"]
)
def test_objects_that_just_end_say_nothing(statement: str) -> None:
    text = f"{GUARD} __global__ void k(int *out, int n) {{ int x = n; {{ {statement} }} out[threadIdx.x] = x; }}"
    assert constructs(lower_one(text, "k")) == []
