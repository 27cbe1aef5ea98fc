"""Random programs in memory form and in SSA form print the same; the SSA form is minimal."""

from __future__ import annotations

from hypothesis import given, settings

from analysis.ir.cleanup import is_pure
from analysis.ir.function import Function
from analysis.ir.instructions import Phi, ValueId
from analysis.ir.parser import parse_function
from analysis.ir.promote import promote
from analysis.ir.verifier import verify
from tests.ir.evaluator import run
from tests.ir.programs import memory_programs


@given(memory_programs())
@settings(max_examples=300)
def test_promotion_keeps_what_is_printed(text: str) -> None:
    memory_form = parse_function(text)
    assert verify(memory_form) == ()
    promoted = promote(memory_form)
    assert verify(promoted) == ()
    assert run(promoted) == run(memory_form)
    assert promoted.symbols == ()
    assert promote(promoted) is promoted


@given(memory_programs(pointers=True))
@settings(max_examples=200)
def test_promotion_keeps_what_is_printed_with_pointers_to_locals(text: str) -> None:
    memory_form = parse_function(text)
    promoted = promote(memory_form)
    assert verify(promoted) == ()
    assert run(promoted) == run(memory_form)
    assert promote(promoted) is promoted


@given(memory_programs())
@settings(max_examples=200)
def test_no_set_of_phis_passes_on_a_single_value_and_no_phi_is_dead(text: str) -> None:
    promoted = promote(parse_function(text))
    phis = {phi.result: phi for block in promoted.blocks for phi in block.phis}
    for value in range(len(promoted.types)):
        assert not _passing_on(ValueId(value), phis)
    assert phis.keys() <= _alive(promoted)


def _passing_on(value: ValueId, phis: dict[ValueId, Phi]) -> set[ValueId]:
    """The largest set of phis whose inputs are all `value` or in the set."""
    closed = set(phis) - {value}
    while True:
        leaving = {phi for phi in closed if not set(phis[phi].operands) <= closed | {value}}
        if not leaving:
            return closed
        closed -= leaving


def _alive(function: Function) -> set[ValueId]:
    """What effects and terminators need, directly or not."""
    operands: dict[ValueId, tuple[ValueId, ...]] = {}
    pending: list[ValueId] = []
    for block in function.blocks:
        pending += block.terminator.operands
        operands |= {phi.result: phi.operands for phi in block.phis}
        for instruction in block.instructions:
            if instruction.result is not None:
                operands[instruction.result] = instruction.operands
            if not is_pure(instruction):
                pending += instruction.operands
    alive: set[ValueId] = set()
    while pending:
        value = pending.pop()
        if value not in alive:
            alive.add(value)
            pending += operands.get(value, ())
    return alive
