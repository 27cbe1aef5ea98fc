"""Control flow that enters statements in the middle, and loops over ranges."""

from __future__ import annotations

from analysis.ir.instructions import Switch
from tests.lower.check import body, branches, clean, constructs, lower_one


def test_a_label_inside_a_loop_is_entered_from_the_switch() -> None:
    text = """
        __global__ void k(int* a, int n) { int i = 0;
          switch (n) { case 0: do { a[i++] = 0; case 1: a[i++] = 1; } while (i < n); } }"""
    lowered = lower_one(text, "k")
    assert constructs(lowered) == []
    found = [block.terminator for block in lowered.function.blocks if isinstance(block.terminator, Switch)]
    assert [case.value for case in found[0].cases] == [0, 1]
    assert len({case.target for case in found[0].cases} | {found[0].default}) == 3
    assert "phi" in body(lowered)


def test_a_nested_switch_keeps_its_labels() -> None:
    text = """
        __global__ void k(int* a, int n) {
         switch (n) { { case 1: switch (a[0]) { case 1: a[1] = 1; default: a[2] = 1; } break; } case 2: a[3] = 1; } }"""
    function = next(iter(clean(text).values())).function
    found = [block.terminator for block in function.blocks if isinstance(block.terminator, Switch)]
    assert sorted([case.value for case in each.cases if case.value is not None] for each in found) == [[1], [1, 2]]


def test_labels_with_nothing_between_them_lead_to_one_block() -> None:
    text = """
        __global__ void k(int* a, int n) {
          switch (n) { case 0: case 1: default: a[0] = 1; break; case 2: a[1] = 1; case 3: a[2] = 1; } }"""
    (found,) = [
        block.terminator
        for block in next(iter(clean(text).values())).function.blocks
        if isinstance(block.terminator, Switch)
    ]
    zero, one, two, three = (case.target for case in found.cases)
    assert zero == one == found.default
    assert len({zero, two, three}) == 3


def test_an_empty_label_at_the_end_of_a_loop_does_not_join_the_label_behind_the_loop() -> None:
    text = """
        __global__ void k(int* a, int n) { int i = 0;
          switch (n) { case 0: do { a[i++] = 0; case 1: ; } while (i < n); case 2: a[i] = 1; } }"""
    function = next(iter(clean(text).values())).function
    (found,) = [block.terminator for block in function.blocks if isinstance(block.terminator, Switch)]
    assert len({case.target for case in found.cases}) == 3


def test_a_label_outside_a_switch_is_admitted() -> None:
    assert constructs(lower_one("__global__ void k(int* a) { case 1: a[0] = 1; }", "k")) != []


def test_ranges_with_elements() -> None:
    lowered = clean("""
        __global__ void k(int* a, float2* f) {
          std::array<int, 3> v; for (auto& x : v) x = 1; for (int x : {1, a[0]}) a[x] = 2;
          float2 w[2]; w[0] = f[0]; w[1] = f[1]; for (auto [p, q] : w) a[(int)p] = q; }""")
    assert branches(next(iter(lowered.values()))) == ["loop:for", "loop:for", "loop:for"]


def test_an_unknown_range_is_a_loop_over_unknown_elements() -> None:
    lowered = lower_one("__global__ void k(int* a, Vec v) { for (auto x : v) if (x) a[0] = 1; }", "k")
    assert constructs(lowered) == ["for over a range", "element of a range"]
    assert branches(lowered) == ["loop:for", "if:if"]


def test_a_label_of_another_type_is_what_the_switch_compares() -> None:
    text = "__global__ void k(int* a, int n) { switch (n) { case 0xffffffff: a[0] = 1; break; case 3u: a[1] = 1; } }"
    function = next(iter(clean(text).values())).function
    (found,) = [block.terminator for block in function.blocks if isinstance(block.terminator, Switch)]
    assert [case.value for case in found.cases] == [-1, 3]
