"""Loads after waiting for other threads."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from tests.support.textual import analyze

HEADER = "kernel @k(%n: s32, %p: ptr<global s32>, %lock: ptr<global s32>, %flag: ptr<global volatile s32>)"
SETUP = "entry:\n  %zero: s32 = const 0\n  %one: s32 = const 1\n"


def level_of_x(body: str) -> Level:
    return analyze(SETUP + body, HEADER).level("x")


SPIN_ON_FLAG = """  jump spin
spin:
  %seen: s32 = load volatile %flag
  %wait: bool = eq %seen, %zero
  branch %wait, spin, after
after:
"""


def test_a_load_before_a_wait_is_not_touched() -> None:
    body = SPIN_ON_FLAG.replace("  jump spin", "  %x: s32 = load %p\n  jump spin", 1)
    assert level_of_x(f"{body}  return") is Level.GRID


def test_a_load_after_a_spin_on_a_flag_varies() -> None:
    assert level_of_x(f"{SPIN_ON_FLAG}  %x: s32 = load %p\n  return") is Level.VARYING


def test_a_block_barrier_after_the_wait_makes_the_block_agree() -> None:
    assert level_of_x(f"{SPIN_ON_FLAG}  barrier\n  %x: s32 = load %p\n  return") is Level.BLOCK


def test_a_grid_barrier_after_the_wait_makes_the_grid_agree() -> None:
    assert level_of_x(f"{SPIN_ON_FLAG}  grid_barrier\n  %x: s32 = load %p\n  return") is Level.GRID


def test_a_barrier_on_one_path_only_does_not_help() -> None:
    body = f"""{SPIN_ON_FLAG}  %u: bool = lt %n, %one
  branch %u, waits, join
waits:
  barrier
  jump join
join:
  %x: s32 = load %p
  return"""
    assert level_of_x(body) is Level.VARYING


def test_constant_memory_is_exempt() -> None:
    body = f"{SPIN_ON_FLAG}  %a: ptr<constant s32> = address $0\n  %x: s32 = load %a\n  return"
    assert analyze(f"constant $0 c: s32\n{SETUP}{body}", HEADER).level("x") is Level.GRID


def test_a_load_under_a_lock_varies() -> None:
    body = """  %old: s32 = atomic cas %lock, %zero, %one
  %mine: bool = eq %old, %zero
  branch %mine, critical, join
critical:
  %x: s32 = load %p
  %more: s32 = add %x, %one
  store %p, %more
  jump join
join:
  return"""
    assert level_of_x(body) is Level.VARYING


def test_a_lock_in_a_loop_that_ends_when_the_work_is_done() -> None:
    body = """  jump retry
retry:
  %old: s32 = atomic cas %lock, %zero, %one
  %mine: bool = eq %old, %zero
  branch %mine, critical, again
critical:
  jump again
again:
  %done: s32 = phi retry: %zero, critical: %one
  %stay: bool = eq %done, %zero
  branch %stay, retry, after
after:
  %x: s32 = load %p
  return"""
    assert level_of_x(body) is Level.VARYING


def test_a_ticket_that_no_branch_depends_on_orders_nothing() -> None:
    body = "  %old: s32 = atomic add %lock, %one\n  %x: s32 = load %p\n  store %p, %old\n  return"
    assert level_of_x(body) is Level.GRID


def test_the_last_block_that_is_told_through_shared_memory_agrees_as_a_block() -> None:
    body = """  %ticket: s32 = atomic add %lock, %one
  %s: ptr<shared s32> = address $0
  store %s, %ticket
  barrier
  %last: s32 = load %s
  %is: bool = eq %last, %n
  branch %is, finish, join
finish:
  %x: s32 = load %p
  jump join
join:
  return"""
    assert analyze(f"shared $0 s: s32\n{SETUP}{body}", HEADER).level("x") is Level.BLOCK


def test_a_named_barrier_is_a_wait() -> None:
    assert level_of_x("  named_barrier %one, %n\n  %x: s32 = load %p\n  return") is Level.VARYING


def test_an_unknown_callee_may_wait() -> None:
    assert level_of_x('  opaque barrier "acquire" %lock\n  %x: s32 = load %p\n  return') is Level.VARYING


def test_a_warp_barrier_is_a_wait_only_where_the_warp_is_not_together() -> None:
    together = "  %full: u32 = const 4294967295\n  warp_barrier %full\n  %x: s32 = load %p\n  return"
    assert level_of_x(together) is Level.GRID
    apart = """  %t: u32 = special thread.x
  %full: u32 = const 4294967295
  %c: bool = lt %t, %full
  branch %c, then, join
then:
  warp_barrier %full
  jump join
join:
  %x: s32 = load %p
  return"""
    assert level_of_x(apart) is Level.VARYING


def polling(barrier: str) -> str:
    return f"""shared $0 s: s32
  {SETUP}  %s: ptr<shared s32> = address $0
  jump poll
poll:
  %seen: s32 = atomic add %lock, %zero
  store %s, %seen
{barrier}  %told: s32 = load %s
  %wait: bool = eq %told, %zero
  branch %wait, poll, after
after:
  %x: s32 = load %p
  return"""


def test_a_block_that_polls_through_shared_memory_waits_as_a_block() -> None:
    assert analyze(polling("  barrier\n"), HEADER).level("x") is Level.BLOCK


def test_a_loop_over_shared_memory_without_a_barrier_waits_for_nobody() -> None:
    assert analyze(polling(""), HEADER).level("x") is Level.GRID


@pytest.mark.parametrize(
    ("shapes", "level"),
    [
        ((BlockShape(1),), Level.BLOCK),
        ((BlockShape(1), BlockShape(1, 1, 1)), Level.BLOCK),
        ((BlockShape(1), BlockShape(2)), Level.VARYING),
        ((BlockShape(1, 1, 2),), Level.VARYING),
        ((), Level.VARYING),
    ],
)
def test_a_block_of_one_thread_agrees_on_what_it_observes(shapes: tuple[BlockShape, ...], level: Level) -> None:
    facts = analyze(f"{SETUP}{SPIN_ON_FLAG}  return", HEADER, launch=LaunchKnowledge(shapes))
    assert facts.level("seen") is level


def test_blocks_of_one_thread_do_not_agree_with_each_other_after_a_wait() -> None:
    launch = LaunchKnowledge((BlockShape(1),))
    facts = analyze(f"{SETUP}{SPIN_ON_FLAG}  %x: s32 = load %p\n  return", HEADER, launch=launch)
    assert facts.level("x") is Level.BLOCK
