"""Verdicts, evidence and witnesses of barriers."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.verdict.barriers import BarrierReason, BarrierSite, BarrierVerdict, Tier, find_barriers
from tests.support.textual import HEADER, analyze

SETUP = """entry:
  %tu: u32 = special thread.x
  %t: s32 = convert %tu
  %zero: s32 = const 0
  %one: s32 = const 1
  %sixteen: s32 = const 16
  %full: u32 = const 4294967295
  %c: bool = lt %t, %sixteen
"""


def sites(
    body: str,
    launch: LaunchKnowledge | None = None,
    header: str = HEADER,
    options: DivergenceOptions | None = None,
) -> tuple[BarrierSite, ...]:
    launch = launch or LaunchKnowledge()
    facts = analyze(body, header, launch, options)
    return find_barriers(facts.result.function, facts.result.control, facts.result, launch)


def only(body: str, launch: LaunchKnowledge | None = None) -> BarrierSite:
    (site,) = sites(body, launch)
    return site


def under(condition: str, barrier: str = "barrier") -> str:
    return f"{SETUP}{condition}  branch %c2, then, join !0 if\nthen:\n  {barrier}\n  jump join\njoin:\n  return"


def test_a_barrier_that_all_threads_reach() -> None:
    site = only(f"{SETUP}  barrier\n  return")
    assert site.verdict is BarrierVerdict.CONVERGENT
    assert site.evidence is None


def test_a_barrier_under_a_thread_condition_is_proven() -> None:
    site = only(under("  %c2: bool = lt %t, %sixteen\n"))
    assert site.verdict is BarrierVerdict.DIVERGENT
    evidence = site.evidence
    assert evidence is not None
    assert evidence.reason is BarrierReason.GUARD
    assert evidence.tier is Tier.PROVEN
    assert [guard.level for guard in evidence.guards] == [Level.VARYING]
    witness = evidence.witness
    assert witness is not None
    assert witness.arriving == ((0, 15),)
    assert witness.missing == ((16, 63),)
    assert not witness.assumed


def test_a_bounds_check_needs_an_argument_that_cuts_the_block() -> None:
    site = only(under("  %c2: bool = lt %t, %n\n"), LaunchKnowledge((BlockShape(128),)))
    assert site.evidence is not None
    witness = site.evidence.witness
    assert witness is not None
    assert witness.shape == BlockShape(128)
    assert dict(witness.arguments) == {"n": 64}
    assert witness.arriving == ((0, 63),)


def test_a_condition_that_holds_for_all_threads_of_the_known_shape_is_convergent() -> None:
    wide = "  %k: s32 = const 256\n  %c2: bool = lt %t, %k\n"
    assert only(under(wide), LaunchKnowledge((BlockShape(128),))).verdict is BarrierVerdict.CONVERGENT


def test_a_data_dependent_guard_is_possible_not_proven() -> None:
    site = only(under("  %q: ptr<global s32> = element %p, %t\n  %v: s32 = load %q\n  %c2: bool = lt %v, %n\n"))
    assert site.verdict is BarrierVerdict.DIVERGENT
    assert site.evidence is not None
    assert site.evidence.tier is Tier.POSSIBLE
    assert site.evidence.witness is None


def test_an_opaque_guard_is_unknown_and_assumed() -> None:
    site = only(under('  %v: s32 = opaque "what"\n  %c2: bool = lt %v, %n\n'))
    assert site.verdict is BarrierVerdict.UNKNOWN
    assert site.evidence is not None
    assert site.evidence.tier is Tier.ASSUMED


@pytest.mark.parametrize(
    ("guard", "verdict"),
    [
        ("  %b: bool = lt %t, %sixteen\n  %c2: bool = and %a, %b\n", BarrierVerdict.DIVERGENT),
        ("  %b: bool = lt %t, %sixteen\n  %c2: bool = or %b, %a\n", BarrierVerdict.DIVERGENT),
        ("  %b: bool = lt %n, %sixteen\n  %c2: bool = and %a, %b\n", BarrierVerdict.UNKNOWN),
    ],
)
def test_beside_a_thread_condition_an_opaque_one_decides_only_whether_anybody_arrives(
    guard: str, verdict: BarrierVerdict
) -> None:
    opaque = '  %v: s32 = opaque "what"\n  %a: bool = lt %v, %n\n'
    site = only(under(opaque + guard))
    assert site.verdict is verdict
    assert site.evidence is not None
    assert site.evidence.tier is (Tier.POSSIBLE if verdict is BarrierVerdict.DIVERGENT else Tier.ASSUMED)


def test_a_guard_on_the_argument_of_an_unknown_caller_is_unknown() -> None:
    header = "device @f(%n: s32, %p: ptr<global s32>)"
    options = DivergenceOptions(parameters=Level.VARYING)
    (site,) = sites(under("  %c2: bool = lt %n, %sixteen\n"), header=header, options=options)
    assert site.verdict is BarrierVerdict.UNKNOWN


def test_a_function_whose_entry_is_not_known() -> None:
    (site,) = sites(f"{SETUP}  barrier\n  return", options=DivergenceOptions(entry=Level.VARYING))
    assert site.verdict is BarrierVerdict.UNKNOWN
    assert site.evidence is not None
    assert site.evidence.reason is BarrierReason.CALLERS


def test_a_barrier_in_a_loop_with_varying_trips() -> None:
    site = only(f"""{SETUP}  jump head
head:
  %i: s32 = phi entry: %t, body: %next
  %stay: bool = lt %i, %n
  branch %stay, body, after !0 loop
body:
  barrier
  %next: s32 = add %i, %sixteen
  jump head
after:
  return""")
    assert site.evidence is not None
    assert site.evidence.reason is BarrierReason.LOOP
    assert site.evidence.tier is Tier.PROVEN


def test_an_early_return_before_a_barrier() -> None:
    site = only(f"{SETUP}  branch %c, leave, rest !0 if\nleave:\n  return\nrest:\n  barrier\n  return")
    assert site.evidence is not None
    assert site.evidence.reason is BarrierReason.EARLY_EXIT
    witness = site.evidence.witness
    assert witness is not None
    assert witness.missing == ((0, 15),)


def test_guards_stand_innermost_first_and_only_those_that_matter() -> None:
    site = only(f"""{SETUP}  branch %c, outer, join !0 if
outer:
  %u: bool = lt %n, %sixteen
  branch %u, middle, join !1 if
middle:
  %odd: s32 = and %t, %one
  %c3: bool = eq %odd, %one
  branch %c3, inner, join !2 if
inner:
  barrier
  jump join
join:
  return""")
    assert site.evidence is not None
    assert [guard.branch for guard in site.evidence.guards] == [2, 0]
    witness = site.evidence.witness
    assert witness is not None
    assert witness.arriving[:2] == ((1, 1), (3, 3))


def test_a_uniform_guard_that_cannot_be_evaluated_is_assumed_to_let_threads_through() -> None:
    site = only(f"""{SETUP}  %b: u32 = special block.x
  %q: ptr<global s32> = element %p, %b
  %v: s32 = load %q
  %u: bool = lt %v, %one
  branch %u, inner, join !0 if
inner:
  branch %c, deep, join !1 if
deep:
  barrier
  jump join
join:
  return""")
    assert site.evidence is not None
    assert site.evidence.tier is Tier.PROVEN
    witness = site.evidence.witness
    assert witness is not None
    assert witness.assumed


def test_a_loop_that_cannot_be_followed_is_skipped_and_its_counter_forgotten() -> None:
    site = only(f"""{SETUP}  jump head
head:
  %i: s32 = phi entry: %zero, body: %next
  %q: ptr<global s32> = element %p, %i
  %v: s32 = load %q
  %stay: bool = lt %v, %one
  branch %stay, body, after !0 loop
body:
  %next: s32 = add %i, %one
  jump head
after:
  %c2: bool = lt %t, %i
  branch %c2, then, join !1 if
then:
  barrier
  jump join
join:
  return""")
    assert site.verdict is BarrierVerdict.DIVERGENT
    assert site.evidence is not None
    assert site.evidence.tier is Tier.POSSIBLE


def test_a_long_loop_that_has_no_say_does_not_hide_the_proof() -> None:
    site = only(f"""{SETUP}  %long: s32 = const 1000000
  jump head
head:
  %i: s32 = phi entry: %zero, head: %next
  %next: s32 = add %i, %one
  %stay: bool = lt %next, %long
  branch %stay, head, after !0 loop
after:
  %c2: bool = lt %t, %n
  branch %c2, then, join !1 if
then:
  barrier
  jump join
join:
  return""")
    assert site.evidence is not None
    assert site.evidence.tier is Tier.PROVEN


def test_a_warp_barrier_needs_its_warp_only() -> None:
    aligned = under("  %k: s32 = const 32\n  %c2: bool = lt %t, %k\n", "warp_barrier %full")
    assert only(aligned, LaunchKnowledge(one_dimensional=True)).verdict is BarrierVerdict.CONVERGENT
    split = under("  %c2: bool = lt %t, %sixteen\n", "warp_barrier %full")
    assert only(split, LaunchKnowledge(one_dimensional=True)).verdict is BarrierVerdict.DIVERGENT


def test_a_warp_barrier_with_a_partial_mask_in_divergent_code_is_unknown() -> None:
    partial = under("  %half: u32 = const 65535\n  %c2: bool = lt %t, %sixteen\n", "warp_barrier %half")
    assert only(partial).verdict is BarrierVerdict.UNKNOWN


def test_a_grid_barrier_needs_the_grid() -> None:
    blockwise = under("  %b: u32 = special block.x\n  %c2: bool = lt %b, %full\n", "grid_barrier")
    assert only(blockwise).verdict is BarrierVerdict.DIVERGENT
    assert only(under("  %c2: bool = lt %n, %one\n", "grid_barrier")).verdict is BarrierVerdict.CONVERGENT


def test_a_named_barrier_with_a_count_in_divergent_code_is_unknown() -> None:
    assert (
        only(under("  %c2: bool = lt %t, %sixteen\n", "named_barrier %one, %sixteen")).verdict is BarrierVerdict.UNKNOWN
    )


def test_a_barrier_in_a_function_that_is_called_in_divergent_code() -> None:
    site = only(f"""frames 2
  frame @k in 0 values 0 branches 0 variables 0 [0:0]
  frame @helper in 0 values 0 branches 0 variables 0 [40:50]
  !0 if [10:12] [10:60]
{SETUP}  branch %c, then, join !0 [14:20]
then:
  barrier [5:20/1]
  jump join
join:
  return""")
    assert site.evidence is not None
    assert site.evidence.reason is BarrierReason.CALL
    assert site.evidence.calls == (1,)


def test_source_text_tells_a_guard_from_an_early_exit() -> None:
    text = """!0 if [10:12] {extent}
{setup}  branch %c, leave, rest !0 [14:20]
leave:
  jump end
rest:
  barrier [30:45]
  jump end
end:
  return"""
    for extent, reason in (("[10:25]", BarrierReason.EARLY_EXIT), ("[10:60]", BarrierReason.GUARD)):
        site = only(text.replace("{extent}", extent).replace("{setup}", SETUP))
        assert site.evidence is not None
        assert site.evidence.reason is reason
