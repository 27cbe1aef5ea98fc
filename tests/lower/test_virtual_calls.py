"""Virtual functions: which calls are known, and which may mean another function."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.check import constructs, lower_all
from tests.sim.running import run

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
    "a reference to a local object": ("Square q; Shape& s = q; a[0] = s.area(2);", "Square::area"),
    "a reference to what a pointer leads to": ("Shape& s = *square; a[0] = s.area(2);", None),
    "a function that is named with its class": ("a[0] = square->Shape::edges();", "Shape::edges"),
    "a member": ("struct { Square q; } s; a[0] = s.q.area(2);", "Square::area"),
    "an element": ("Square q[2]; a[0] = q[1].area(2);", "Square::area"),
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


FRAME = """
    struct Part { int p = 7; };
    struct Frame {
      int begun;
      __device__ Frame() { begun = kind(); }
      __device__ ~Frame() { last = kind(); }
      __device__ virtual int kind() const { return 1; }
      __device__ virtual int scaled(int by = 3) const = 0;
      __device__ int both() const { return scaled() * 10 + this->kind(); }
      __device__ int rounds(int n) const { return n ? rounds(n - 1) + kind() : (*this).kind(); }
      static int last;
    };
    __device__ int Frame::last;
    struct Window : Part, Frame {
      int made;
      __device__ Window() { made = kind(); }
      __device__ int kind() const override { return 2; }
      __device__ int scaled(int by = 5) const override { return by * p; }
      __device__ int of_frame() const { return Frame::kind(); }
    };
    struct Door final : Window {
      __device__ int kind() const override { return Window::kind() + 1; }
    };
"""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("Window().both()", 212),
        ("Door().both()", 213),
        ("Door().rounds(2)", 9),
        ("Window().begun * 10 + Window().made", 12),
        ("Window().scaled()", 35),
        ("Window().of_frame() * 10 + Door().Frame::kind()", 11),
        ("[] { Door d; const Frame &f = d; return f.scaled() * 10 + f.kind(); }()", 213),
        ("[] { { Door d; } return Frame::last; }()", 1),
        ("[] { Door d; auto f = [&] { return d.kind(); }; return f(); }()", 3),
    ],
)
def test_what_runs_is_the_final_overrider(value: str, wanted: int) -> None:
    found = run(f"{FRAME} __global__ void k(int *out) {{ out[0] = {value}; }}", {"out": np.zeros(1, np.int32)}, block=1)
    assert found.arrays["out"].tolist() == [wanted]
