"""Calls in, bodies out; one phenomenon per test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.ir.function import Definition, Frame, Function, VariableId
from analysis.ir.inline import InlineBudget, RefusalReason, RefusedCall, inline_calls
from analysis.ir.instructions import FunctionId, Opaque, ValueId
from analysis.ir.parser import parse_function
from analysis.ir.printer import print_function
from analysis.ir.promote import promote
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.ir.verifier import verify
from tests.ir.check import canonical, check_pass, well_formed
from tests.ir.evaluator import run
from tests.ir.programs import memory_programs

SQUARE = """
device @square(%x: s32) -> s32 {
entry:
  %y: s32 = mul %x, %x
  return %y
}"""

ABSOLUTE = """
device @absolute(%x: s32) -> s32 {
entry:
  %zero: s32 = const 0
  %c: bool = lt %x, %zero
  branch %c, negative, other !0 if
negative:
  %y: s32 = neg %x
  return %y
other:
  return %x
}"""

RECURSIVE = """
device @recursive(%x: s32) {
entry:
  call @recursive(%x)
  return
}"""


def _library(*texts: str) -> Callable[[FunctionId], Function | None]:
    return {function.id: function for function in map(well_formed, texts)}.get


def _inlined(*texts: str) -> Callable[[Function], Function]:
    return lambda function: inline_calls(function, _library(*texts)).function


def _refusals(text: str, *library: str, budget: InlineBudget | None = None) -> list[tuple[str, RefusalReason]]:
    result = inline_calls(well_formed(text), _library(*library), budget or InlineBudget())
    assert verify(result.function) == ()
    return [(refused.callee, refused.reason) for refused in result.refused]


def test_a_body_without_branches_costs_no_block() -> None:
    check_pass(
        _inlined(SQUARE),
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
        entry:
          %a: s32 = call @square(%n)
          %b: s32 = call @square(%a)
          store %out, %b
          return
        }""",
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
        entry:
          %a: s32 = mul %n, %n
          %b: s32 = mul %a, %a
          store %out, %b
          return
        }""",
    )


def test_several_returns_meet_in_a_phi() -> None:
    check_pass(
        _inlined(ABSOLUTE),
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
        entry:
          %a: s32 = call @absolute(%n)
          store %out, %a
          return
        }""",
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
        entry:
          %zero: s32 = const 0
          %c: bool = lt %n, %zero
          branch %c, negative, other !0 if
        negative:
          %y: s32 = neg %n
          jump after
        other:
          jump after
        after:
          %a: s32 = phi negative: %y, other: %n
          store %out, %a
          return
        }""",
    )


def test_equal_returned_values_need_no_phi() -> None:
    same = ABSOLUTE.replace("return %y", "return %x")
    inlined = _inlined(same)(well_formed("kernel @k(%n: s32) {\ne:\n  %a: s32 = call @absolute(%n)\n  return\n}"))
    assert verify(inlined) == ()
    assert not any(block.phis for block in inlined.blocks)


def test_a_callee_that_forgets_to_return_a_value_gives_an_undefined_one() -> None:
    check_pass(
        _inlined("device @f() -> s32 {\ne:\n  return\n}"),
        """
        kernel @k(%out: ptr<global s32>) {
        entry:
          %a: s32 = call @f()
          store %out, %a
          return
        }""",
        """
        kernel @k(%out: ptr<global s32>) {
        entry:
          %a: s32 = undef
          store %out, %a
          return
        }""",
    )


def test_a_callee_that_never_returns_ends_its_caller() -> None:
    check_pass(
        _inlined("device @stop() -> s32 {\ne:\n  trap\n}"),
        """
        kernel @k(%c: bool, %out: ptr<global s32>) {
        entry:
          %one: s32 = const 1
          branch %c, bad, end !0 if
        bad:
          %a: s32 = call @stop()
          jump end
        end:
          %b: s32 = phi entry: %one, bad: %a
          store %out, %b
          return
        }""",
        """
        kernel @k(%c: bool, %out: ptr<global s32>) {
        entry:
          %one: s32 = const 1
          branch %c, bad, end !0 if
        bad:
          trap
        end:
          %b: s32 = phi entry: %one
          store %out, %b
          return
        }""",
    )


def test_phis_of_the_caller_name_the_block_in_which_the_call_ended() -> None:
    check_pass(
        _inlined(ABSOLUTE),
        """
        kernel @k(%n: s32, %d: bool, %out: ptr<global s32>) {
        entry:
          jump head
        head:
          %i: s32 = phi entry: %n, head: %a
          %a: s32 = call @absolute(%i)
          branch %d, head, end !0 loop
        end:
          store %out, %a
          return
        }""",
        """
        kernel @k(%n: s32, %d: bool, %out: ptr<global s32>) {
          !0 loop
          !1 if
        entry:
          jump head
        head:
          %i: s32 = phi entry: %n, after: %a
          %zero: s32 = const 0
          %c: bool = lt %i, %zero
          branch %c, negative, other !1
        negative:
          %y: s32 = neg %i
          jump after
        other:
          jump after
        after:
          %a: s32 = phi negative: %y, other: %i
          branch %d, head, end !0
        end:
          store %out, %a
          return
        }""",
    )


def test_a_result_is_known_wherever_the_blocks_stand_in_the_text() -> None:
    # `late` runs after `early` but stands before it
    text = """
    kernel @k(%n: s32, %out: ptr<global s32>) {
    entry:
      jump early
    late:
      store %out, %a
      return
    early:
      %a: s32 = call @square(%n)
      jump late
    }"""
    assert verify(_inlined(SQUARE)(well_formed(text))) == ()


def test_shared_objects_are_one_and_local_objects_are_many() -> None:
    helper = """
    device @f() {
      local $mine: s32
      shared $ours: s32
      dynamic_shared $pool: [? x s32]
      constant $table: s32
    entry:
      %a: ptr<local s32> = address $mine
      %b: ptr<shared s32> = address $ours
      %c: ptr<shared [? x s32]> = address $pool
      %d: ptr<constant s32> = address $table
      call @use(%a, %b, %c, %d)
      return
    }"""
    kernel = """
    kernel @k() {
      shared $ours: s32
      dynamic_shared $pool: [? x f32]
      constant $table: s32
    entry:
      call @f()
      call @f()
      return
    }"""
    inlined = _inlined(helper)(well_formed(kernel))
    assert verify(inlined) == ()
    names = [f"{symbol.kind.value} {symbol.name}" for symbol in inlined.symbols]
    # the kernel's `ours` is another object than the helper's
    assert names == ["shared ours", "dynamic_shared pool", "constant table", "local mine", "shared ours", "local mine"]
    addresses = [line.split()[-1] for line in print_function(inlined).splitlines() if " address " in line]
    assert addresses == ["$3", "$4", "$1", "$2", "$5", "$4", "$1", "$2"]


def test_frames_lead_back_to_the_ids_of_the_callee() -> None:
    outer = """
    device @outer(%0 x: s32) -> s32 {
      variable #0 y: s32 [3:4]
      define #0 %2 [3:9]
      define #0 %0 [1:2]
    entry:
      %1: bool = lt %0, %0
      %2: s32 = call @square(%0) [5:9]
      branch %1, a, b !0 if [10:12]
    a:
      return %2
    b:
      return %2
    }"""
    kernel = "kernel @k(%n: s32) {\n variable #0 z: s32\nentry:\n  %a: s32 = call @outer(%n) [20:30]\n  return\n}"
    inlined = _inlined(outer, SQUARE)(well_formed(kernel))
    assert verify(inlined) == ()
    first, second = inlined.frames[1:]
    assert first == Frame(FunctionId("outer"), OWN_FRAME, Span(20, 30), 2, 0, 1)
    assert second == Frame(FunctionId("square"), FrameId(1), Span(5, 9, FrameId(1)), 5, 1, 2)
    product = ValueId(second.value_base + 1)
    assert inlined.definitions == (
        Definition(VariableId(1), product, Span(3, 9, FrameId(1))),
        Definition(VariableId(1), ValueId(0), Span(1, 2, FrameId(1))),  # the parameter is the argument
    )
    assert inlined.blocks[0].terminator.span == Span(10, 12, FrameId(1))
    # promotion later keeps all ids, or the frames would lie
    assert promote(inlined).frames == inlined.frames
    assert promote(inlined).types[product] == inlined.types[product]


def test_selects_keep_their_source_branch() -> None:
    larger = """
    device @larger(%x: s32, %y: s32) -> s32 {
    entry:
      %c: bool = lt %x, %y
      %z: s32 = select %c, %y, %x !0 conditional
      return %z
    }"""
    kernel = """
    kernel @k(%n: s32, %c: bool) {
    entry:
      branch %c, then, end !0 if
    then:
      %a: s32 = call @larger(%n, %n)
      jump end
    end:
      return
    }"""
    text = print_function(_inlined(larger)(well_formed(kernel)))
    assert [line.split(" ", 9)[-1] for line in text.splitlines() if " select " in line] == ["!1 conditional"]


def test_a_callee_that_has_inlined_bodies_itself_brings_their_frames() -> None:
    outer = "device @outer(%x: s32) {\ne:\n  %a: s32 = call @square(%x) [5:9]\n  return\n}"
    flat = _inlined(SQUARE.replace("%x, %x", "%x, %x [1:2]"))(well_formed(outer))
    kernel = well_formed("kernel @k(%n: s32) {\ne:\n  call @outer(%n) [20:30]\n  return\n}")
    inlined = inline_calls(kernel, {flat.id: flat}.get).function
    assert verify(inlined) == ()
    assert inlined.frames[1:] == (
        Frame(FunctionId("outer"), OWN_FRAME, Span(20, 30), 1, 0, 0),
        Frame(FunctionId("square"), FrameId(1), Span(5, 9, FrameId(1)), 3, 0, 0),
    )
    assert inlined.blocks[0].instructions[0].span == Span(1, 2, FrameId(2))


def test_a_local_passed_by_reference_can_be_promoted_afterwards() -> None:
    helper = "device @set(%p: ptr<local s32>, %v: s32) {\ne:\n  store %p, %v\n  return\n}"
    check_pass(
        lambda function: promote(_inlined(helper)(function)),
        """
        kernel @k(%n: s32, %out: ptr<global s32>) {
          local $x: s32
        entry:
          %x: ptr<local s32> = address $x
          call @set(%x, %n)
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


def test_recursion_is_refused_inside_and_from_the_outside() -> None:
    assert _refusals("kernel @k(%n: s32) {\ne:\n  call @recursive(%n)\n  return\n}", RECURSIVE) == [
        ("recursive", RefusalReason.RECURSIVE)
    ]
    assert _refusals(RECURSIVE, RECURSIVE) == [("recursive", RefusalReason.RECURSIVE)]


def test_the_budget_counts_the_result_and_the_depth() -> None:
    kernel = "kernel @k(%n: s32) {\ne:\n  %a: s32 = call @square(%n)\n  %b: s32 = call @square(%n)\n  return\n}"
    # the kernel has 3 instructions, a body 2
    assert _refusals(kernel, SQUARE, budget=InlineBudget(max_instructions=7)) == []
    assert _refusals(kernel, SQUARE, budget=InlineBudget(max_instructions=6)) == [("square", RefusalReason.BUDGET)]
    outer = "device @outer(%n: s32) {\ne:\n  %a: s32 = call @square(%n)\n  return\n}"
    kernel = "kernel @k(%n: s32) {\ne:\n  call @outer(%n)\n  return\n}"
    assert _refusals(kernel, outer, SQUARE, budget=InlineBudget(max_depth=2)) == []
    assert _refusals(kernel, outer, SQUARE, budget=InlineBudget(max_depth=1)) == [("square", RefusalReason.BUDGET)]


def test_a_refused_call_is_opaque_and_reported_in_the_frame_of_its_body() -> None:
    outer = "device @outer(%n: s32) {\ne:\n  %a: s32 = call @missing(%n) [3:7]\n  return\n}"
    kernel = well_formed("kernel @k(%n: s32) {\ne:\n  call @outer(%n)\n  return\n}")
    result = inline_calls(kernel, _library(outer))
    assert result.refused == (RefusedCall(Span(3, 7, FrameId(1)), FunctionId("missing"), RefusalReason.UNKNOWN),)
    (opaque,) = result.function.blocks[0].instructions
    assert isinstance(opaque, Opaque)
    assert (opaque.construct, opaque.arguments) == ("call of missing (unknown)", (ValueId(0),))


def _opaque_may_contain_barrier(callee: str, *library: str) -> bool:
    kernel = well_formed(f"kernel @k() {{\ne:\n  call @{callee}()\n  return\n}}")
    result = inline_calls(kernel, _library(*library), InlineBudget(max_instructions=0))
    (opaque,) = result.function.blocks[0].instructions
    assert isinstance(opaque, Opaque)
    return opaque.may_contain_barrier


def test_an_opaque_call_may_contain_a_barrier_unless_all_it_reaches_is_known_to_have_none() -> None:
    quiet = "device @quiet() {\ne:\n  return\n}"
    loud = "device @loud() {\ne:\n  barrier\n  return\n}"
    calls_quiet = "device @a() {\ne:\n  call @quiet()\n  call @a()\n  return\n}"
    calls_loud = "device @b() {\ne:\n  call @quiet()\n  call @loud()\n  return\n}"
    ping = "device @ping() {\ne:\n  call @pong()\n  return\n}"
    pong = "device @pong() {\ne:\n  call @ping()\n  call @pong()\n  return\n}"
    assert not _opaque_may_contain_barrier("ping", ping, pong)
    assert _opaque_may_contain_barrier("missing")
    assert _opaque_may_contain_barrier("loud", loud)
    assert _opaque_may_contain_barrier("b", calls_loud, quiet, loud)
    assert _opaque_may_contain_barrier("b", calls_loud, quiet)
    assert not _opaque_may_contain_barrier("quiet", quiet)
    assert not _opaque_may_contain_barrier("a", calls_quiet, quiet)


def test_a_function_without_calls_is_returned_as_it_is() -> None:
    function = well_formed(SQUARE)
    assert inline_calls(function, _library()).function is function


@given(memory_programs(), memory_programs(), st.integers(0, 3), st.data())
@settings(max_examples=150)
def test_inlining_keeps_what_is_printed(outer: str, inner: str, count: int, data: st.DataObject) -> None:
    """Calls are put at random places of a random program; the callee prints and calls nothing."""
    callee = replace(promote(parse_function(inner)), id=FunctionId("inner"))
    lines = outer.splitlines()
    places = [index for index, line in enumerate(lines) if " store " in line]
    for _ in range(count if places else 0):
        index = data.draw(st.sampled_from(places))
        lines[index] += "\n  call @inner()"
    caller = promote(parse_function("\n".join(lines)))
    resolve = {callee.id: callee}.get
    inlined = inline_calls(caller, resolve).function
    assert verify(inlined) == ()
    promoted = promote(inlined)
    assert verify(promoted) == ()
    # jumps that inlining adds cost steps: compare what both had time for
    expected, found = run(caller, resolve=resolve), run(promoted)
    shorter = min(len(expected), len(found)) - 1
    assert found[:shorter] == expected[:shorter]
    assert canonical(promote(promoted)) == canonical(promoted)
