"""Calls and launches as data: which function each means, and who makes it."""

from __future__ import annotations

from analysis.features.function_uses import function_at, uses
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
