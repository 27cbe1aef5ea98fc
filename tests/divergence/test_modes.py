"""Assumed barriers, the exit optimisation, the countable variants, and reasons."""

from __future__ import annotations

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.causes import (
    BlockSubject,
    BranchSubject,
    ControlCause,
    DataCause,
    LoopSubject,
    MemoryCause,
    MemorySubject,
    Seed,
    SeedCause,
    SyncCause,
    TemporalCause,
    ValueSubject,
)
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import CONVERGENCE_ONLY, WITH_EXITS, WITH_VARIANCE, DivergenceOptions
from analysis.divergence.result import DivergenceResult
from analysis.ir.ids import SourceBranchId
from tests.support.textual import Facts, analyze, read

SETUP = """entry:
  %t: u32 = special thread.x
  %two: u32 = const 2
  %c: bool = lt %t, %two
  %u: bool = lt %n, %n
"""

GUARDED_BARRIER = f"""{SETUP}  branch %c, guarded, join
guarded:
  barrier
  branch %u, inner, join
inner:
  jump join
join:
  return"""


def test_a_barrier_is_assumed_to_be_convergent_or_checked() -> None:
    assumed = analyze(GUARDED_BARRIER, options=DivergenceOptions(assume_barriers=True))
    assert assumed.convergence("guarded") is Level.BLOCK
    assert assumed.convergence("inner") is Level.BLOCK
    checked = analyze(GUARDED_BARRIER)
    assert checked.convergence("guarded") is Level.VARYING
    assert checked.convergence("inner") is Level.VARYING


EARLY_EXIT = f"""{SETUP}  branch %c, leave, rest
leave:
  return
rest:
  store %p, %n
  return"""


def test_threads_that_have_returned_do_not_count_with_the_exit_optimisation() -> None:
    assert analyze(EARLY_EXIT).convergence("rest") is Level.VARYING
    relaxed = analyze(EARLY_EXIT, options=DivergenceOptions(exit_optimization=True))
    assert relaxed.convergence("rest") is Level.GRID


def test_section_3_4_a_guarded_statement_before_the_exit() -> None:
    body = f"{SETUP}  branch %c, s1, end\ns1:\n  store %p, %n\n  jump end\nend:\n  return"
    assert analyze(body).convergence("s1") is Level.VARYING
    assert analyze(body, options=DivergenceOptions(exit_optimization=True)).convergence("s1") is Level.GRID


def test_threads_that_still_have_work_to_do_do_count() -> None:
    body = EARLY_EXIT.replace("leave:\n", "leave:\n  store %p, %n\n")
    relaxed = analyze(body, options=DivergenceOptions(exit_optimization=True))
    assert relaxed.convergence("rest") is Level.VARYING


def test_the_variants_prove_more_and_more_convergent() -> None:
    """Four blocks behind the entry: under a uniform branch, under a barrier, after a varying exit."""
    named = read(f"""{SETUP}  branch %u, then, join
then:
  store %p, %n
  jump join
join:
  branch %c, leave, rest
leave:
  return
rest:
  store %p, %n
  store %p, %n
  return""")
    results = [
        analyze_divergence(named.function, named.control, LaunchKnowledge(), options)
        for options in (CONVERGENCE_ONLY, WITH_VARIANCE, WITH_EXITS)
    ]
    assert [_convergent_instructions(result) for result in results] == [6, 8, 12]


def _convergent_instructions(result: DivergenceResult) -> int:
    """Static instructions, terminators included, that a variant proves convergent for a warp."""
    blocks = (block for block in result.control.order if result.convergence(block) <= Level.WARP)
    return sum(len(result.function.blocks[block].instructions) + 1 for block in blocks)


def test_without_variance_every_branch_is_the_structure_s_fault() -> None:
    facts = analyze(f"{SETUP}  branch %u, then, join\nthen:\n  jump join\njoin:\n  return", options=CONVERGENCE_ONLY)
    assert facts.convergence("then") is Level.VARYING
    assert facts.result.why_block(facts.named.block("then"))[-1].cause == SeedCause(Seed.STRUCTURE)


def test_an_unknown_entry_makes_every_block_divergent() -> None:
    facts = analyze(f"{SETUP}  return", options=DivergenceOptions(entry=Level.VARYING))
    block = facts.named.block("entry")
    assert facts.convergence("entry") is Level.VARYING
    assert facts.result.why_block(block)[-1].cause == SeedCause(Seed.ENTRY)


# -- reasons ----------------------------------------------------------------------------------------------------------


def subjects(facts: Facts, name: str) -> list[object]:
    return [step.subject for step in facts.result.why(facts.named.values[name])]


def test_a_chain_through_sync_and_control() -> None:
    facts = analyze(f"""{SETUP}  %one: u32 = const 1
  branch %c, then, join !0 if
then:
  jump join
join:
  %x: u32 = phi entry: %two, then: %one
  return""")
    values = facts.named.values
    entry = facts.named.block("entry")
    chain = facts.result.why(values["x"])
    assert [type(step.cause) for step in chain] == [SyncCause, DataCause, DataCause, SeedCause]
    assert [step.subject for step in chain[1:]] == [
        BranchSubject(entry, SourceBranchId(0)),
        ValueSubject(values["c"]),
        ValueSubject(values["t"]),
    ]
    blocks = facts.result.why_block(facts.named.block("then"))
    assert isinstance(blocks[0].subject, BlockSubject)
    assert isinstance(blocks[0].cause, ControlCause)
    assert blocks[1:] == chain[1:]


def test_a_chain_out_of_a_loop_names_the_loop_and_its_exit() -> None:
    facts = analyze(f"""{SETUP}  jump loop
loop:
  %i: u32 = phi entry: %two, loop: %next
  %next: u32 = add %i, %two
  %stay: bool = lt %next, %t
  branch %stay, loop, after
after:
  %x: u32 = add %i, %two
  return""")
    chain = facts.result.why(facts.named.values["x"])
    assert isinstance(chain[0].cause, TemporalCause)
    assert chain[1].subject == LoopSubject(facts.named.block("loop"))
    assert isinstance(chain[-1].cause, SeedCause)


def test_a_chain_through_local_memory_names_the_variable() -> None:
    facts = analyze("""local $0 a: [4 x u32]
entry:
  %t: u32 = special thread.x
  %a: ptr<local [4 x u32]> = address $0
  %e: ptr<local u32> = element %a, %n
  store %e, %t
  %x: u32 = load %e
  return""")
    chain = facts.result.why(facts.named.values["x"])
    assert isinstance(chain[0].cause, MemoryCause)
    assert isinstance(chain[1].subject, MemorySubject)
    assert chain[1].cause == DataCause(facts.named.values["t"])
    assert chain[-1].subject == ValueSubject(facts.named.values["t"])


def test_a_uniform_value_has_no_reasons() -> None:
    facts = analyze(f"{SETUP}  return")
    assert subjects(facts, "u") == []
    assert facts.result.cause(facts.named.values["u"]) is None
