"""Calls and launches as data: which function each means, and who makes it."""

from __future__ import annotations

from analysis.features.function_uses import function_at, same_function, uses
from analysis.features.launch_site import place_of
from tests.features.test_launch_site import sites

TEXT = """
    __device__ int f(int x) { return x; }
    __device__ int f(float x) { return 1; }
    template <class T> __device__ T g(T x) { return f(x); }
    __global__ void k(int *x) { *x = g(1) + f(2.0f); }
    void host(int *x) { k<<<1, 32>>>(x); }
"""


def test_overloads_and_templates_are_told_apart() -> None:
    analysis, launched = sites(TEXT)
    text = analysis.document.text
    found = [
        (
            text[use.start : use.end].decode(),
            text[: use.callee.start].count(b"\n") + 1,
            None if use.caller is None else use.caller.name,
        )
        for use in uses(analysis, launched)
    ]
    assert found == [("f", 1, "g"), ("g", 3, "k"), ("f", 2, "k"), ("k", 4, "host")]


def test_only_names_of_kernels_and_device_functions_mean_something() -> None:
    analysis, launched = sites(TEXT)
    text = analysis.document.text
    named = {text.index(b"f(2.0f)"): 2, text.index(b"k<<<"): 4, text.index(b"g(T x)"): 3}
    for offset, line in named.items():
        (place,) = function_at(analysis, launched, offset)
        assert text[: place.start].count(b"\n") + 1 == line
    for word in (b"host", b"*x = g", b"2.0f", b"32>>>"):
        assert function_at(analysis, launched, text.index(word)) == ()


DECLARED = """
    __device__ int f(int x);
    __device__ int f(float x);
    __device__ int f(const int y) { return y; }
    __device__ int f(float x) { return 1; }
    template <class T> __device__ T g(T x);
    template <class U> __device__ U g(U x) { return x; }
    template <> __device__ int g<int>(int x) { return 1; }
    namespace n { __device__ int f(int x) { return 2; } }
    struct S { __device__ int f(int x); };
    __device__ int S::f(int y) { return 3; }
"""


def test_a_function_is_one_with_its_declarations_but_not_with_its_overloads() -> None:
    analysis, _ = sites(DECLARED)
    text = analysis.document.text

    def line(offset: int) -> int:
        return text[:offset].count(b"\n")

    items = [item for item in analysis.program.unit.items if item.is_device]
    found = {
        line(item.span.start): [line(one.start) for one in same_function(analysis, place_of(item))] for item in items
    }
    first = min(found)
    relative = {number - first: [one - first for one in same] for number, same in found.items()}
    assert {number: same for number, same in relative.items() if number < 8} == {
        0: [0, 2],
        1: [1, 3],
        2: [0, 2],
        3: [1, 3],
        4: [4, 5, 6],
        5: [4, 5],
        6: [4, 6],
        7: [7],
    }
    assert relative[9] == [9]
