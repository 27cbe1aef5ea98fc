"""Virtual functions: which calls are known, and which may mean another function."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.model import FileFacts
from analysis.facts.settings import AnalysisSettings
from analysis.ir.function import SourceBranchKind
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.faults import FailedAssertion
from tests.lower.check import constructs, lower_all, lower_one
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
    "a pointer": ("a[0] = square->area(2);", "Square::area Tile::area"),
    "a pointer to the base": ("a[0] = shape->edges();", "Shape::edges"),
    "a pointer to the base of all": ("a[0] = shape->area(1);", "Disc::area Square::area Tile::area"),
    "a reference to a local object": ("Square q; Shape& s = q; a[0] = s.area(2);", "Square::area"),
    "a reference to what a pointer leads to": (
        "Shape& s = *square; a[0] = s.area(2);",
        "Disc::area Square::area Tile::area",
    ),
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
    assert sorted({str(each).partition("(")[0] for each in kernel.callees}) == expected.split()
    assert constructs(kernel) == []


@pytest.mark.parametrize(
    "other",
    [
        "__device__ void f() { struct Own : Shape { __device__ int area(int s) const override { return 0; } }; }",
        "template <class B> struct Mixed : B { __device__ int area(int s) const override { return 0; } };",
        "template <int N> struct Sized : Shape { __device__ int area(int s) const override { return N; } };",
        "struct Both : virtual Square {};",
        "struct Foreign : Shape { __device__ int area(int s) const override; };",
        '#include "more_shapes.h"\n',
        "extern __device__ int elsewhere(int x);",
    ],
)
def test_a_class_that_nobody_sees_may_be_meant(other: str) -> None:
    kernel = lower_one(f"{CLASSES}\n{other} __global__ void k(int* a, Shape* shape) {{ a[0] = shape->area(1); }}", "k")
    assert constructs(kernel) == ["virtual call of Shape::area"]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("template <class T> struct List { T head; }; struct Empty {}; struct Full : Empty { int n; };", ""),
        ("struct Later : Disc { __device__ int edges() override { return 9; } };", ""),
        (
            "using Alias = Square; struct Third : Alias { __device__ int area(int s) const override { return 1; } };",
            "Third",
        ),
        ("namespace n { struct Deep : Tile0 { __device__ int area(int s) const override { return 1; } }; }", "n::Deep"),
    ],
)
def test_classes_of_the_unit_are_found(other: str, expected: str) -> None:
    text = f"{CLASSES} struct Tile0 : Disc {{}}; {other} __global__ void k(int* a, Shape* s) {{ a[0] = s->area(1); }}"
    kernel = lower_one(text.replace("const final", "const override"), "k")
    assert constructs(kernel) == []
    owners = {str(each).partition("(")[0].removesuffix("::area") for each in kernel.callees}
    assert owners == {"Disc", "Square", "Tile", *expected.split()}


def test_an_edit_that_derives_a_class_is_seen() -> None:
    def facts(text: str, analyzer: Analyzer) -> FileFacts:
        return analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings()).facts

    text = f"{CLASSES} __global__ void k(int* a, Shape** s) {{ a[threadIdx.x] = s[threadIdx.x]->edges(); }}"
    edited = text + "struct Ring : Square { __device__ int edges() override { return 2; } };"
    analyzer = Analyzer()
    facts(text, analyzer)
    assert facts(edited, analyzer) == facts(edited, Analyzer())
    (kernel,) = (one for one in facts(text, analyzer).functions if one.name == "k")
    (parted,) = (one for one in facts(edited, analyzer).functions if one.name == "k")
    assert [branch.level for branch in kernel.branches] == []
    assert [branch.kind for branch in parted.branches] == [SourceBranchKind.CALL]


def test_a_run_reports_an_object_that_was_never_made() -> None:
    text = f"{CLASSES} __global__ void k(int* a) {{ __shared__ Square s[1]; Shape *p = s; a[0] = p->area(3); }}"
    (fault,) = [
        one for one in run(text, {"a": np.zeros(1, np.int32)}, block=1).faults if isinstance(one, FailedAssertion)
    ]
    assert fault.of_callee


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
