"""Sync, temporal and control dependence, one phenomenon per test."""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from tests.support.textual import analyze

TID = """
  %tu: u32 = special thread.x
  %t: s32 = convert %tu
  %b: u32 = special block.x
  %zero: s32 = const 0
  %one: s32 = const 1
  %two: s32 = const 2
  %varies: bool = lt %t, %two
  %uniform: bool = lt %n, %two
  %blockwise: bool = lt %b, %one_u
"""
SETUP = f"entry:\n  %one_u: u32 = const 1\n{TID}"


def test_a_phi_of_constants_behind_a_varying_branch_varies() -> None:
    facts = analyze(f"""{SETUP}
  branch %varies, then, join
then:
  jump join
join:
  %x: s32 = phi entry: %zero, then: %one
  return""")
    assert facts.level("x") is Level.VARYING


def test_a_phi_of_constants_behind_a_uniform_branch_is_uniform() -> None:
    facts = analyze(f"""{SETUP}
  branch %uniform, then, join
then:
  jump join
join:
  %x: s32 = phi entry: %zero, then: %one
  return""")
    assert facts.level("x") is Level.GRID


def test_a_block_uniform_branch_raises_to_block_only() -> None:
    facts = analyze(f"""{SETUP}
  branch %blockwise, then, join
then:
  jump join
join:
  %x: s32 = phi entry: %zero, then: %one
  return""")
    assert facts.level("x") is Level.BLOCK
    assert facts.convergence("then") is Level.BLOCK
    assert facts.convergence("join") is Level.GRID


def test_a_warp_uniform_branch_makes_blocks_convergent_for_the_warp_only() -> None:
    facts = analyze("""entry:
  %w: u32 = special warp_index
  %zero: u32 = const 0
  %first: bool = eq %w, %zero
  branch %first, then, join
then:
  jump join
join:
  %x: u32 = phi entry: %zero, then: %w
  return""")
    assert facts.convergence("then") is Level.WARP
    assert facts.level("x") is Level.WARP


def test_a_uniform_condition_in_divergent_code_keeps_its_level() -> None:
    facts = analyze(f"""{SETUP}
  branch %varies, outer, join !0 if
outer:
  %c: bool = lt %n, %one
  branch %c, inner, join !1 if
inner:
  jump join
join:
  return""")
    assert facts.branch(1) is Level.GRID
    assert facts.convergence("outer") is Level.VARYING
    assert facts.convergence("inner") is Level.VARYING


LOOP_WITH_VARYING_TRIPS = f"""{SETUP}
  jump head
head:
  %i: s32 = phi entry: %zero, body: %next
  %stay: bool = lt %i, %t
  branch %stay, body, after !0 loop
body:
  %next: s32 = add %i, %one
  jump head
after:
  %out: s32 = add %i, %one
  return"""


def test_a_counter_is_uniform_inside_a_loop_and_varies_behind_it() -> None:
    facts = analyze(LOOP_WITH_VARYING_TRIPS)
    assert facts.level("i") is Level.GRID
    assert facts.level("next") is Level.GRID
    assert facts.level("out") is Level.VARYING
    i, after = facts.named.values["i"], facts.named.block("after")
    assert facts.result.use_level(i, after) is Level.VARYING


def test_a_loop_with_varying_trips_is_divergent_inside_and_convergent_behind() -> None:
    facts = analyze(LOOP_WITH_VARYING_TRIPS)
    (loop,) = facts.result.control.cycles
    assert facts.result.loop_level(loop) is Level.VARYING
    assert facts.convergence("head") is Level.VARYING
    assert facts.convergence("body") is Level.VARYING
    assert facts.convergence("after") is Level.GRID


def test_a_value_that_no_iteration_changes_leaves_a_varying_loop_unharmed() -> None:
    facts = analyze(f"""{SETUP}
  jump head
head:
  %i: s32 = phi entry: %zero, head: %next
  %steady: s32 = add %n, %one
  %next: s32 = add %i, %one
  %stay: bool = lt %next, %t
  branch %stay, head, after
after:
  %out: s32 = add %steady, %one
  return""")
    assert facts.level("out") is Level.GRID


def test_a_branch_behind_a_varying_loop_on_its_counter_varies() -> None:
    facts = analyze(f"""{SETUP}
  jump head
head:
  %i: s32 = phi entry: %zero, head: %next
  %even: bool = eq %i, %two
  %next: s32 = add %i, %one
  %stay: bool = lt %next, %t
  branch %stay, head, after
after:
  branch %even, then, join
then:
  jump join
join:
  return""")
    assert facts.level("even") is Level.GRID
    assert facts.decision("after") is Level.VARYING
    assert facts.convergence("then") is Level.VARYING


def test_an_inner_counter_stays_uniform_although_threads_leave_the_inner_loop_apart() -> None:
    facts = analyze(f"""{SETUP}
  jump outer
outer:
  %j: s32 = phi entry: %zero, step: %jn
  %goes: bool = lt %j, %n
  branch %goes, prepare, done
prepare:
  jump head
head:
  %i: s32 = phi prepare: %zero, body: %next
  %stay: bool = lt %i, %t
  branch %stay, body, step
body:
  %next: s32 = add %i, %one
  jump head
step:
  %jn: s32 = add %j, %one
  jump outer
done:
  return""")
    assert facts.level("i") is Level.GRID
    assert facts.level("j") is Level.GRID
    assert facts.convergence("step") is Level.GRID


def test_a_value_carried_into_the_next_round_of_an_outer_loop_is_temporal() -> None:
    facts = analyze(f"""{SETUP}
  jump outer
outer:
  %carried: s32 = phi entry: %zero, head: %i
  %goes: bool = lt %n, %two
  branch %goes, head, done
head:
  %i: s32 = phi outer: %carried, body: %next
  %stay: bool = lt %i, %t
  branch %stay, body, outer
body:
  %next: s32 = add %i, %one
  jump head
done:
  return""")
    assert facts.level("carried") is Level.VARYING
    assert facts.level("i") is Level.VARYING


def test_a_varying_break_makes_the_phi_of_the_exits_vary() -> None:
    facts = analyze(f"""{SETUP}
  jump head
head:
  %i: s32 = phi entry: %zero, latch: %next
  %stay: bool = lt %i, %n
  branch %stay, body, after !0 loop
body:
  branch %varies, after, latch !1 if
latch:
  %next: s32 = add %i, %one
  jump head
after:
  %how: s32 = phi head: %zero, body: %one
  return""")
    assert facts.level("how") is Level.VARYING
    assert facts.branch(0) is Level.GRID
    (loop,) = facts.result.control.cycles
    assert facts.result.loop_level(loop) is Level.VARYING


def test_a_uniform_break_in_divergent_code_makes_the_trip_count_vary() -> None:
    facts = analyze(f"""{SETUP}
  jump head
head:
  %i: s32 = phi entry: %zero, latch: %next
  %stop: bool = gt %i, %n
  branch %varies, test, latch
test:
  branch %stop, after, latch
latch:
  %next: s32 = add %i, %one
  jump head
after:
  %out: s32 = add %i, %one
  return""")
    assert facts.decision("test") is Level.GRID
    assert facts.level("out") is Level.VARYING


def test_a_varying_continue_makes_the_rest_of_the_iteration_divergent() -> None:
    """The classical post-dominance over all iterations would call `rest` convergent here: all threads pass it."""
    facts = analyze(f"""{SETUP}
  jump head
head:
  %i: s32 = phi entry: %zero, latch: %next
  branch %varies, latch, rest
rest:
  %stop: bool = gt %i, %n
  branch %stop, after, latch
latch:
  %next: s32 = add %i, %one
  jump head
after:
  return""")
    assert facts.convergence("rest") is Level.VARYING
    (loop,) = facts.result.control.cycles
    assert facts.result.loop_level(loop) is Level.VARYING


def test_a_varying_return_makes_what_follows_divergent() -> None:
    facts = analyze(f"""{SETUP}
  branch %varies, leave, rest
leave:
  return
rest:
  return""")
    assert facts.convergence("rest") is Level.VARYING


def test_a_trap_keeps_no_thread_from_what_follows() -> None:
    facts = analyze(f"""{SETUP}
  branch %varies, dies, rest
dies:
  trap
rest:
  return""")
    assert facts.convergence("rest") is Level.GRID
    assert facts.convergence("dies") is Level.VARYING


def test_an_endless_loop_keeps_threads_from_what_follows() -> None:
    facts = analyze(f"""{SETUP}
  branch %varies, forever, rest
forever:
  jump forever
rest:
  return""")
    assert facts.convergence("rest") is Level.VARYING


def test_switch_arms_that_fall_through_meet_in_phis() -> None:
    facts = analyze(f"""{SETUP}
  switch %t, 0: first, 1: second, default: after !0 switch
first:
  jump second
second:
  %x: s32 = phi entry: %zero, first: %one
  jump after
after:
  %y: s32 = phi entry: %zero, second: %two
  return""")
    assert facts.level("x") is Level.VARYING
    assert facts.level("y") is Level.VARYING
    assert facts.branch(0) is Level.VARYING
    assert facts.convergence("after") is Level.GRID


def test_a_do_loop_runs_once_for_all_and_then_diverges() -> None:
    facts = analyze(f"""{SETUP}
  jump body
body:
  %i: s32 = phi entry: %zero, body: %next
  %next: s32 = add %i, %one
  %stay: bool = lt %next, %t
  branch %stay, body, after
after:
  return""")
    assert facts.convergence("body") is Level.VARYING
    assert facts.convergence("after") is Level.GRID
    assert facts.level("i") is Level.GRID


def test_nested_short_circuits_are_one_source_branch_at_its_worst() -> None:
    facts = analyze(f"""{SETUP}
  branch %uniform, second, other !0 if
second:
  branch %blockwise, third, other !0 if
third:
  branch %varies, then, other !0 if
then:
  jump join
other:
  jump join
join:
  %x: s32 = phi then: %one, other: %zero
  return""")
    assert facts.branch(0) is Level.VARYING
    assert facts.convergence("third") is Level.BLOCK
    assert facts.convergence("then") is Level.VARYING
    assert facts.level("x") is Level.VARYING


def test_a_divergent_entry_into_an_irreducible_loop_raises_everything_in_it() -> None:
    facts = analyze(f"""{SETUP}
  branch %varies, left, right
left:
  %i: s32 = phi entry: %zero, right: %j
  %in: s32 = add %i, %one
  jump right
right:
  %j: s32 = phi entry: %one, left: %in
  %jn: s32 = add %j, %one
  %stay: bool = lt %jn, %n
  branch %stay, left, after
after:
  return""")
    for name in ("i", "in", "j", "jn"):
        assert facts.level(name) is Level.VARYING
    assert facts.convergence("right") is Level.VARYING
    assert facts.decision("right") is Level.VARYING


def test_a_uniform_entry_into_an_irreducible_loop_raises_nothing() -> None:
    facts = analyze(f"""{SETUP}
  branch %uniform, left, right
left:
  %i: s32 = phi entry: %zero, right: %j
  %in: s32 = add %i, %one
  jump right
right:
  %j: s32 = phi entry: %one, left: %in
  %jn: s32 = add %j, %one
  %stay: bool = lt %jn, %n
  branch %stay, left, after
after:
  return""")
    assert facts.level("jn") is Level.GRID
    assert facts.convergence("right") is Level.GRID


def test_a_select_joins_its_condition() -> None:
    facts = analyze(f"""{SETUP}
  %x: s32 = select %varies, %one, %two !0 conditional
  return""")
    assert facts.level("x") is Level.VARYING
    assert facts.branch(0) is Level.VARYING


def test_the_flow_graph_of_figure_2() -> None:
    """Section 3.3: N4' varies.  IteratedControlDependenceSucc(N4') = {N4', N4}; N5 is convergent "because all diverged
    threads must pass through N5"; N1, N2, N2', N6, N7 have no control-dependence predecessors.  From that: N4' is the
    latch of a loop N4 -> N4' -> {N4, N5}; N3 to N5 form an arm, chosen at N2', of which N6 is the join.
    """
    facts = analyze("""n1:
  %tu: u32 = special thread.x
  %t: s32 = convert %tu
  jump n2
n2:
  jump n2p
n2p:
  %c: bool = lt %n, %n
  branch %c, n3, n6
n3:
  jump n4
n4:
  jump n4p
n4p:
  %d: bool = lt %t, %n
  branch %d, n4, n5
n5:
  jump n6
n6:
  jump n7
n7:
  return""")
    named = facts.named
    control = named.control
    n4p = named.block("n4p")
    controlled = {label for label in named.labels if n4p in control.iterated_controllers(named.block(label))}
    assert controlled == {"n4", "n4p"}
    for label in ("n1", "n2", "n2p", "n6", "n7"):
        assert control.controllers(named.block(label)) == ()
    divergent = {label for label in named.labels if facts.convergence(label) > Level.GRID}
    assert divergent == {"n4", "n4p"}


def test_threads_that_enter_an_irreducible_loop_apart_count_its_iterations_apart() -> None:
    """`right` is the header by convention: who enters at `left` is one iteration ahead there."""
    facts = analyze(f"""{SETUP}
  branch %varies, right, left
left:
  jump right
right:
  branch %uniform, left, after
after:
  return""")
    assert facts.decision("right") is Level.GRID
    assert facts.convergence("right") is Level.VARYING
    assert facts.convergence("after") is Level.GRID


@pytest.mark.parametrize("order", ["left, right", "right, left"])
def test_facts_about_an_irreducible_loop_do_not_depend_on_which_entry_is_called_its_header(order: str) -> None:
    """Counted by `left`, who enters at `right` meets the others one iteration later there, and `i` would agree."""
    facts = analyze(f"""{SETUP}
  branch %varies, {order}
left:
  %i: s32 = phi entry: %zero, right: %one
  jump right
right:
  branch %uniform, left, after
after:
  return""")
    assert facts.level("i") is Level.VARYING


def test_a_varying_exit_below_a_uniform_one_makes_the_phi_of_both_vary() -> None:
    """Who stays at `second` may leave at `first` in the next iteration."""
    facts = analyze(f"""{SETUP}
  jump head
head:
  %i: s32 = phi entry: %zero, latch: %next
  jump first
first:
  %stay: bool = lt %i, %n
  branch %stay, second, after
second:
  branch %varies, after, latch
latch:
  %next: s32 = add %i, %one
  jump head
after:
  %how: s32 = phi first: %zero, second: %one
  return""")
    assert facts.level("how") is Level.VARYING


def test_an_inner_counter_stays_uniform_although_one_exit_leaves_both_loops() -> None:
    facts = analyze(f"""{SETUP}
  jump outer
outer:
  %j: s32 = phi entry: %zero, step: %jn
  jump head
head:
  %i: s32 = phi outer: %zero, latch: %next
  %stay: bool = lt %i, %t
  branch %stay, body, step
body:
  branch %uniform, done, latch
latch:
  %next: s32 = add %i, %one
  jump head
step:
  %jn: s32 = add %j, %one
  %goes: bool = lt %jn, %n
  branch %goes, outer, done
done:
  return""")
    assert facts.level("i") is Level.GRID


def test_an_endless_loop_around_a_varying_one_runs_on_together() -> None:
    facts = analyze(f"""{SETUP}
  jump outer
outer:
  jump head
head:
  %i: s32 = phi outer: %zero, body: %next
  %stay: bool = lt %i, %t
  branch %stay, body, rest
body:
  %next: s32 = add %i, %one
  jump head
rest:
  barrier
  jump outer""")
    assert facts.convergence("rest") is Level.GRID
