"""What becomes scalar, and what must not: intermediate code beside the machine code that is expected of it."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.scalar.counts import Share
from analysis.scalar.listing import listing
from analysis.scalar.scalarize import Scalarization, scalarize
from tests.support.textual import read

HEADER = "kernel @k(%n: s32, %x: ptr<global s32>)"


def scalarized(body: str, header: str = HEADER, launch: LaunchKnowledge | None = None, exits: bool = False) -> str:
    return "\n".join(listing(result(body, header, launch, exits).scalarized))


def result(
    body: str, header: str = HEADER, launch: LaunchKnowledge | None = None, exits: bool = False
) -> Scalarization:
    function = read(body, header).function
    return scalarize(function, ControlFlow.of(function), launch or LaunchKnowledge(), exits)


def test_a_warp_meets_again_after_a_divergent_block() -> None:
    """Fig. 2: the block after it is converged, and is where a stackless machine needs a syncwarp."""
    code = scalarized("""
entry:
  %tid: u32 = special thread.x
  %four: u32 = const 4
  %one: s32 = const 1
  %low: bool = lt %tid, %four
  branch %low, then, after
then:
  store %x, %n
  jump after
after:
  %m: s32 = add %n, %one
  store %x, %m
  return
""")
    assert (
        code
        == """\
BB_1:
    @s ld.s32 s1, [4096]
    @s ld.u64 s2, [4104]
       mov r3, %tid.x
       iset.u32.lt r3, r3, 4
       @!r3 bra BB_3
BB_2:  # divergent
       st.s32 [s2], s1
BB_3:  # syncwarp
    @s iadd s1, s1, 1
    @s st.s32 [s2], s1
       exit"""
    )


EARLY_EXIT = """
entry:
  %tid: u32 = special thread.x
  %three: u32 = const 3
  %one: s32 = const 1
  %low: bool = le %tid, %three
  branch %low, then, leave
then:
  %m: s32 = add %n, %one
  %place: ptr<global s32> = element %x, %tid
  store %place, %m
  jump leave
leave:
  return
"""


def test_threads_that_left_the_kernel_count_unless_the_exit_optimization_is_on() -> None:
    """Section 3.4."""
    assert "       iadd r1, s1, 1" in scalarized(EARLY_EXIT)
    optimized = scalarized(EARLY_EXIT, exits=True)
    assert "    @s iadd s1, s1, 1" in optimized
    assert "       stwseq.s32 [s2], s1" in optimized


def test_a_vote_is_done_by_the_threads_and_kept_once() -> None:
    code = scalarized("""
entry:
  %tid: u32 = special thread.x
  %all: u32 = const 4294967295
  %four: u32 = const 4
  %low: bool = lt %tid, %four
  %ballot: u32 = vote ballot %low mask %all
  %bits: s32 = convert %ballot
  store %x, %bits
  return
""")
    assert "       vote.ballot s2, r2, 4294967295" in code
    assert "    @s st.s32 [s1], s2" in code


def test_what_each_thread_stores_in_its_own_memory_stays_with_the_threads() -> None:
    code = scalarized("""
local $0 a: [4 x s32]
entry:
  %base: ptr<local [4 x s32]> = address $0
  %place: ptr<local s32> = element %base, %n
  store %place, %n
  %back: s32 = load %place
  store %x, %back
  return
""")
    assert "       st.local.s32 [" in code
    assert "       ld.local.s32 " in code


def test_a_loop_that_threads_leave_apart_keeps_its_values_with_the_threads() -> None:
    """The counter agrees in each iteration, but is read after the loop in different ones."""
    code = scalarized("""
entry:
  %tid: s32 = special thread.x
  %zero: s32 = const 0
  %one: s32 = const 1
  jump loop
loop:
  %i: s32 = phi entry: %zero, loop: %next
  %next: s32 = add %i, %one
  %more: bool = lt %next, %tid
  branch %more, loop, end
end:
  store %x, %next
  return
""")
    assert "       iadd r3, r3, 1" in code
    assert "       st.s32 [s1], r3" in code


def test_a_barrier_does_not_make_values_of_different_iterations_one() -> None:
    """The block of the barrier is taken to be converged, but threads that left the loop earlier have older values."""
    code = scalarized("""
entry:
  %tid: s32 = special thread.x
  %zero: s32 = const 0
  %one: s32 = const 1
  jump loop
loop:
  %i: s32 = phi entry: %zero, loop: %next
  barrier
  %next: s32 = add %i, %one
  %more: bool = lt %next, %tid
  branch %more, loop, end
end:
  store %x, %next
  return
""")
    assert "    @s bar.sync" in code
    assert "       iadd r3, s3, 1" in code
    assert "       st.s32 [s1], r3" in code


BOTH = """
entry:
  %tid: s32 = special thread.x
  %eight: s32 = const 8
  %scaled: s32 = mul %tid, %n
  %bx: u32 = special block.x
  %block: s32 = convert %bx
  %start: s32 = mul %block, %eight
  %i: s32 = add %start, %tid
  %place: ptr<global s32> = element %x, %i
  %v: s32 = load %place
  %sum: s32 = add %v, %i
  store %place, %sum
  %number: s64 = bitcast %place
  %other: ptr<global s64> = bitcast %x
  %far: ptr<global s64> = element %other, %scaled
  store %far, %number
  return
"""


def test_bases_are_added_where_the_threads_need_their_addresses_too() -> None:
    both = result(BOTH)
    code = "\n".join(listing(both.scalarized))
    assert "ldwseq.s32" in code
    assert "stwseq.s32" in code
    assert (both.whole.added, both.whole.removed) == (2, 0)


@pytest.mark.parametrize(
    ("launch", "sequential"),
    [
        (LaunchKnowledge((BlockShape(64),)), True),
        (LaunchKnowledge((BlockShape(32, 4),)), True),
        (LaunchKnowledge((BlockShape(40),)), True),
        (LaunchKnowledge((BlockShape(16, 4),)), False),
        (LaunchKnowledge((BlockShape(16, 4),), warp_size=16), True),
        (LaunchKnowledge((BlockShape(64), BlockShape(16, 16))), False),
    ],
)
def test_rows_must_fill_warps(launch: LaunchKnowledge, sequential: bool) -> None:
    found = result(BOTH, launch=launch)
    assert bool(found.plan.sequential) is sequential
    assert not found.plan.assumes_rows


@pytest.mark.parametrize(("type_", "is_sequential"), [("s32", True), ("u32", False)])
def test_the_base_of_an_unsigned_index_must_not_be_negative(type_: str, is_sequential: bool) -> None:
    """`threadIdx.x - 32` in the second warp: the base, as 32 bits without sign, would be 4294967264 elements away."""
    found = result(
        f"""
entry:
  %tid: {type_} = special thread.x
  %warp: {type_} = const 32
  %second: bool = ge %tid, %warp
  branch %second, then, end
then:
  %before: {type_} = sub %tid, %warp
  %place: ptr<global s32> = element %x, %before
  store %place, %n
  jump end
end:
  return
""",
        launch=LaunchKnowledge((BlockShape(64),)),
    )
    assert bool(found.plan.sequential) is is_sequential


def test_volatile_and_atomic_accesses_stay_with_the_threads() -> None:
    code = scalarized("""
entry:
  %tid: u32 = special thread.x
  %place: ptr<global s32> = element %x, %tid
  %v: s32 = load volatile %place
  %old: s32 = atomic add %x, %n
  store volatile %x, %n
  store %place, %v
  return
""")
    assert "       ld.s32 r" in code
    assert "       atom.add.s32 r" in code
    assert "       st.s32 [s2], s1" in code
    assert "       stwseq.s32 [s2], r" in code


def test_values_that_change_places_are_moved_through_a_third_register() -> None:
    """The swap problem of phis: neither may be overwritten before it is read."""
    code = scalarized("""
entry:
  %zero: s32 = const 0
  %one: s32 = const 1
  jump loop
loop:
  %a: s32 = phi entry: %zero, loop: %b
  %b: s32 = phi entry: %one, loop: %a
  %i: s32 = phi entry: %zero, loop: %next
  %next: s32 = add %i, %one
  %more: bool = lt %next, %n
  branch %more, loop, end
end:
  %sum: s32 = sub %a, %b
  store %x, %sum
  return
""")
    moves = [line.split("mov ")[1] for line in code.split("BB_2:")[1].split("BB_3:")[0].split("\n") if "mov" in line]
    state = {name: name for move in moves for name in move.split(", ")}
    swapped = [name for name in state if sum(move.startswith(name) for move in moves) == 1]
    for move in moves:
        target, source = move.split(", ")
        state[target] = state[source]
    assert any(state[a] == b and state[b] == a for a in swapped for b in swapped if a != b)


def test_members_of_a_vector_have_registers_of_their_own() -> None:
    found = result(
        """
entry:
  %tid: u32 = special thread.x
  %place: ptr<global <4 x f32 align 16>> = element %v, %tid
  %four: <4 x f32 align 16> = load %place
  %first: f32 = extract %four, 0
  %last: f32 = extract %four, 3
  %sum: f32 = add %first, %last
  store %out, %sum
  return
""",
        "kernel @k(%v: ptr<global <4 x f32 align 16>>, %out: ptr<global f32>)",
    )
    code = "\n".join(listing(found.scalarized))
    assert "ldwseq.v4.f32 r" in code
    assert code.count("mov") == 0
    assert found.whole.scalarized.data == Share(once=2, each=5)


def test_constants_wrap_as_their_types_do() -> None:
    code = scalarized("""
entry:
  %most: u8 = const 255
  %two: u8 = const 2
  %small: u8 = add %most, %two
  %wide: s32 = convert %small
  %sum: s32 = add %n, %wide
  store %x, %sum
  return
""")
    assert "    @s iadd s1, s1, 1" in code
