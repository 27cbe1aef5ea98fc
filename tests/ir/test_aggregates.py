"""How aggregates fall apart and fold, and which phis go: the corners that ordinary programs rarely reach."""

from __future__ import annotations

from analysis.ir.promote import promote
from tests.ir.check import check_pass, stays, well_formed


def test_a_nested_aggregate_is_loaded_member_by_member() -> None:
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %m: s32, %out: ptr<global struct Outer>) {
          struct Pair { a: s32 @0, b: s32 @4 } size 8 align 4
          struct Outer { pair: struct Pair @0, c: s32 @8 } size 12 align 4
          local $o: struct Outer
        entry:
          %o: ptr<local struct Outer> = address $o
          %pair: ptr<local struct Pair> = field %o, 0
          %both: struct Pair = build %n, %m
          store %pair, %both
          %c: ptr<local s32> = field %o, 1
          %two: s32 = const 2
          store %c, %two
          %all: struct Outer = load %o
          store %out, %all
          return
        }""",
        """
        kernel @k(%n: s32, %m: s32, %out: ptr<global struct Outer>) {
          struct Pair { a: s32 @0, b: s32 @4 } size 8 align 4
          struct Outer { pair: struct Pair @0, c: s32 @8 } size 12 align 4
        entry:
          %two: s32 = const 2
          %both: struct Pair = build %n, %m
          %all: struct Outer = build %both, %two
          store %out, %all
          return
        }""",
    )


def test_pointer_arithmetic_moves_within_an_array() -> None:
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
          local $t: [3 x s32]
        entry:
          %t: ptr<local [3 x s32]> = address $t
          %one: s32 = const 1
          %second: ptr<local s32> = element %t, %one
          %third: ptr<local s32> = element %second, %one
          store %third, %n
          %two: s32 = const 2
          %same: ptr<local s32> = element %t, %two
          %v: s32 = load %same
          store %out, %v
          return
        }""",
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
        entry:
          store %out, %n
          return
        }""",
    )


def test_an_address_that_is_returned_escapes() -> None:
    stays(
        promote,
        """
        device @f(%n: s32) -> ptr<local s32> {
          local $x: s32
        entry:
          %x: ptr<local s32> = address $x
          store %x, %n
          return %x
        }""",
    )


def test_a_pointer_variable_read_as_a_pointer_to_something_else_stays() -> None:
    stays(
        promote,
        """
        kernel @k(%q: ptr<global s32>) {
          local $p: ptr<global s32>
        entry:
          %p: ptr<local ptr<global s32>> = address $p
          store %p, %q
          %r: ptr<global f32> = load %p
          %v: f32 = load %r
          return
        }""",
    )


def test_members_in_another_order_or_of_two_objects_make_a_new_object() -> None:
    stays(
        promote,
        """
        kernel @k(%v: <2 x f32 align 8>, %w: <2 x f32 align 8>, %out: ptr<global <2 x f32 align 8>>) {
        entry:
          %x: f32 = extract %v, 0
          %y: f32 = extract %v, 1
          %z: f32 = extract %w, 1
          %swapped: <2 x f32 align 8> = build %y, %x
          store %out, %swapped
          %mixed: <2 x f32 align 8> = build %x, %z
          store %out, %mixed
          return
        }""",
    )


def test_an_inserted_member_is_taken_out_again_and_no_other() -> None:
    check_pass(
        promote,
        """
        kernel @k(%v: <2 x f32 align 8>, %f: f32, %out: ptr<global f32>) {
        entry:
          %w: <2 x f32 align 8> = insert %v, 0, %f
          %x: f32 = extract %w, 0
          store %out, %x
          %y: f32 = extract %w, 1
          store %out, %y
          return
        }""",
        """
        kernel @k(%v: <2 x f32 align 8>, %f: f32, %out: ptr<global f32>) {
        entry:
          %w: <2 x f32 align 8> = insert %v, 0, %f
          store %out, %f
          %y: f32 = extract %w, 1
          store %out, %y
          return
        }""",
    )


def test_shared_objects_stay_even_where_nobody_uses_them() -> None:
    # they take memory at the launch
    promoted = promote(
        well_formed(
            """
            kernel @k(%n: s32) {
              local $x: s32
              shared $tile: [64 x f32]
              local $unused: s32
            entry:
              %x: ptr<local s32> = address $x
              store %x, %n
              return
            }"""
        )
    )
    assert [symbol.name for symbol in promoted.symbols] == ["tile"]


def test_a_redundant_set_inside_a_set_that_is_not() -> None:
    # `outer` merges two values; `p` and `q` copy each other and `outer` only
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %m: s32, %c: bool, %out: ptr<global s32>) {
        entry:
          jump head
        head:
          %outer: s32 = phi entry: %n, odd: %m, end: %p
          branch %c, p, q !0 if
        p:
          %p: s32 = phi head: %outer, q: %q
          branch %c, q, end !1 loop
        q:
          %q: s32 = phi head: %outer, p: %p
          branch %c, p, odd !2 if
        odd:
          store %out, %q
          jump head
        end:
          store %out, %p
          jump head
        }""",
        """
        kernel @k(%n: s32, %m: s32, %c: bool, %out: ptr<global s32>) {
        entry:
          jump head
        head:
          %outer: s32 = phi entry: %n, odd: %m, end: %outer
          branch %c, p, q !0 if
        p:
          branch %c, q, end !1 loop
        q:
          branch %c, p, odd !2 if
        odd:
          store %out, %outer
          jump head
        end:
          store %out, %outer
          jump head
        }""",
    )
