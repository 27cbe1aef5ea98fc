"""Virtual functions: which calls are known, and which may mean another function."""

from __future__ import annotations

import pytest

from tests.lower.check import constructs, lower_all

CLASSES = """
    struct Shape { virtual __device__ int area(int s) const = 0; virtual __device__ int edges() { return 0; } };
    struct Square : Shape { __device__ int area(int s) const override { return s * s; } };
    struct Tile final : Square { __device__ int area(int s) const override { return s; } };
    struct Disc : Shape { __device__ int area(int s) const final { return 3 * s * s; } };
    struct Plain { __device__ int area(int s) { return s; } };
"""
CASES = {
    "an object of its own": ("Square q; a[0] = q.area(2);", "Square::area"),
    "a temporary": ("a[0] = Square().area(2);", "Square::area"),
    "an inherited function of it": ("Square q; a[0] = q.edges();", "Shape::edges"),
    "a pointer": ("a[0] = square->area(2);", None),
    "a pointer to the base": ("a[0] = shape->edges();", None),
    "a reference, even to a local object": ("Square q; Shape& s = q; a[0] = s.area(2);", None),
    "a final class": ("a[0] = tile->area(2);", "Tile::area"),
    "a final function": ("a[0] = disc->area(2);", "Disc::area"),
    "no virtual function": ("a[0] = plain->area(2);", "Plain::area"),
}


@pytest.mark.parametrize("name", CASES)
def test_which_function_a_call_means(name: str) -> None:
    body, expected = CASES[name]
    pointers = "Shape* shape, Square* square, Tile* tile, Disc* disc, Plain* plain"
    lowered = lower_all(f"{CLASSES} __global__ void k(int* a, {pointers}) {{ {body} }}")
    kernel = next(found for id, found in lowered.items() if id.startswith("k("))
    assert [str(each).partition("(")[0] for each in kernel.callees] == ([] if expected is None else [expected])
    assert any("virtual call" in each for each in constructs(kernel)) == (expected is None)
