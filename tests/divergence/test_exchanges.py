"""Votes, shuffles, matches and reductions."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from tests.support.textual import analyze

SETUP = """entry:
  %t: u32 = special thread.x
  %l: u32 = special lane
  %w: u32 = special warp_index
  %full: u32 = const 4294967295
  %half: u32 = const 16
  %c32: u32 = const 32
  %c: bool = lt %l, %half
  %active: u32 = special active_mask
  %u: bool = lt %n, %n
"""


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("%r: u32 = shuffle idx %t, %half mask %full", Level.WARP),
        ("%r: u32 = shuffle idx %t, %half mask %full width %c32", Level.WARP),
        ("%r: u32 = shuffle idx %t, %half mask %full width %half", Level.VARYING),
        ("%r: u32 = shuffle idx %t, %l mask %full", Level.VARYING),
        ("%r: u32 = shuffle idx %t, %half mask %active", Level.VARYING),
        ("%r: u32 = shuffle idx %t, %half", Level.WARP),
        ("%r: u32 = shuffle down %t, %half mask %full", Level.VARYING),
        ("%r: u32 = shuffle down %full, %half mask %full", Level.GRID),
        ("%r: u32 = shuffle xor %w, %half mask %full", Level.WARP),
        ("%r: u32 = vote ballot %c mask %full", Level.WARP),
        ("%r: u32 = vote ballot %u mask %full", Level.WARP),
        ("%r: bool = vote any %c mask %full", Level.WARP),
        ("%r: bool = vote any %c mask %active", Level.VARYING),
        ("%r: bool = vote all %u mask %full", Level.GRID),
        ("%r: u32 = match any %t mask %full", Level.VARYING),
        ("%r: u32 = match any %w mask %full", Level.WARP),
        ("%r: u32 = match all %t mask %full", Level.WARP),
        ("%r: u32 = reduce add %t mask %full", Level.WARP),
        ("%r: u32 = reduce add %full mask %full", Level.WARP),
        ("%r: u32 = reduce max %full mask %full", Level.GRID),
        ("%r: u32 = reduce max %t mask %active", Level.VARYING),
    ],
)
def test_in_convergent_code(text: str, level: Level) -> None:
    assert analyze(f"{SETUP}  {text}\n  return").level("r") is level


def in_divergent_code(text: str) -> Level:
    return analyze(f"{SETUP}  branch %c, then, join\nthen:\n  {text}\n  jump join\njoin:\n  return").level("r")


def test_a_vote_with_one_mask_agrees_in_divergent_code_too() -> None:
    assert in_divergent_code("%r: bool = vote any %u mask %full") is Level.GRID
    assert in_divergent_code("%x: bool = eq %t, %half\n  %r: bool = vote any %x mask %half") is Level.WARP


def test_the_active_mask_in_divergent_code_means_different_votes() -> None:
    assert in_divergent_code("%x: bool = eq %t, %half\n  %r: bool = vote any %x mask %active") is Level.VARYING


def test_a_vote_without_mask_in_divergent_code_varies() -> None:
    assert in_divergent_code("%x: bool = eq %t, %half\n  %r: bool = vote any %x") is Level.VARYING


def test_lanes_of_different_iterations_may_vote_together_in_a_divergent_loop() -> None:
    facts = analyze(f"""{SETUP}  %zero: u32 = const 0
  jump loop
loop:
  %i: u32 = phi entry: %zero, loop: %next
  %r: bool = vote any %u mask %full
  %next: u32 = add %i, %half
  %stay: bool = lt %next, %t
  branch %stay, loop, after
after:
  return""")
    assert facts.level("r") is Level.VARYING


def test_a_vote_behind_a_divergent_loop_over_what_it_computed() -> None:
    facts = analyze(f"""{SETUP}  %zero: u32 = const 0
  jump loop
loop:
  %i: u32 = phi entry: %zero, loop: %next
  %odd: bool = eq %i, %half
  %next: u32 = add %i, %half
  %stay: bool = lt %next, %t
  branch %stay, loop, after
after:
  %r: bool = vote any %odd mask %full
  return""")
    assert facts.level("odd") is Level.GRID
    assert facts.level("r") is Level.WARP


def test_a_vote_that_decides_a_branch_keeps_the_warp_together() -> None:
    facts = analyze(f"""{SETUP}  %any: bool = vote any %c mask %full
  branch %any, then, join !0 if
then:
  jump join
join:
  return""")
    assert facts.branch(0) is Level.WARP
    assert facts.convergence("then") is Level.WARP


@pytest.mark.parametrize(
    ("threads", "warp_size", "level"),
    [(32, 32, Level.BLOCK), (20, 32, Level.BLOCK), (33, 32, Level.WARP), (64, 64, Level.BLOCK), (64, 32, Level.WARP)],
)
def test_where_the_block_is_one_warp_it_agrees_on_what_the_warp_agrees_on(
    threads: int, warp_size: int, level: Level
) -> None:
    launch = LaunchKnowledge((BlockShape(threads),), warp_size=warp_size)
    text = """
  %v: u32 = load %q
  %b: bool = lt %v, %half
  %any: bool = vote any %b mask %full
  branch %any, then, join
then:
  jump join
join:
  return"""
    facts = analyze(f"{SETUP}  %q: ptr<global u32> = element %p, %t{text}", launch=launch)
    assert facts.level("any") is facts.convergence("then") is level
    assert facts.level("v") is Level.VARYING


def test_every_block_must_be_one_warp() -> None:
    launch = LaunchKnowledge((BlockShape(32), BlockShape(64)))
    assert analyze(f"{SETUP}  %r: u32 = vote ballot %c mask %full\n  return", launch=launch).level("r") is Level.WARP
