"""CUDA text in, one function with everything it calls inlined out."""

from __future__ import annotations

from analysis.ir.function import Function
from analysis.ir.verifier import verify
from analysis.lower.program import Program
from analysis.pipeline import ssa_form, unit_of_text, with_calls_inlined


def inlined(text: str, name: str = "k") -> Function:
    """The function called `name` in SSA form, its callees inlined; it must verify."""
    program = Program(unit_of_text(text))
    (wanted,) = (found for found in program.device_functions() if found.id.startswith(f"{name}("))
    bodies = {found.id: ssa_form(program, found.id) for found in program.device_functions()}
    function = with_calls_inlined(bodies[wanted.id], bodies.get).function
    assert verify(function) == ()
    return function
