"""Where levels come from: registers, parameters, memory, calls."""

from __future__ import annotations

import pytest

from analysis.divergence.causes import DataCause, Seed, SeedCause
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from tests.support.textual import analyze


@pytest.mark.parametrize(
    ("register", "level"),
    [
        ("thread.x", Level.VARYING),
        ("lane", Level.VARYING),
        ("lane_mask.lt", Level.VARYING),
        ("clock", Level.VARYING),
        ("active_mask", Level.VARYING),
        ("warp_index", Level.WARP),
        ("block.y", Level.BLOCK),
        ("block_dim.x", Level.GRID),
        ("grid_dim.z", Level.GRID),
        ("warp_size", Level.GRID),
    ],
)
def test_registers(register: str, level: Level) -> None:
    assert analyze(f"entry:\n  %x: u32 = special {register}\n  return").level("x") is level


def test_the_warp_index_may_change_between_reads_of_parts_of_a_warp() -> None:
    facts = analyze("""entry:
  %tu: u32 = special thread.x
  %c: bool = lt %tu, %tu
  branch %c, then, join
then:
  %w: u32 = special warp_index
  jump join
join:
  return""")
    assert facts.level("w") is Level.VARYING


def test_kernel_parameters_are_uniform_and_those_of_unknown_callers_vary() -> None:
    body = "entry:\n  %x: s32 = add %n, %n\n  return"
    assert analyze(body).level("x") is Level.GRID
    assert analyze(body, options=DivergenceOptions(parameters=Level.VARYING)).level("x") is Level.VARYING


def test_template_arguments_and_constants_are_uniform() -> None:
    facts = analyze("entry:\n  %a: s32 = template N\n  %b: s32 = const 4\n  %x: s32 = mul %a, %b\n  return")
    assert facts.level("x") is Level.GRID


def test_a_load_has_the_level_of_its_address() -> None:
    facts = analyze("""entry:
  %t: u32 = special thread.x
  %b: u32 = special block.x
  %pt: ptr<global s32> = element %p, %t
  %pb: ptr<global s32> = element %p, %b
  %u: s32 = load %p
  %v: s32 = load %pt
  %w: s32 = load %pb
  return""")
    assert (facts.level("u"), facts.level("v"), facts.level("w")) == (Level.GRID, Level.VARYING, Level.BLOCK)


def test_a_volatile_load_varies() -> None:
    assert analyze("entry:\n  %v: s32 = load volatile %p\n  return").level("v") is Level.VARYING


def test_shared_memory_belongs_to_one_block_whatever_the_pointer_is_called() -> None:
    facts = analyze("""shared $0 s: [32 x s32]
entry:
  %a: ptr<shared [32 x s32]> = address $0
  %first: ptr<shared s32> = element %a, %n
  %u: s32 = load %first
  %g: ptr<generic s32> = convert %first
  %v: s32 = load %g
  return""")
    assert facts.level("u") is Level.BLOCK
    assert facts.level("v") is Level.BLOCK


def test_a_global_and_a_constant_variable_are_one_for_the_grid() -> None:
    facts = analyze("""global $0 g: s32
  constant $1 c: s32
entry:
  %a: ptr<global s32> = address $0
  %u: s32 = load %a
  %b: ptr<constant s32> = address $1
  %v: s32 = load %b
  return""")
    assert facts.level("u") is Level.GRID
    assert facts.level("v") is Level.GRID


def test_atomics_allocations_calls_and_opaques_vary() -> None:
    facts = analyze("""entry:
  %a: s32 = atomic add %p, %n
  %m: ptr<generic s32> = allocate %n
  %c: s32 = call @f(%n)
  %o: s32 = opaque "what" %n
  %q: bool = ne %n, %n
  %w: bool = phase try %p, %q
  return""")
    for name in ("a", "m", "c", "o", "w"):
        assert facts.level(name) is Level.VARYING
    for name, seed in (
        ("a", Seed.ATOMIC),
        ("w", Seed.PHASE),
        ("m", Seed.ALLOCATION),
        ("c", Seed.CALL),
        ("o", Seed.OPAQUE),
    ):
        assert facts.result.cause(facts.named.values[name]) == SeedCause(seed)


def test_a_recursive_call_is_as_opaque_as_any() -> None:
    facts = analyze(
        "entry:\n  %x: s32 = call @k(%n, %p)\n  %y: s32 = add %x, %n\n  return %y",
        header="device @k(%n: s32, %p: ptr<global s32>) -> s32",
    )
    assert facts.level("y") is Level.VARYING
    assert facts.result.cause(facts.named.values["y"]) == DataCause(facts.named.values["x"])


def test_a_reduction_at_a_barrier_is_uniform_in_the_block() -> None:
    facts = analyze("""entry:
  %t: s32 = atomic add %p, %n
  %c: bool = lt %t, %n
  %x: s32 = barrier count %c
  return""")
    assert facts.level("x") is Level.BLOCK


def test_an_undefined_value_contributes_nothing() -> None:
    facts = analyze("""entry:
  %u: s32 = undef
  %c: bool = lt %n, %n
  branch %c, then, join
then:
  jump join
join:
  %x: s32 = phi entry: %u, then: %n
  return""")
    assert facts.level("x") is Level.GRID


# -- memory of the thread ---------------------------------------------------------------------------------------------

LOCAL = """local $0 a: [4 x s32]
entry:
  %t: u32 = special thread.x
  %two: u32 = const 2
  %c: bool = lt %t, %two
  %a: ptr<local [4 x s32]> = address $0
  %e: ptr<local s32> = element %a, %n
"""


def test_a_local_array_of_uniform_contents_is_uniform() -> None:
    assert analyze(f"{LOCAL}  store %e, %n\n  %x: s32 = load %e\n  return").level("x") is Level.GRID


def test_a_local_array_holds_what_is_stored() -> None:
    facts = analyze(f"{LOCAL}  %v: s32 = convert %t\n  store %e, %v\n  %x: s32 = load %e\n  return")
    assert facts.level("x") is Level.VARYING


def test_a_varying_index_of_a_store_makes_the_contents_vary() -> None:
    facts = analyze(f"{LOCAL}  %f: ptr<local s32> = element %a, %t\n  store %f, %n\n  %x: s32 = load %e\n  return")
    assert facts.level("x") is Level.VARYING


def test_a_varying_index_of_a_load_varies() -> None:
    facts = analyze(f"{LOCAL}  store %e, %n\n  %f: ptr<local s32> = element %a, %t\n  %x: s32 = load %f\n  return")
    assert facts.level("x") is Level.VARYING


def test_a_store_that_only_some_threads_execute_makes_the_contents_vary() -> None:
    facts = analyze(f"""{LOCAL}  branch %c, then, join
then:
  store %e, %n
  jump join
join:
  %x: s32 = load %e
  return""")
    assert facts.level("x") is Level.VARYING


def test_a_value_that_is_stored_behind_a_varying_loop_is_temporal() -> None:
    facts = analyze(f"""{LOCAL}  %zero: s32 = const 0
  %one: s32 = const 1
  %ts: s32 = convert %t
  jump loop
loop:
  %i: s32 = phi entry: %zero, loop: %next
  %next: s32 = add %i, %one
  %stay: bool = lt %next, %ts
  branch %stay, loop, after
after:
  store %e, %next
  %x: s32 = load %e
  return""")
    assert facts.level("x") is Level.VARYING


def test_an_array_that_escapes_is_not_tracked() -> None:
    facts = analyze(f'{LOCAL}  store %e, %n\n  opaque "f" %a\n  %x: s32 = load %e\n  return')
    assert facts.level("x") is Level.VARYING


def test_a_reloaded_address_of_a_local_variable_does_not_pass_for_shared_by_all() -> None:
    facts = analyze("""local $0 a: s32
  local $1 box: ptr<generic s32>
entry:
  %a: ptr<local s32> = address $0
  %g: ptr<generic s32> = convert %a
  %b: ptr<local ptr<generic s32>> = address $1
  store %b, %g
  %back: ptr<generic s32> = load %b
  %x: s32 = load %back
  return""")
    assert facts.level("x") is Level.VARYING


def test_a_pointer_that_may_be_local_follows_the_rule_of_local_memory() -> None:
    facts = analyze(f"""{LOCAL}  %v: s32 = convert %t
  store %e, %v
  %ge: ptr<generic s32> = convert %e
  %gp: ptr<generic s32> = convert %p
  %u: bool = lt %n, %n
  %q: ptr<generic s32> = select %u, %ge, %gp
  %x: s32 = load %q
  return""")
    assert facts.level("x") is Level.VARYING


def test_a_local_pointer_from_nowhere_varies() -> None:
    facts = analyze("entry:\n  %x: s32 = load %q\n  return", header="device @f(%q: ptr<local s32>)")
    assert facts.level("x") is Level.VARYING
