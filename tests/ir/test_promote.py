"""Memory form in, SSA out; one phenomenon per test."""

from __future__ import annotations

from analysis.ir.instructions import Undefined
from analysis.ir.promote import promote
from tests.ir.check import check_pass, stays


def test_a_loop_counter_becomes_a_phi() -> None:
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
          local $i: s32
        entry:
          %a: ptr<local s32> = address $i
          %zero: s32 = const 0
          store %a, %zero
          jump head
        head:
          %b: ptr<local s32> = address $i
          %x: s32 = load %b
          %c: bool = lt %x, %n
          branch %c, body, end !0 loop
        body:
          store %out, %x
          %d: ptr<local s32> = address $i
          %y: s32 = load %d
          %one: s32 = const 1
          %z: s32 = add %y, %one
          store %d, %z
          jump head
        end:
          return
        }""",
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
        entry:
          %zero: s32 = const 0
          jump head
        head:
          %i: s32 = phi entry: %zero, body: %next
          %c: bool = lt %i, %n
          branch %c, body, end !0 loop
        body:
          store %out, %i
          %one: s32 = const 1
          %next: s32 = add %i, %one
          jump head
        end:
          return
        }""",
    )


def test_no_phi_where_nobody_reads_the_variable_again() -> None:
    check_pass(
        promote,
        """
        kernel @k(%c: bool, %out: ptr<global s32>) {
          local $x: s32
        entry:
          %a: ptr<local s32> = address $x
          %one: s32 = const 1
          branch %c, then, end !0 if
        then:
          store %a, %one
          %v: s32 = load %a
          store %out, %v
          jump end
        end:
          return
        }""",
        """
        kernel @k(%c: bool, %out: ptr<global s32>) {
        entry:
          %one: s32 = const 1
          branch %c, then, end !0 if
        then:
          store %out, %one
          jump end
        end:
          return
        }""",
    )


def test_reading_before_any_store_gives_one_undefined_value() -> None:
    promoted = check_pass(
        promote,
        """
        kernel @k(%c: bool, %out: ptr<global s32>) {
          local $x: s32
        entry:
          %a: ptr<local s32> = address $x
          branch %c, then, end !0 if
        then:
          %v: s32 = load %a
          store %out, %v
          jump end
        end:
          %w: s32 = load %a
          store %out, %w
          return
        }""",
        """
        kernel @k(%c: bool, %out: ptr<global s32>) {
        entry:
          %x: s32 = undef
          branch %c, then, end !0 if
        then:
          store %out, %x
          jump end
        end:
          store %out, %x
          return
        }""",
    )
    assert sum(isinstance(instruction, Undefined) for _, instruction in promoted.instructions()) == 1


def test_phis_that_copy_each_other_go_also_where_the_graph_is_irreducible() -> None:
    # two entries into the cycle of p and q; x and y swap, but both always hold the same value
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %c: bool, %out: ptr<global s32>) {
          local $x: s32
          local $y: s32
        entry:
          %x: ptr<local s32> = address $x
          %y: ptr<local s32> = address $y
          store %x, %n
          store %y, %n
          branch %c, p, q !0 if
        p:
          %xp: s32 = load %x
          %yp: s32 = load %y
          store %x, %yp
          store %y, %xp
          branch %c, q, end !1 loop
        q:
          %xq: s32 = load %x
          store %y, %xq
          jump p
        end:
          %result: s32 = load %x
          store %out, %result
          return
        }""",
        """
        kernel @k(%n: s32, %c: bool, %out: ptr<global s32>) {
        entry:
          branch %c, p, q !0 if
        p:
          branch %c, q, end !1 loop
        q:
          jump p
        end:
          store %out, %n
          return
        }""",
    )


def test_structs_vectors_and_arrays_fall_apart_into_scalars() -> None:
    check_pass(
        promote,
        """
        kernel @k(%v: <2 x f32 align 8>, %out: ptr<global f32>) {
          struct Cell { at: <2 x f32 align 8> @0, tags: [2 x f32] @8 } size 16 align 8
          local $cell: struct Cell
        entry:
          %cell: ptr<local struct Cell> = address $cell
          %at: ptr<local <2 x f32 align 8>> = field %cell, 0
          store %at, %v
          %x: ptr<local f32> = field %at, 0
          %first: f32 = load %x
          %tags: ptr<local [2 x f32]> = field %cell, 1
          %one: s32 = const 1
          %tag: ptr<local f32> = element %tags, %one
          store %tag, %first
          %again: f32 = load %tag
          store %out, %again
          return
        }""",
        """
        kernel @k(%v: <2 x f32 align 8>, %out: ptr<global f32>) {
          struct Cell { at: <2 x f32 align 8> @0, tags: [2 x f32] @8 } size 16 align 8
        entry:
          %first: f32 = extract %v, 0
          store %out, %first
          return
        }""",
    )


def test_a_struct_that_is_only_copied_stays_one_value() -> None:
    check_pass(
        promote,
        """
        kernel @k(%v: struct Pair, %out: ptr<global struct Pair>) {
          struct Pair { a: s32 @0, b: s32 @4 } size 8 align 4
          local $p: struct Pair
        entry:
          %p: ptr<local struct Pair> = address $p
          store %p, %v
          %w: struct Pair = load %p
          store %out, %w
          return
        }""",
        """
        kernel @k(%v: struct Pair, %out: ptr<global struct Pair>) {
          struct Pair { a: s32 @0, b: s32 @4 } size 8 align 4
        entry:
          store %out, %v
          return
        }""",
    )


def test_members_merge_one_by_one() -> None:
    check_pass(
        promote,
        """
        kernel @k(%c: bool, %n: s32, %out: ptr<global struct Pair>) {
          struct Pair { a: s32 @0, b: s32 @4 } size 8 align 4
          local $p: struct Pair
        entry:
          %p: ptr<local struct Pair> = address $p
          %zero: s32 = const 0
          %both: struct Pair = build %zero, %n
          store %p, %both
          branch %c, then, end !0 if
        then:
          %a: ptr<local s32> = field %p, 0
          store %a, %n
          jump end
        end:
          %w: struct Pair = load %p
          store %out, %w
          return
        }""",
        """
        kernel @k(%c: bool, %n: s32, %out: ptr<global struct Pair>) {
          struct Pair { a: s32 @0, b: s32 @4 } size 8 align 4
        entry:
          %zero: s32 = const 0
          branch %c, then, end !0 if
        then:
          jump end
        end:
          %a: s32 = phi entry: %zero, then: %n
          %w: struct Pair = build %a, %n
          store %out, %w
          return
        }""",
    )


def test_a_pointer_variable_is_promoted_and_then_what_it_points_to() -> None:
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
          local $x: s32
          local $p: ptr<local s32>
        entry:
          %x: ptr<local s32> = address $x
          %p: ptr<local ptr<local s32>> = address $p
          store %p, %x
          %q: ptr<local s32> = load %p
          store %q, %n
          %v: s32 = load %x
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


def test_escaping_objects_stay() -> None:
    stays(
        promote,
        """
        kernel @call(%n: s32) {
          local $x: s32
        entry:
          %x: ptr<local s32> = address $x
          store %x, %n
          call @f(%x)
          return
        }""",
    )
    stays(
        promote,
        """
        kernel @index(%n: s32, %out: ptr<global s32>) {
          local $x: [4 x s32]
        entry:
          %x: ptr<local [4 x s32]> = address $x
          %e: ptr<local s32> = element %x, %n
          %v: s32 = load %e
          store %out, %v
          return
        }""",
    )
    stays(
        promote,
        """
        kernel @outside(%out: ptr<global s32>) {
          local $x: [4 x s32]
        entry:
          %x: ptr<local [4 x s32]> = address $x
          %four: s32 = const 4
          %e: ptr<local s32> = element %x, %four
          %v: s32 = load %e
          store %out, %v
          return
        }""",
    )
    stays(
        promote,
        """
        kernel @loop_phi(%c: bool, %p: ptr<local s32>) {
          local $x: s32
        entry:
          jump head
        head:
          %q: ptr<local s32> = phi entry: %p, body: %x
          branch %c, body, end !0 loop
        body:
          %v: s32 = load %q
          %x: ptr<local s32> = address $x
          store %x, %v
          jump head
        end:
          return
        }""",
    )


def test_volatile_and_punned_objects_and_unions_stay() -> None:
    stays(
        promote,
        """
        kernel @volatile(%n: s32) {
          local $x: s32
        entry:
          %x: ptr<local s32> = address $x
          store volatile %x, %n
          return
        }""",
    )
    stays(
        promote,
        """
        kernel @punned(%n: s32, %out: ptr<global f32>) {
          local $x: s32
        entry:
          %x: ptr<local s32> = address $x
          store %x, %n
          %v: f32 = load %x
          store %out, %v
          return
        }""",
    )
    stays(
        promote,
        """
        kernel @member_of_union(%n: s32, %out: ptr<global f32>) {
          union Bits { i: s32 @0, f: f32 @0 } size 4 align 4
          local $x: struct Bits
        entry:
          %x: ptr<local struct Bits> = address $x
          %i: ptr<local s32> = field %x, 0
          store %i, %n
          %f: ptr<local f32> = field %x, 1
          %v: f32 = load %f
          store %out, %v
          return
        }""",
    )


def test_a_cast_to_another_space_is_the_same_address_but_not_a_cast_to_another_type() -> None:
    text = """
        kernel @k(%n: s32, %out: ptr<global s32>) {
          local $x: s32
        entry:
          %x: ptr<local s32> = address $x
          %g: ptr<generic s32> = bitcast %x
          store %g, %n
          %v: s32 = load %x
          store %out, %v
          return
        }"""
    check_pass(
        promote,
        text,
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
        entry:
          store %out, %n
          return
        }""",
    )
    stays(promote, text.replace("ptr<generic s32>", "ptr<generic s8>"))


def test_unknown_types_are_scalars() -> None:
    check_pass(
        promote,
        """
        kernel @k(%v: template T, %out: ptr<global template T>) {
          local $x: template T
        entry:
          %x: ptr<local template T> = address $x
          store %x, %v
          %w: template T = load %x
          store %out, %w
          return
        }""",
        """
        kernel @k(%v: template T, %out: ptr<global template T>) {
        entry:
          store %out, %v
          return
        }""",
    )


def test_an_object_of_unknown_type_converts_between_the_types_it_is_used_as() -> None:
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %out: ptr<global f32>, %t: ptr<global template T>) {
          local $x: template T
          local $p: ptr<generic template T>
        entry:
          %x: ptr<local template T> = address $x
          store %x, %n
          %f: f32 = load %x
          %p: ptr<local ptr<generic template T>> = address $p
          store %p, %out
          %o: ptr<generic template T> = load %p
          store %o, %f
          return
        }""",
        """
        kernel @k(%n: s32, %out: ptr<global f32>, %t: ptr<global template T>) {
        entry:
          %f: f32 = convert %n
          store %out, %f
          return
        }""",
    )


BASES = """
          struct P { end: s32 @0, stride: s32 @4 } size 8 align 4
          struct Q { last: s32 @0 } size 4 align 4
          struct E {  } size 1 align 1
          struct D { end: s32 @0, stride: s32 @4, last: s32 @8, next: s32 @12 } size 16 align 4"""


def test_the_bases_of_a_struct_are_its_members() -> None:
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %m: s32, %out: ptr<global s32>) {"""
        + BASES
        + """
          local $d: struct D
        entry:
          %d: ptr<local struct D> = address $d
          %g: ptr<generic struct D> = bitcast %d
          %e: ptr<generic struct E> = bitcast %g
          %p: ptr<generic struct P> = bitcast %g
          %stride: ptr<generic s32> = field %p, 1
          store %stride, %n
          %own: ptr<local s32> = field %d, 2
          %q: ptr<local struct Q> = bitcast %own
          %last: ptr<local s32> = field %q, 0
          store %last, %m
          %back: ptr<generic struct D> = bitcast %p
          %one: ptr<generic s32> = field %back, 1
          %v: s32 = load %one
          %two: ptr<generic s32> = field %back, 2
          %w: s32 = load %two
          store %out, %v
          store %out, %w
          return
        }""",
        """
        kernel @k(%n: s32, %m: s32, %out: ptr<global s32>) {"""
        + BASES
        + """
        entry:
          store %out, %n
          store %out, %m
          return
        }""",
    )


def test_a_base_is_copied_as_a_whole() -> None:
    check_pass(
        promote,
        """
        kernel @k(%from: ptr<global struct P>, %out: ptr<global s32>) {"""
        + BASES
        + """
          local $d: struct D
        entry:
          %d: ptr<local struct D> = address $d
          %p: ptr<local struct P> = bitcast %d
          %all: struct P = load %from
          store %p, %all
          %stride: ptr<local s32> = field %d, 1
          %v: s32 = load %stride
          store %out, %v
          return
        }""",
        """
        kernel @k(%from: ptr<global struct P>, %out: ptr<global s32>) {"""
        + BASES
        + """
        entry:
          %all: struct P = load %from
          %v: s32 = extract %all, 1
          store %out, %v
          return
        }""",
    )


def test_a_struct_with_other_members_is_no_base() -> None:
    text = """
        kernel @k(%n: s32, %out: ptr<global s32>) {
          struct P { end: s32 @0, stride: s32 @8 } size 12 align 4
          struct D { end: s32 @0, stride: s32 @4 } size 8 align 4
          local $d: struct D
        entry:
          %d: ptr<local struct D> = address $d
          %p: ptr<local struct P> = bitcast %d
          %stride: ptr<local s32> = field %p, 1
          store %stride, %n
          %end: ptr<local s32> = field %d, 1
          %v: s32 = load %end
          store %out, %v
          return
        }"""
    stays(promote, text)
    alike = text.replace("stride: s32 @8 } size 12", "stride: s32 @4 } size 8")
    stays(promote, alike.replace("struct D { end: s32", "struct D { end: f32"))
    stays(
        promote,
        alike.replace(
            "stride: s32 @4 } size 8 align 4\n          struct D",
            "stride: s32 @4, more: s32 @8 } size 12 align 4\n          struct D",
        ),
    )


def test_a_base_without_members_is_no_value() -> None:
    stays(
        promote,
        """
        kernel @k(%n: s32, %from: ptr<global struct E>, %out: ptr<global s32>) {
          struct E {  } size 1 align 1
          struct D { end: s32 @0 } size 4 align 4
          local $d: struct D
        entry:
          %d: ptr<local struct D> = address $d
          %e: ptr<local struct E> = bitcast %d
          %end: ptr<local s32> = field %d, 0
          store %end, %n
          %nothing: struct E = load %from
          store %e, %nothing
          %v: s32 = load %end
          store %out, %v
          return
        }""",
    )
