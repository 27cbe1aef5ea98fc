"""What promotion leaves behind, what it removes, and what becomes of the records."""

from __future__ import annotations

from analysis.ir.function import Definition, Expression, VariableId
from analysis.ir.instructions import ValueId
from analysis.ir.parser import parse_function
from analysis.ir.promote import promote
from analysis.ir.source import Span
from tests.ir.check import check_pass, stays


def test_source_branches_and_accesses_stay_even_where_nobody_needs_them() -> None:
    stays(
        promote,
        """
        kernel @k(%p: ptr<global s32>, %c: bool) {
        entry:
          %yes: bool = const true
          %unused: s32 = load %p
          %choice: bool = select %c, %yes, %c !0 conditional
          branch %yes, then, end !1 if
        then:
          jump end
        end:
          return
        }""",
    )


def test_dead_pure_instructions_go_cycles_included() -> None:
    check_pass(
        promote,
        """
        kernel @k(%n: s32, %c: bool) {
        entry:
          %dead: s32 = mul %n, %n
          jump head
        head:
          %i: s32 = phi entry: %dead, head: %next
          %next: s32 = add %i, %n
          branch %c, head, end !0 loop
        end:
          return
        }""",
        """
        kernel @k(%n: s32, %c: bool) {
        entry:
          jump head
        head:
          branch %c, head, end !0 loop
        end:
          return
        }""",
    )


def test_a_value_needed_only_around_the_loop_lives() -> None:
    stays(
        promote,
        """
        kernel @k(%n: s32, %c: bool, %out: ptr<global s32>) {
        entry:
          jump head
        head:
          %i: s32 = phi entry: %n, body: %next
          store %out, %i
          branch %c, body, end !0 loop
        body:
          %square: s32 = mul %n, %n
          %next: s32 = add %square, %n
          jump head
        end:
          return
        }""",
    )


def test_records_follow_the_values() -> None:
    promoted = promote(
        parse_function(
            """
            kernel @k(%0 n: s32, %1 out: ptr<global s32>) {
              local $0 x: s32
              variable #0 x: s32
              variable #1 y: s32
              define #0 %0 [1:2]
              define #1 %5 [3:4]
              expression %4 [5:6]
              expression %2 [7:8]
              expression %3 [8:9]
            block0:
              %2: ptr<local s32> = address $0
              store %2, %0
              %3: s32 = const 3
              %4: s32 = load %2
              store %1, %4
              %5: s32 = mul %0, %0
              return
            }"""
        )
    )
    square = ValueId(2)
    assert promoted.definitions == (
        Definition(VariableId(0), ValueId(0), Span(1, 2)),
        Definition(VariableId(1), square, Span(3, 4)),  # unused, but declared: the hover on `y` stays
    )
    # the load is its stored value now; the address and the constant are gone, and their records with them
    assert promoted.expressions == (Expression(Span(5, 6), ValueId(0)),)


def test_unreachable_blocks_go() -> None:
    promoted = promote(parse_function("kernel @k() {\na:\n  return\nb:\n  jump a2\na2:\n  return\n}"))
    assert len(promoted.blocks) == 1
